// Which known clients notice a broken promise. The facts come from the clients' sources, from runs of their programs, and from
// the reports that the cases link.

import { type DoorName, doorNames, type Form, type Rule } from '../clients/answer.ts'

const rest = ['chat', 'messages', 'responses'] as const

/** The doors that each client uses. */
const doorsOf = {
  /** The loss is in the content, the status or the connection: every client sees it. */
  'any client': doorNames,
  'AI SDK': doorNames,
  OpenCode: rest,
  'openai SDK': ['chat', 'responses'],
  'openai SDK (Python)': ['chat', 'responses'],
  'async-openai (Rust)': ['chat', 'responses'],
  'OpenAI SDK (.NET)': ['chat', 'responses'],
  'Qwen Code': ['chat'],
  Cline: ['chat'],
  Continue: ['chat'],
  'Cursor IDE': ['chat'],
  Codex: ['responses'],
  'Claude Code': ['messages'],
  'Anthropic SDK': ['messages'],
  'Gemini CLI': ['gemini'],
  'Google GenAI SDK': ['gemini'],
} as const satisfies Record<string, readonly DoorName[]>

export type Client = keyof typeof doorsOf

/** Clients that never ask for a whole answer. */
const streamsOnly: ReadonlySet<Client> = new Set<Client>(['Codex'])

export const everyone: readonly Client[] = ['any client']
export const nobody: readonly Client[] = []

export const noticedAt = (
  { door, form }: { door: DoorName; form: Form },
  clients: readonly Client[],
): Client[] =>
  [...new Set(clients)]
    .filter((client) => (doorsOf[client] as readonly DoorName[]).includes(door))
    .filter((client) => form === 'stream' || !streamsOnly.has(client))

export const noticedText = (clients: readonly string[]): string =>
  clients.length === 0 ? 'none known: strictness only' : clients.join(', ')

/** Clients that count tokens, to compact the conversation in time. */
export const counters: readonly Client[] = ['OpenCode', 'Codex', 'Claude Code', 'Gemini CLI']

/** Who notices that a rule of the strict clients is broken. */
export const ruleNoticed: Record<Rule, readonly Client[]> = {
  // Both SDKs return a body of another type as text; Codex wants a stream.
  type: ['openai SDK', 'Anthropic SDK', 'Codex'],
  frame: ['openai SDK', 'AI SDK', 'Anthropic SDK', 'Gemini CLI', 'Google GenAI SDK'],
  // The Anthropic SDK chooses events by their names. Chat has none, and those of Responses are not read.
  name: ['Anthropic SDK', 'Claude Code'],
  // Typed readers. openai-node and the Anthropic SDK take what comes.
  shape: ['AI SDK', 'async-openai (Rust)'],
  constant: nobody,
  // One throws if there is none; the other joins them: "assistantassistant".
  role: ['openai SDK', 'openai SDK (Python)'],
  index: ['openai SDK', 'OpenCode', 'Anthropic SDK', 'Claude Code'],
  call: everyone,
  finish: everyone,
  // Where it stands, and whether its parts add up: clients take what comes last.
  usage: nobody,
  // The end of a Chat stream is its finish_reason: known clients do not miss [DONE].
  end: ['Codex', 'Claude Code', 'Anthropic SDK', 'Gemini CLI'],
  order: ['openai SDK', 'Anthropic SDK'],
  exact: nobody,
}

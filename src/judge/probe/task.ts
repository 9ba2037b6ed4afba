// A task of the probe: a conversation with tools, the tools' replies, and the checks of the outcome. Tasks know neither
// dialects nor models.

export interface Tool {
  name: string
  description: string
  /** JSON Schema of an object, limited to the keywords of schema-check.ts. */
  schema: Record<string, unknown>
}

export type Input = Record<string, unknown>

export interface ToolCall {
  id: string
  name: string
  input: Input
}

export interface ToolResult {
  callId: string
  text: string
  isError?: boolean
}

export type Message =
  | { role: 'system' | 'user'; text: string }
  /** `echo`: the answer in its own dialect, as the next request sends it back. */
  | { role: 'assistant'; text: string; calls: readonly ToolCall[]; echo?: readonly unknown[] }
  | { role: 'tool'; results: readonly ToolResult[] }

export type ToolChoice = 'none' | 'required' | { name: string }

/** A tool's result; `{ error }` is marked as an error if the dialect can. */
export type ToolReply = string | { error: string }

/** An answered call. `turn`: the index of the model's answer that held it. */
export interface MadeCall {
  name: string
  input: Input
  turn: number
  reply: ToolReply
}

/** Everything the model did, for the checks. */
export interface Transcript {
  calls: readonly MadeCall[]
  /** Answers of the model. */
  turns: number
  /** The text of the last answer. */
  text: string
}

export interface Fault {
  expected: string
  came: string
}

/** Returns undefined if the check passes. */
export type Check = (seen: Transcript) => Fault | undefined

/** One answer of a perfect model. */
export interface IdealTurn {
  calls?: readonly (readonly [name: string, input: Input])[]
  text?: string
}

export interface Task {
  /** GROUP.NAME */
  id: string
  title: string
  /** 1: easy, 2: everyday work of agents, 3: hard. */
  weight: 1 | 2 | 3
  tools: readonly Tool[]
  /** The conversation after the system prompt, which all tasks share. */
  messages: readonly Message[]
  /** For the first request; later ones leave the choice to the model. */
  toolChoice?: ToolChoice
  /** At most one call in each answer. */
  oneCallAtATime?: true
  /** Plays the tools. `earlier`: the calls answered before this one. */
  reply(call: { name: string; input: Input }, earlier: readonly MadeCall[]): ToolReply
  /** The answers of a perfect model: the basis of the estimate, and played by tests. */
  ideal: readonly IdealTurn[]
  /** The first check that fails is reported. */
  judge: readonly Check[]
}

export const groupOf = ({ id }: Pick<Task, 'id'>): string => id.slice(0, id.indexOf('.'))

/** The limit for models that loop; it leaves room for a few wrong steps. */
export const maxTurns = ({ ideal }: Pick<Task, 'ideal'>): number => ideal.length + 3

/** Whether a perfect model calls a tool. */
export const needsCalls = ({ ideal }: Pick<Task, 'ideal'>): boolean =>
  ideal.some(({ calls = [] }) => calls.length > 0)

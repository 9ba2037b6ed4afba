// Tapes of turns in each dialect, written by the doors themselves, and their transcripts.

import { TurnCollector } from '../../core/collect.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { Notes } from '../../core/notes.ts'
import { anthropicMessagesDoor } from '../../doors/anthropic-messages.ts'
import type { Door } from '../../doors/door.ts'
import { geminiDoor } from '../../doors/gemini.ts'
import { ollamaChatDoor } from '../../doors/ollama.ts'
import { openaiChatDoor } from '../../doors/openai-chat.ts'
import { openaiResponsesDoor } from '../../doors/openai-responses.ts'
import { ResponseStore } from '../../doors/response-store.ts'
import { Scrubber } from '../../observe/scrub.ts'
import type { Frame, FrameBody } from '../../tapes/frame.ts'
import type { TranscriptEntry, TranscriptPart } from '../transcript-api.ts'
import type { TapedTurn } from './taped-turn.ts'
import { Transcripts } from './transcripts.ts'

export interface Dialect {
  name: string
  path: string
  door: Door
  body(messages: readonly Said[]): Record<string, unknown>
}

/** A message in the words of a test. */
export type Said =
  | { user: string }
  | { assistant: string; call?: { id: string; name: string; input: object } }
  | { result: string; of: string; name: string }

const tool = { name: 'read', description: 'Reads', parameters: { type: 'object', properties: {} } }
const caller = { key: 'me', session: undefined }
const store = new ResponseStore()

export const dialects: readonly Dialect[] = [
  {
    name: 'Chat',
    path: '/v1/chat/completions',
    door: openaiChatDoor,
    body: (messages) => ({
      model: 'box/m',
      tools: [{ type: 'function', function: tool }],
      messages: [{ role: 'system', content: 'Be good' }, ...messages.map(chatMessage)],
    }),
  },
  {
    name: 'Messages',
    path: '/v1/messages',
    door: anthropicMessagesDoor,
    body: (messages) => ({
      model: 'box/m',
      max_tokens: 100,
      system: 'Be good',
      thinking: { type: 'enabled', budget_tokens: 2_000 },
      tools: [{ name: 'read', input_schema: tool.parameters }],
      messages: messages.map(messagesMessage),
    }),
  },
  {
    name: 'Responses',
    path: '/v1/responses',
    door: openaiResponsesDoor(store.of(caller)),
    body: (messages) => ({
      model: 'box/m',
      instructions: 'Be good',
      tools: [{ type: 'function', ...tool }],
      input: messages.flatMap(responsesItems),
    }),
  },
  ...(['sse', 'array'] as const).map(
    (form): Dialect => ({
      name: `Gemini, ${form}`,
      path: '/v1beta/models/box/m:streamGenerateContent',
      door: geminiDoor({ model: 'box/m', stream: true, form }),
      body: (messages) => ({
        systemInstruction: { parts: [{ text: 'Be good' }] },
        generationConfig: { thinkingConfig: { includeThoughts: true } },
        tools: [{ functionDeclarations: [tool] }],
        contents: messages.map(geminiContent),
      }),
    }),
  ),
  {
    name: 'Ollama',
    path: '/api/chat',
    door: ollamaChatDoor,
    body: (messages) => ({
      model: 'box/m',
      tools: [{ type: 'function', function: tool }],
      messages: [{ role: 'system', content: 'Be good' }, ...messages.map(chatMessage)],
    }),
  },
]

function chatMessage(said: Said): object {
  if ('user' in said) return { role: 'user', content: said.user }
  if ('result' in said) return { role: 'tool', tool_call_id: said.of, content: said.result }
  const { call } = said
  const made = call && {
    id: call.id,
    type: 'function',
    function: { name: call.name, arguments: JSON.stringify(call.input) },
  }
  return { role: 'assistant', content: said.assistant, ...(made ? { tool_calls: [made] } : {}) }
}

function messagesMessage(said: Said): object {
  if ('user' in said) return { role: 'user', content: said.user }
  if ('result' in said)
    return { role: 'user', content: [{ type: 'tool_result', tool_use_id: said.of, content: said.result }] }
  const { call } = said
  return {
    role: 'assistant',
    content: [
      { type: 'text', text: said.assistant },
      ...(call ? [{ type: 'tool_use', id: call.id, name: call.name, input: call.input }] : []),
    ],
  }
}

function responsesItems(said: Said): object[] {
  if ('user' in said) return [{ role: 'user', content: said.user }]
  if ('result' in said) return [{ type: 'function_call_output', call_id: said.of, output: said.result }]
  const { call } = said
  return [
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: said.assistant }] },
    ...(call
      ? [{ type: 'function_call', call_id: call.id, name: call.name, arguments: JSON.stringify(call.input) }]
      : []),
  ]
}

/** Without the ids of calls, as some clients send it. */
function geminiContent(said: Said): object {
  if ('user' in said) return { role: 'user', parts: [{ text: said.user }] }
  if ('result' in said)
    return {
      role: 'user',
      parts: [{ functionResponse: { name: said.name, response: { output: said.result } } }],
    }
  const { call } = said
  return {
    role: 'model',
    parts: [
      { text: said.assistant },
      ...(call ? [{ functionCall: { name: call.name, args: call.input } }] : []),
    ],
  }
}

/** Thinks, says, and calls. */
export const thinks: readonly TurnEvent[] = [
  { type: 'reasoning-start', block: 0 },
  { type: 'reasoning-delta', block: 0, delta: 'Hm, ' },
  { type: 'reasoning-delta', block: 0, delta: 'well' },
  { type: 'reasoning-end', block: 0 },
  { type: 'text-start', block: 1 },
  { type: 'text-delta', block: 1, delta: 'Read' },
  { type: 'text-delta', block: 1, delta: 'ing.' },
  { type: 'text-end', block: 1 },
]
export const calls = (callId = 'c1', input = '{"path":"a.txt"}'): TurnEvent[] => [
  { type: 'tool-call-start', block: 2, callId, name: 'read' },
  { type: 'tool-call-delta', block: 2, delta: input },
  { type: 'tool-call-end', block: 2, callId, name: 'read', input },
  { type: 'turn-end', reason: 'tool-calls' },
]
export const says = (text: string): TurnEvent[] => [
  { type: 'text-start', block: 0 },
  { type: 'text-delta', block: 0, delta: text },
  { type: 'text-end', block: 0 },
  { type: 'turn-end', reason: 'stop' },
]
export const fails = (error: GatewayError): TurnEvent[] => [{ type: 'turn-error', error }]

interface TurnOptions {
  turn?: string
  stream?: boolean
  /** The events so far: the turn is still running. */
  isRunning?: boolean
  startedAt?: number
  took?: number
}

/** A turn as its door reads and writes it. */
export function tapeOf(
  { door, path }: Pick<Dialect, 'door' | 'path'>,
  body: Record<string, unknown>,
  events: readonly TurnEvent[],
  { turn = 'turn_a', stream = true, isRunning = false, startedAt = 1_000, took = 100 }: TurnOptions = {},
): TapedTurn {
  const given = { ...body, ...(door.name === 'gemini' ? {} : { stream }) }
  const request = door.read(structuredClone(given), new Notes(), () => undefined)
  const id = turn.replace('turn_', '')
  const facts = { id, createdAt: 1, now: () => 1, client: {}, note: () => undefined }
  const all: TurnEvent[] = [{ type: 'turn-start', id, model: 'm' }, ...events]
  const writes: string[] = []
  if (stream) {
    const writer = request.writer({ ...facts, toolArguments: 'whole', lateNotes: () => [] })
    for (const event of all) writes.push(writer.push([event]))
    writes.push(writer.parting?.() ?? '')
  } else {
    const collector = new TurnCollector()
    collector.push(all)
    const answer = collector.error ? door.errorBody(collector.error) : request.answer(collector.turn, facts)
    writes.push(typeof answer === 'string' ? answer : JSON.stringify(answer))
  }
  return taped(
    turn,
    { path, body: JSON.stringify(given), writes: writes.filter(Boolean) },
    { isRunning, startedAt, took },
  )
}

export function taped(
  turn: string,
  { path, body, writes }: { path: string; body: string; writes: readonly string[] },
  { isRunning = false, startedAt = 1_000, took = 100 } = {},
): TapedTurn {
  const bodies: FrameBody[] = [
    { side: 'client', do: 'request', method: 'POST', path, headers: {}, body },
    { side: 'client', do: 'response', status: 200, headers: {} },
    ...writes.map((text): FrameBody => ({ side: 'client', do: 'write', text })),
    ...(isRunning ? [] : [{ side: 'client', do: 'end' } as const]),
  ]
  const frames = bodies.map(
    (frame, at): Frame => ({ at: at === bodies.length - 1 ? took : 0, turn, ...frame }),
  )
  return { turn, startedAt, isOver: !isRunning, frames }
}

export const transcriptOf = (
  chosen: TapedTurn,
  turns: readonly TapedTurn[] = [chosen],
  scrubber = new Scrubber(),
) => new Transcripts(scrubber).of(chosen, turns, (id) => turns.find(({ turn }) => turn === id))

/** Each entry as one line, to be read and compared. */
export const linesOf = (entries: readonly TranscriptEntry[]): string[] =>
  entries.map((entry) => {
    const marks = [entry.isChosen && '*', entry.isOutside && '-', entry.isRewritten && '!', entry.state]
    const alone = entry.results.map(({ callId, parts }) => `result of ${callId}: ${parts.map(partText)}`)
    const who = `${marks.filter(Boolean).join('')}${entry.role}${entry.turn ? ` ${entry.turn}` : ''}`
    return `${who}: ${[...entry.parts.map(partText), ...alone].join(' | ')}`
  })

function partText({ kind, text, name, result, isOpen }: TranscriptPart): string {
  const named = name === undefined ? kind : `${kind} ${name}`
  const came = result
    ? ` → ${result.isError ? 'error ' : ''}${result.parts.map(partText)}${result.milliseconds === undefined ? '' : ` in ${result.milliseconds}`}`
    : ''
  return `${kind === 'text' ? '' : `${named} `}${text}${isOpen ? '…' : ''}${came}`
}

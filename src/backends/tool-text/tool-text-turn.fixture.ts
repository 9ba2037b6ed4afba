// A service with scripted answers, and a turn over it.

import { BlockWriter } from '../../core/blocks.ts'
import { GatewayError } from '../../core/errors.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import { Notes } from '../../core/notes.ts'
import type { TurnRequest } from '../../core/request.ts'
import { Turn } from '../../core/turn.ts'
import type { ToolTextFormat, ToolTextSettings } from '../../protocols/tool-text/markup.ts'
import { toolTextTurn } from './tool-text-turn.ts'

const settings: ToolTextSettings = {
  format: 'json',
  formats: {},
  tag: 'tool_call',
  secondTry: true,
  systemRole: true,
}
export const schema = { type: 'object', properties: { path: {} } }
export const block = (inside: string) => `<tool_call>\n${inside}\n</tool_call>`
export const good = (path = 'a') => block(`{"name": "read", "arguments": {"path": "${path}"}}`)
export const broken = block('{"tool": 7}')
export const dead = new GatewayError('upstream-unavailable', 'gone')
export const count = (tokens: number): Usage => ({ inputTokens: tokens, outputTokens: tokens })

export type Batches = readonly (TurnEvent[] | Error)[]

/** An answer in one batch, as from a service that does not stream. */
export function saying(
  text: string,
  more: { usage?: Usage; reason?: FinishReason; refusal?: true } = {},
): Batches {
  const { usage, reason = 'stop', refusal } = more
  const blocks = new BlockWriter()
  blocks.push({ type: 'turn-start', id: 'up', model: 'm' })
  blocks.text(text, refusal ? { refusal } : {})
  blocks.close()
  blocks.push({ type: 'turn-end', reason, ...(usage ? { usage } : {}) })
  return [blocks.take()]
}

interface Setting {
  request?: Partial<TurnRequest>
  secondTry?: boolean
  format?: ToolTextFormat
  signal?: AbortSignal
}

export async function play(
  answers: readonly Batches[],
  { request, secondTry = true, format = 'json', signal }: Setting = {},
) {
  const notes = new Notes()
  const asked: TurnRequest[] = []
  let closed = 0
  async function* ask(sent: TurnRequest, attempt: number): AsyncGenerator<TurnEvent[]> {
    asked.push(sent)
    try {
      for (const batch of answers[attempt] ?? []) {
        if (batch instanceof Error) throw batch
        yield batch
      }
    } finally {
      closed++
    }
  }
  const turn = new Turn(
    toolTextTurn({
      request: {
        model: 'm',
        messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
        tools: [
          { name: 'read', schema },
          { name: 'write', schema },
        ],
        stream: true,
        origin: { dialect: 'openai-chat', body: {}, faithful: true },
        ...request,
      },
      context: {
        turnId: 'turn_1',
        caller: { key: 'c' },
        signal: signal ?? new AbortController().signal,
        notes,
        wholeArguments: true,
      },
      settings: { ...settings, secondTry, format },
      ask,
    }),
  )
  const events: TurnEvent[] = []
  for (let batch = await turn.next(); batch; batch = await turn.next()) events.push(...batch)
  const text = events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
  const calls = events.flatMap((event) => (event.type === 'tool-call-end' ? [event.input] : []))
  return { events, text, calls, end: events.at(-1), notes: notes.all, asked, closed: () => closed }
}

// Answers in Anthropic's format, well-formed or not.

import type { Shape } from '../../clients/json.ts'
import { eventStream, jsonAnswer, type Piece, type Played } from './played.ts'

const head = { id: 'msg_conform', type: 'message', role: 'assistant', model: 'conform-upstream' }
const inputUsage = { input_tokens: 31, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 }

export const event = (value: { type: string } & Shape): string =>
  `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`

export const messageStart = (usage: Shape = inputUsage): string =>
  event({
    type: 'message_start',
    message: {
      ...head,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      usage: { ...usage, output_tokens: 1 },
    },
  })

export const blockStart = (index: number, content_block: Shape): string =>
  event({ type: 'content_block_start', index, content_block })

export const blockDelta = (index: number, delta: Shape): string =>
  event({ type: 'content_block_delta', index, delta })

export const blockStop = (index: number): string => event({ type: 'content_block_stop', index })

export const toolStart = (index: number, id: string, name: string, input: Shape = {}): string =>
  blockStart(index, { type: 'tool_use', id, name, input })

export const partialJson = (index: number, partial_json: string): string =>
  blockDelta(index, { type: 'input_json_delta', partial_json })

export const messageDelta = (stop_reason: string): string =>
  event({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 17 },
  })

const messageStop: string = event({ type: 'message_stop' })

export const events = (pieces: readonly Piece[], stop: string): Played =>
  eventStream([messageStart(), ...pieces, messageDelta(stop), messageStop])

export const message = (content: readonly Shape[], stop: string, usage: Shape = inputUsage): Played =>
  jsonAnswer(200, {
    ...head,
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 17 },
  })

export const anthropicError = (status: number, type: string, text: string) =>
  jsonAnswer(status, { type: 'error', error: { type, message: text } })

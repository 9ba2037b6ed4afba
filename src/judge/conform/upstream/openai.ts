// Answers in OpenAI's format, well-formed or not.

import { at, type Shape } from '../../clients/json.ts'
import { eventStream, jsonAnswer, type Piece, type Played } from './played.ts'

const head = { id: 'chatcmpl-conform', created: 1_700_000_000, model: 'conform-upstream' }

export const data = (value: unknown): string => `data: ${JSON.stringify(value)}\n\n`

export const chunk = (delta: Shape, finish: string | null = null, more: Shape = {}): string =>
  data({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  })

export const callDelta = (call: Shape): string => chunk({ tool_calls: [call] })

/** The first delta of a call, as OpenAI sends it. */
export const callStart = (index: number | undefined, id: string, name: string, text = ''): string =>
  callDelta({
    ...(index === undefined ? {} : { index }),
    id,
    type: 'function',
    function: { name, arguments: text },
  })

export const callMore = (index: number, text: string): string =>
  callDelta({ index, function: { arguments: text } })

export const role: string = chunk({ role: 'assistant', content: '' })
export const done = 'data: [DONE]\n\n'
export const counted = { prompt_tokens: 31, completion_tokens: 17, total_tokens: 48 }
export const usageChunk: string = data({
  ...head,
  object: 'chat.completion.chunk',
  choices: [],
  usage: counted,
})

export const chunks = (pieces: readonly Piece[], finish: string, usage = false): Played =>
  eventStream([role, ...pieces, chunk({}, finish), ...(usage ? [usageChunk] : []), done])

export const wantsUsage = (body: Shape): boolean => at(body, 'stream_options', 'include_usage') === true

export const completion = (message: Shape, finish: string | null, more: Shape = {}): Played =>
  jsonAnswer(200, {
    ...head,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason: finish }],
    usage: counted,
    ...more,
  })

export const call = (id: string, name: string, text: string): Shape => ({
  id,
  type: 'function',
  function: { name, arguments: text },
})

export const openaiError = (status: number, type: string, message: string, code: string | null = null) =>
  jsonAnswer(status, { error: { message, type, param: null, code } })

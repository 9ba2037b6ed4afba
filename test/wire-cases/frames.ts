// Raw upstream frames for the cases that no well-behaved server would send.

import type { Step } from '../../sim/script.ts'

export const anthropicFrame = (frame: { type: string } & Record<string, unknown>): Step => ({
  frame,
  event: frame.type,
})

export const messageStart: Step = anthropicFrame({
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-demo',
    content: [],
    stop_reason: null,
    usage: { input_tokens: 10, output_tokens: 1 },
  },
})

export const blockStart = (index: number, content_block: Record<string, unknown>): Step =>
  anthropicFrame({ type: 'content_block_start', index, content_block })

export const blockDelta = (index: number, delta: Record<string, unknown>): Step =>
  anthropicFrame({ type: 'content_block_delta', index, delta })

export const json = (index: number, partial_json: string): Step =>
  blockDelta(index, { type: 'input_json_delta', partial_json })

export const blockStop = (index: number): Step => anthropicFrame({ type: 'content_block_stop', index })

export const messageEnd = (stop_reason: string): Step[] => [
  anthropicFrame({
    type: 'message_delta',
    delta: { stop_reason, stop_sequence: null },
    usage: { output_tokens: 7 },
  }),
  anthropicFrame({ type: 'message_stop' }),
]

export const toolUse = (index: number, id: string, name: string): Step =>
  blockStart(index, { type: 'tool_use', id, name, input: {} })

/** A whole answer in Anthropic's shape, for requests that do not stream. */
export const anthropicAnswer = (content: unknown[], stop_reason: string): Step => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-demo',
    content,
    stop_reason,
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 7 },
  },
})

export const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null): Step => ({
  frame: {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'gpt-demo',
    choices: [{ index: 0, delta, finish_reason }],
  },
})

export const callDelta = (delta: Record<string, unknown>): Step => chunk({ tool_calls: [delta] })

export const done: Step = { raw: 'data: [DONE]\n\n' }

/** A whole answer in OpenAI's shape. */
export const chatAnswer = (
  message: Record<string, unknown>,
  finish_reason: string | null,
  more: Record<string, unknown> = {},
): Step => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'gpt-demo',
    choices: [{ index: 0, message: { role: 'assistant', content: null, ...message }, finish_reason }],
    usage: { prompt_tokens: 10, completion_tokens: 7, total_tokens: 17 },
    ...more,
  },
})

/** A chunk of a Gemini stream. */
export const geminiChunk = (parts: readonly Record<string, unknown>[], finishReason?: string): Step => ({
  frame: geminiBody(parts, finishReason),
})

/** A whole answer in Gemini's shape. */
export const geminiAnswer = (parts: readonly Record<string, unknown>[], finishReason: string): Step => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: geminiBody(parts, finishReason),
})

const geminiBody = (parts: readonly Record<string, unknown>[], finishReason?: string) => ({
  candidates: [
    { content: { role: 'model', parts }, ...(finishReason === undefined ? {} : { finishReason }), index: 0 },
  ],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 7, totalTokenCount: 17 },
  modelVersion: 'gemini-3.8-flash',
  responseId: 'resp-1',
})

// What the model services of the bench say over HTTP/1.1, as text: OpenAI's Chat, Anthropic's Messages, Google's generateContent,
// Chat of a model that writes its calls as text, and Qwen's web chat, which does so, too.
import { argumentsOf, toolName } from './workloads.mjs'

const event = (data, name) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`

const about = (model) => ({
  id: 'chatcmpl-bench',
  object: 'chat.completion.chunk',
  created: 1_700_000_000,
  model,
})
const chatChunk = (model, delta, finish_reason = null) =>
  event({
    ...about(model),
    system_fingerprint: 'fp_bench',
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
  })
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }

const chat = {
  head: (model) => chatChunk(model, { role: 'assistant', content: '' }),
  text: (model, text) => chatChunk(model, { content: text }),
  callHead: (model) =>
    chatChunk(model, {
      tool_calls: [
        { index: 0, id: 'call_bench', type: 'function', function: { name: toolName, arguments: '' } },
      ],
    }),
  callPiece: (model, text) => chatChunk(model, { tool_calls: [{ index: 0, function: { arguments: text } }] }),
  end: (model, { isCall }) =>
    `${chatChunk(model, {}, isCall ? 'tool_calls' : 'stop')}${event({ ...about(model), choices: [], usage })}data: [DONE]\n\n`,
  whole: (model, text) => ({
    ...about(model),
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: text, refusal: null },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
  }),
}

const message = (model) => ({
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model,
  content: [],
  stop_reason: null,
  stop_sequence: null,
  usage: { input_tokens: 10, output_tokens: 1 },
})
const blockDelta = (index, delta) =>
  event({ type: 'content_block_delta', index, delta }, 'content_block_delta')
const blockStart = (index, content_block) =>
  event({ type: 'content_block_start', index, content_block }, 'content_block_start')
const blockStop = (index) => event({ type: 'content_block_stop', index }, 'content_block_stop')
const toolUse = { type: 'tool_use', id: 'toolu_bench', name: toolName, input: {} }

const messages = {
  head: (model, { hasText }) =>
    event({ type: 'message_start', message: message(model) }, 'message_start') +
    (hasText ? blockStart(0, { type: 'text', text: '' }) : ''),
  text: (_model, text) => blockDelta(0, { type: 'text_delta', text }),
  callHead: (_model, hasText) => (hasText ? blockStop(0) + blockStart(1, toolUse) : blockStart(0, toolUse)),
  callPiece: (_model, text, hasText) =>
    blockDelta(hasText ? 1 : 0, { type: 'input_json_delta', partial_json: text }),
  end: (_model, { isCall, hasText }) =>
    blockStop(isCall && hasText ? 1 : 0) +
    event(
      {
        type: 'message_delta',
        delta: { stop_reason: isCall ? 'tool_use' : 'end_turn', stop_sequence: null },
        usage: { output_tokens: 20 },
      },
      'message_delta',
    ) +
    event({ type: 'message_stop' }, 'message_stop'),
  whole: (model, text) => ({ ...message(model), content: [{ type: 'text', text }], stop_reason: 'end_turn' }),
}

/** A dialect without tools: a call is text like any other. */
const withCallsAsText = (dialect, tag) => ({
  ...dialect,
  callHead: (model, hasText) =>
    dialect.text(model, `${hasText ? '\n' : ''}<${tag}>\n{"name": "${toolName}", "arguments": `),
  callPiece: dialect.text,
  end: (model, { isCall }) =>
    (isCall ? dialect.text(model, `}\n</${tag}>`) : '') + dialect.end(model, { isCall: false }),
})

const qwenDelta = (delta) => ({ choices: [{ delta: { role: 'assistant', ...delta, phase: 'answer' } }] })
const qwenUsage = { input_tokens: 10, output_tokens: 20, total_tokens: 30, cached_tokens: 0 }

const qwen = {
  head: () =>
    event({ 'response.created': { chat_id: 'chat-bench', parent_id: 'fid', response_id: 'response-bench' } }),
  text: (_model, content) =>
    event({
      ...qwenDelta({ content, status: 'typing' }),
      usage: qwenUsage,
      response_id: 'response-bench',
    }),
  end: () => event(qwenDelta({ content: '', status: 'finished' })),
}

const geminiChunk = (model, parts, finishReason) => ({
  candidates: [{ content: { role: 'model', parts }, ...(finishReason ? { finishReason } : {}), index: 0 }],
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 20, totalTokenCount: 30 },
  modelVersion: model,
  responseId: 'response-bench',
})

const gemini = {
  head: () => '',
  text: (model, text) => event(geminiChunk(model, [{ text }])),
  /** Arguments come whole, in one chunk. */
  wholeCall: (model, plan, stamp) =>
    event(
      geminiChunk(
        model,
        [{ functionCall: { id: 'call_bench', name: toolName, args: argumentsOf(plan, stamp) } }],
        'STOP',
      ),
    ),
  end: (model) => event(geminiChunk(model, [{ text: '' }], 'STOP')),
  whole: (model, text) => geminiChunk(model, [{ text }], 'STOP'),
}

/**
 * How a row of the table is named upstream. Of the Messages dialect, a Claude model: with other names the gateway assumes a server that
 * is not Anthropic's, and reads more of its answers.
 */
export const wireModel = (backend, model) => (backend === 'anthropic' ? `${claudeModel}-${model}` : model)
export const workloadOf = (name) => name.replace(`${claudeModel}-`, '')
const claudeModel = 'claude-sonnet-4-5'

/** Its paths name the model. */
export const geminiModel = (path) => /^\/v1beta\/models\/([^/:]+):/.exec(path)?.[1]

export const dialectOf = (path) => (geminiModel(path) === undefined ? dialects[path] : gemini)

/** By path; each backend of a configuration has its own. */
export const dialects = {
  '/v1/chat/completions': chat,
  '/v1/messages': messages,
  '/text/v1/chat/completions': withCallsAsText(chat, 'tool_call'),
  // Its default tag: the service takes "tool_call" for its own.
  '/api/v2/chat/completions': withCallsAsText(qwen, 'use_tool'),
}

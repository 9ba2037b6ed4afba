// Answers as the services write them, built once and sent many times, so the upstream costs little while it is measured.
// `answer` has `text` (size, kind, piece) or `calls` (count, size, kind, piece).
import { cut, inputOf, textOf } from './content.mjs'

const sse = (data, event) => `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`
const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 }

const callsOf = ({ calls }) =>
  Array.from({ length: calls?.count ?? 0 }, (_, at) => ({
    id: `call_${at}`,
    input: JSON.stringify(inputOf(calls, at)),
  }))
const piecesOf = (text, { piece }) => cut(text, piece)

const chunk = (delta, finish_reason = null) =>
  sse({
    id: 'c',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason }],
  })

const openai = {
  *stream(answer) {
    const { text, calls } = answer
    yield chunk({ role: 'assistant', content: '' })
    if (text) for (const content of piecesOf(textOf(text.size, text.kind), text)) yield chunk({ content })
    for (const [index, { id, input }] of callsOf(answer).entries()) {
      const head = { index, id, type: 'function', function: { name: 'write', arguments: '' } }
      yield chunk({ tool_calls: [head] })
      for (const piece of piecesOf(input, calls))
        yield chunk({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
    yield chunk({}, calls ? 'tool_calls' : 'stop')
    yield sse({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })
    yield 'data: [DONE]\n\n'
  },
  whole(answer) {
    const { text, calls } = answer
    const tool_calls = callsOf(answer).map(({ id, input }) => ({
      id,
      type: 'function',
      function: { name: 'write', arguments: input },
    }))
    const message = {
      role: 'assistant',
      content: text ? textOf(text.size, text.kind) : null,
      ...(calls ? { tool_calls } : {}),
    }
    const choices = [{ index: 0, message, finish_reason: calls ? 'tool_calls' : 'stop' }]
    return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }
  },
}

const anthropicHead = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  stop_reason: null,
  stop_sequence: null,
}
const anthropicUsage = { input_tokens: 10, output_tokens: 10 }

const anthropic = {
  *stream(answer) {
    const { text, calls } = answer
    const named = (data) => sse(data, data.type)
    yield named({ type: 'message_start', message: { ...anthropicHead, content: [], usage: anthropicUsage } })
    const blocks = [
      ...(text ? [{ start: { type: 'text', text: '' }, pieces: textPieces(text) }] : []),
      ...callsOf(answer).map(({ id, input }) => ({
        start: { type: 'tool_use', id: `toolu_${id}`, name: 'write', input: {} },
        pieces: piecesOf(input, calls).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      })),
    ]
    for (const [index, { start, pieces }] of blocks.entries()) {
      yield named({ type: 'content_block_start', index, content_block: start })
      for (const delta of pieces) yield named({ type: 'content_block_delta', index, delta })
      yield named({ type: 'content_block_stop', index })
    }
    const delta = { stop_reason: calls ? 'tool_use' : 'end_turn', stop_sequence: null }
    yield named({ type: 'message_delta', delta, usage: anthropicUsage })
    yield named({ type: 'message_stop' })
  },
  whole(answer) {
    const { text, calls } = answer
    const content = [
      ...(text ? [{ type: 'text', text: textOf(text.size, text.kind) }] : []),
      ...callsOf(answer).map(({ id, input }) => ({
        type: 'tool_use',
        id: `toolu_${id}`,
        name: 'write',
        input: JSON.parse(input),
      })),
    ]
    return { ...anthropicHead, content, stop_reason: calls ? 'tool_use' : 'end_turn', usage: anthropicUsage }
  },
}

const textPieces = (text) =>
  piecesOf(textOf(text.size, text.kind), text).map((piece) => ({ type: 'text_delta', text: piece }))

/** Calls as text, in the tag that the prompt requests. */
function written(answer, tag) {
  if (answer.text) return textOf(answer.text.size, answer.text.kind)
  return callsOf(answer)
    .map(({ input }) => `<${tag}>\n{"name": "write", "arguments": ${input}}\n</${tag}>`)
    .join('\n')
}
const asText = (answer, tag) => ({ pieces: piecesOf(written(answer, tag), answer.text ?? answer.calls) })

const text = {
  *stream(answer) {
    yield chunk({ role: 'assistant', content: '' })
    for (const content of asText(answer, 'tool_call').pieces) yield chunk({ content })
    yield chunk({}, 'stop')
    yield sse({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage })
    yield 'data: [DONE]\n\n'
  },
  whole(answer) {
    const message = { role: 'assistant', content: written(answer, 'tool_call') }
    const choices = [{ index: 0, message, finish_reason: 'stop' }]
    return { id: 'c', object: 'chat.completion', created: 1, model: 'm', choices, usage }
  },
}

const qwenWeb = {
  *stream(answer) {
    yield sse({ 'response.created': { chat_id: 'chat', parent_id: 'p', response_id: 'r' } })
    const delta = (content, status) =>
      sse({ choices: [{ delta: { role: 'assistant', content, phase: 'answer', status } }] })
    for (const content of asText(answer, 'use_tool').pieces) yield delta(content, 'typing')
    yield delta('', 'finished')
  },
}

export const dialects = { openai, anthropic, text, 'qwen-web': qwenWeb }

/** The same as steps for the Cursor simulator, which sends calls whole. */
export function cursorSteps({ text, calls, thenSay }) {
  if (text) {
    const whole = textOf(text.size, text.kind)
    return [{ say: whole, pieces: Math.ceil(whole.length / text.piece) }, { end: true }]
  }
  const execs = Array.from({ length: calls.count }, (_, at) => ({
    mcp: { name: 'write', args: inputOf(calls, at) },
  }))
  return [{ execs, together: true }, { await: 'results' }, ...(thenSay ? [{ say: thenSay }] : [])]
}

// Ollama's dialect by hand.

import type { Body } from '../harness.ts'
import { readOllamaStream } from '../ollama-stream.ts'
import { type Dialect, type Json, type ShownError, schema, tool } from './dialect.ts'

export const ollama: Dialect = {
  path: () => '/api/chat',
  body: ({ model, turns, stream }) => {
    const made = turns.flatMap((turn) => ('calls' in turn ? turn.calls : []))
    return {
      model,
      stream,
      tools: [{ type: 'function', function: { ...tool, parameters: schema } }],
      messages: turns.flatMap((turn): Body[] => {
        if ('user' in turn) return [{ role: 'user', content: turn.user }]
        if ('results' in turn)
          return turn.results.map(({ id, content }) => {
            const tool_name = made.findLast((call) => call.id === id)?.name ?? tool.name
            return { role: 'tool', tool_call_id: id, tool_name, content }
          })
        const calls = turn.calls.map(({ id, name, input }) => ({
          id,
          function: { name, arguments: JSON.parse(input) },
        }))
        return [{ role: 'assistant', content: turn.text, tool_calls: calls }]
      }),
    }
  },
  whole: ({ message, done_reason }) => ({
    text: message.content,
    calls: (message.tool_calls ?? []).map((call: Json) => ({
      id: call.id,
      name: call.function.name,
      input: JSON.stringify(call.function.arguments),
    })),
    complete: done_reason === 'stop',
  }),
  async stream(response) {
    const { text, calls, doneReason, error, problems } = await readOllamaStream(response)
    return {
      text,
      calls: calls.map(({ id, name, input }) => ({ id, name, input: JSON.stringify(input) })),
      complete: doneReason === 'stop',
      error: error === undefined ? undefined : ollamaError(error),
      problems,
    }
  },
}

/** A text and nothing else. */
export const ollamaError = (message: string): ShownError => ({ type: '', code: null, message })

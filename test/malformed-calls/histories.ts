// The next request of a client: the conversation with what it heard, and the results of the calls.

import type { DoorName, Heard } from './doors.ts'

// biome-ignore lint/suspicious/noExplicitAny: requests of any shape
type Json = any

export const historyOf: Record<DoorName, (heard: Heard) => Json> = {
  chat: ({ text, calls }) => ({
    messages: [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: text,
        tool_calls: calls.map(({ id, name, arguments: input }) => ({
          id,
          type: 'function',
          function: { name, arguments: input },
        })),
      },
      ...calls.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'the result' })),
    ],
  }),
  responses: ({ raw, calls }) => ({
    previous_response_id: /"id":"(resp_\w+)"/.exec(raw)?.[1],
    input: calls.map(({ id }) => ({ type: 'function_call_output', call_id: id, output: 'the result' })),
  }),
  messages: ({ text, calls }) => ({
    messages: [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: [
          { type: 'text', text },
          ...calls.map(({ id, name, arguments: input }) => ({
            type: 'tool_use',
            id,
            name,
            input: JSON.parse(input),
          })),
        ],
      },
      {
        role: 'user',
        content: calls.map(({ id }) => ({ type: 'tool_result', tool_use_id: id, content: 'the result' })),
      },
    ],
  }),
  gemini: ({ text, calls, raw }) => ({
    contents: [
      { role: 'user', parts: [{ text: 'go' }] },
      {
        role: 'model',
        parts: [
          { text },
          ...calls.map(({ id, name, arguments: input }) => {
            const [, thoughtSignature] = /"thoughtSignature":"([^"]+)"/.exec(raw) ?? []
            return {
              functionCall: { id, name, args: JSON.parse(input) },
              ...(thoughtSignature ? { thoughtSignature } : {}),
            }
          }),
        ],
      },
      {
        role: 'user',
        parts: calls.map(({ id, name }) => ({
          functionResponse: { id, name, response: { output: 'the result' } },
        })),
      },
    ],
  }),
  ollama: ({ text, calls }) => ({
    messages: [
      { role: 'user', content: 'go' },
      {
        role: 'assistant',
        content: text,
        tool_calls: calls.map(({ id, name, arguments: input }) => ({
          id,
          function: { name, arguments: JSON.parse(input) },
        })),
      },
      ...calls.map(({ id, name }) => ({
        ...{ role: 'tool', tool_call_id: id, tool_name: name, content: 'the result' },
      })),
    ],
  }),
}

/** Without it, no thinking goes back. */
export const thinking: Record<DoorName, Json> = {
  chat: { reasoning_effort: 'high' },
  responses: { reasoning: { effort: 'high' } },
  messages: {},
  gemini: { generationConfig: { thinkingConfig: { thinkingLevel: 'high' } } },
  ollama: { think: 'high' },
}

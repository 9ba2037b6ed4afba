import { expect, it } from 'vitest'
import { Notes } from '../../core/notes.ts'
import { fromMessagesRequest } from '../anthropic-messages/request-in.ts'
import { fromChatRequest } from '../openai-chat/request-in.ts'
import { fromResponsesRequest } from '../openai-responses/request-in.ts'

const user = [{ role: 'user', content: 'hi' }]

it.each([
  [
    'Responses',
    'messages',
    fromResponsesRequest,
    /^input: is required; .*"messages".*\/v1\/chat\/completions/,
  ],
  ['Messages', 'input', fromMessagesRequest, /^messages: is required; .*"input".*\/v1\/responses/],
  ['Messages', 'contents', fromMessagesRequest, /^messages: is required; .*"contents".*:generateContent/],
  ['Chat Completions', 'contents', fromChatRequest, /^messages: is required; .*"contents".*:generateContent/],
] as const)('%s refuses a body with "%s", and names its route', (_api, field, from, says) => {
  const body = { model: 'm', max_tokens: 5, [field]: user }
  const read = from as (body: unknown, notes: Notes, more: object) => unknown
  expect(() => read(body, new Notes(), {})).toThrow(says)
})

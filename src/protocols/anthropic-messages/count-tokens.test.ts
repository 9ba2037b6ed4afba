import { expect, it } from 'vitest'
import { Notes } from '../../core/notes.ts'
import { fromChatRequest } from '../openai-chat/request-in.ts'
import { estimateTokens, toCountRequest } from './count-tokens.ts'
import { fromMessagesRequest } from './request-in.ts'

it('a count request has the fields of the prompt and none of the answer', () => {
  const body = {
    model: 'm',
    max_tokens: 9,
    messages: [],
    system: 's',
    tools: [],
    stream: true,
    temperature: 1,
    metadata: {},
  }
  expect(Object.keys(toCountRequest(body))).toEqual(['model', 'messages', 'system', 'tools'])
})

it('the bytes of an image do not count as text', () => {
  const picture = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'A'.repeat(400_000) },
  }
  const content = [picture, { type: 'text', text: 'x'.repeat(4_000) }]
  const body = { model: 'm', max_tokens: 9, messages: [{ role: 'user', content }] }
  const count = estimateTokens(fromMessagesRequest(body, new Notes()).turn)
  expect(count).toBeGreaterThan(2_500)
  expect(count).toBeLessThan(3_000)
})

it('messages that the gateway keeps in the client\u2019s words are counted once', () => {
  const messages = Array.from({ length: 50 }, () => ({ role: 'user', content: 'four words of text' }))
  const { turn } = fromChatRequest({ model: 'm', messages }, new Notes())
  expect(turn.messages[0]).toHaveProperty('source')
  expect(estimateTokens(turn)).toBeLessThan(2_000)
})

import { expect, it } from 'vitest'
import type { Message } from './request.ts'
import { openToolLoop } from './tool-loop.ts'

const user: Message = { role: 'user', content: [{ type: 'text', text: 'go' }] }
const said: Message = { role: 'assistant', content: [{ type: 'text', text: 'done' }] }
const call = (callId: string): Message => ({
  role: 'assistant',
  content: [{ type: 'tool-call', callId, name: 'read', input: '{}' }],
})
const result = (callId: string): Message => ({ role: 'tool', results: [{ callId, content: [] }] })

it.each([
  ['nothing', []],
  ['a question', [user]],
  ['an answer before the question', [user, call('a'), result('a'), said, user]],
])('no loop: %s', (_name, messages) => {
  expect(openToolLoop(messages)).toBeUndefined()
})

it.each([
  ['one call', [user, call('a'), result('a')], 'a', 1],
  ['a second call', [user, call('a'), result('a'), call('b'), result('b')], 'b', 1],
  ['a reminder behind the results', [user, call('a'), result('a'), user], 'a', 1],
  ['a reminder between', [user, call('a'), result('a'), user, call('b'), result('b')], 'b', 1],
  ['an earlier loop', [user, call('a'), result('a'), said, user, call('b'), result('b')], 'b', 5],
] as const)('%s', (_name, messages, callId, before) => {
  const loop = openToolLoop(messages)
  expect(loop?.calls).toMatchObject([{ callId }])
  expect(loop?.before).toEqual(messages.slice(0, before))
})

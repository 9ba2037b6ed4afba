import { expect, it } from 'vitest'
import type { Message, UserPart } from '../../core/request.ts'
import { fingerprintOf } from './follow-up.ts'

const image = (data: string): UserPart => ({ type: 'image', source: { mediaType: 'image/png', data } })
const said = (...content: UserPart[]): Message[] => [{ role: 'user', content }]

it('a conversation is told from another by all that was said, images included', () => {
  expect(fingerprintOf(said(image('AAAA')))).not.toBe(fingerprintOf(said(image('BBBB'))))
  expect(fingerprintOf(said({ type: 'text', text: 'a' }))).not.toBe(
    fingerprintOf(said({ type: 'text', text: 'b' })),
  )
})

it('how it is sent makes no difference', () => {
  const text = { type: 'text' as const, text: 'a' }
  const result = { callId: 'x', content: [text] }
  const plain: Message[] = [
    { role: 'user', content: [text] },
    { role: 'tool', results: [result] },
  ]
  const calling = (input: string): Message => ({
    role: 'assistant',
    content: [{ type: 'tool-call', callId: 'x', name: 'add', input }],
  })
  expect(fingerprintOf([calling('{ "a": 1.0 }')])).toBe(fingerprintOf([calling('{"a":1}')]))
  expect(fingerprintOf([calling('{"a":2}')])).not.toBe(fingerprintOf([calling('{"a":1}')]))
  const decorated: Message[] = [
    { role: 'system', content: [text] },
    { role: 'user', content: [{ ...text, cache: { ttl: '5m' } }], source: { role: 'user' } },
    { role: 'tool', results: [{ ...result, cache: {}, source: { role: 'tool' } }] },
  ]
  expect(fingerprintOf(decorated)).toBe(fingerprintOf(plain))
})

import { expect, it } from 'vitest'
import type { Message, UserPart } from '../../core/request.ts'
import { callIdOf } from '../../core/session-id.ts'
import { fingerprintOf, readFollowUp } from './follow-up.ts'

const image = (data: string): UserPart => ({ type: 'image', source: { mediaType: 'image/png', data } })
const said = (...content: UserPart[]): Message[] => [{ role: 'user', content }]

it('the fingerprint covers all messages, images included', () => {
  expect(fingerprintOf(said(image('AAAA')))).not.toBe(fingerprintOf(said(image('BBBB'))))
  expect(fingerprintOf(said({ type: 'text', text: 'a' }))).not.toBe(
    fingerprintOf(said({ type: 'text', text: 'b' })),
  )
})

it('the fingerprint does not depend on how a message is written', () => {
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

it('words beside the results show who said them', () => {
  const callId = callIdOf('abcdefghijkl', 0)
  const messages: Message[] = [
    ...said({ type: 'text', text: 'go' }),
    { role: 'assistant', content: [{ type: 'tool-call', callId, name: 'add', input: '{}' }] },
    { role: 'tool', results: [{ callId, content: [] }] },
    { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
    ...said({ type: 'text', text: 'and?' }),
  ]
  expect(readFollowUp(messages)?.words).toBe('<system>\nbe brief\n</system>\n\nand?')
})

it('reminders do not change the fingerprint: beside words, beside results and inside results', () => {
  const text = (words: string) => ({ type: 'text' as const, text: words })
  const reminder = text('<system-reminder>\nNo tasks.\n</system-reminder>')
  const told = (...content: UserPart[]): Message => ({ role: 'user', content })
  const answered = (...content: (typeof reminder)[]): Message => ({
    role: 'tool',
    results: [{ callId: 'x', content }],
  })
  const plain = fingerprintOf([told(text('go')), answered(text('A'))])
  expect(fingerprintOf([told(reminder, text('go')), answered(text('A')), told(reminder)])).toBe(plain)
  expect(fingerprintOf([told(text('go')), answered(text('A'), reminder)])).toBe(plain)
  expect(fingerprintOf([told(text('go')), answered(text(`A\n\n${reminder.text}`))])).toBe(plain)
  expect(fingerprintOf([told(text('go')), answered(text('A')), told(reminder, text('on'))])).not.toBe(plain)
})

it('only complete reminders are ignored; text that looks like one counts', () => {
  const text = (value: string) => fingerprintOf(said({ type: 'text', text: value }))
  expect(text('<system-reminder>x</system-reminder>go <system-reminder>\ny\n</system-reminder>')).toBe(
    text('go'),
  )
  expect(text('go <system-reminder> on')).not.toBe(text('go'))
  expect(text('a</system-reminder> <system-reminder>b')).not.toBe(text('a'))
})

it("Goose's block with the time does not change the fingerprint, wherever it is among the user's words", () => {
  const text = (words: string) => ({ type: 'text' as const, text: words })
  const block = (tag: string, minute: number) => `<${tag}>\nIt is 12:${minute}.\n</${tag}>`
  const calling = (callId: string): Message => ({
    role: 'assistant',
    content: [{ type: 'tool-call', callId, name: 'shell', input: '{}' }],
  })
  const answered = (callId: string, result = 'A'): Message => ({
    role: 'tool',
    results: [{ callId, content: [text(result)] }],
  })
  const begun = fingerprintOf([...said(text('go')), calling('x'), answered('x')])
  const asked = [...said(text(`go\n${block('turn-context', 1)}`)), calling('x'), answered('x')]
  expect(fingerprintOf(asked)).toBe(begun)
  expect(fingerprintOf([...said(text(`go\n${block('turn-context', 2)}`)), ...asked.slice(1)])).toBe(begun)
  expect(fingerprintOf([...asked, ...said(text(block('info-msg', 3)))])).toBe(begun)
  // What else changed counts.
  expect(fingerprintOf([...said(text(`stop\n${block('turn-context', 1)}`)), ...asked.slice(1)])).not.toBe(
    begun,
  )
  expect(fingerprintOf([...asked.slice(0, 2), answered('x', `A${block('info-msg', 1)}`)])).not.toBe(begun)
  expect(fingerprintOf(said(text('go\n<turn-context>12:01')))).not.toBe(fingerprintOf(said(text('go'))))
})

/** Minutes, if the end of a reminder were looked for from every beginning. */
it('handles a file with very many reminder tags in time', () => {
  for (const tags of ['<system-reminder>', '<info-msg> and </info-msg> and <turn-context>']) {
    const quoted = `as ${tags} in this line of a file, `.repeat(150_000)
    expect(fingerprintOf(said({ type: 'text', text: quoted }))).toHaveLength(44)
  }
})

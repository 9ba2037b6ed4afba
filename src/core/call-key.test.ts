import { describe, expect, it } from 'vitest'
import { callKey } from './call-key.ts'

const call = { callId: 'read:0', name: 'read', input: '{"path": "a", "lines": [1, {"b": 1, "a": 2}]}' }
const key = callKey('laptop', 'kimi-k3', call)

describe('callKey', () => {
  it('is the same however the client writes the arguments', () => {
    const input = '{"lines":[1,{"a":2,"b":1}],"path":"\\u0061"}'
    expect(callKey('laptop', 'kimi-k3', { ...call, input })).toBe(key)
  })

  it.each([
    ['a switch that is off', { path: 'a', text: 'b' }, { all: false, path: 'a', text: 'b' }],
    ['blanks at line ends', { text: 'a  \nb\t\n\n' }, { text: 'a\nb\n\n' }],
    ['the way to the folder', { command: 'cd /srv/app && ls' }, { command: 'ls' }],
    ['a quoted way', { command: "cd '/my app' && ls" }, { command: 'ls' }],
    [
      'a mark that was escaped twice',
      { command: 'find -exec a {} \\\\;' },
      { command: 'find -exec a {} \\;' },
    ],
  ])('knows a call again without %s', (_what, made, shown) => {
    const keyOf = (input: unknown) => callKey('laptop', 'kimi-k3', { ...call, input: JSON.stringify(input) })
    expect(keyOf(shown)).toBe(keyOf(made))
    expect(keyOf({ ...shown, all: true })).not.toBe(keyOf(made))
  })

  it('is the same for a single text under any name', () => {
    const keyOf = (input: unknown) => callKey('laptop', 'kimi-k3', { ...call, input: JSON.stringify(input) })
    expect(keyOf({ input: 'a' })).toBe(keyOf({ patch: 'a' }))
    expect(keyOf({ input: 'a', all: false })).toBe(keyOf({ patch: 'a' }))
    expect(keyOf({ input: 'a' })).not.toBe(keyOf({ input: 'b' }))
    expect(keyOf({ input: 'a', all: true })).not.toBe(keyOf({ patch: 'a', all: true }))
  })

  it.each([
    ['caller', () => callKey('desktop', 'kimi-k3', call)],
    ['model', () => callKey('laptop', 'kimi-k2', call)],
    ['id', () => callKey('laptop', 'kimi-k3', { ...call, callId: 'read:1' })],
    ['tool', () => callKey('laptop', 'kimi-k3', { ...call, name: 'write' })],
    ['arguments', () => callKey('laptop', 'kimi-k3', { ...call, input: '{"path":"b"}' })],
    [
      'order in a list',
      () => callKey('laptop', 'kimi-k3', { ...call, input: call.input.replace('1, ', '') }),
    ],
  ])('tells calls apart by %s', (_what, other) => {
    expect(other()).not.toBe(key)
  })

  it('takes any text', () => {
    expect(callKey('', '', { callId: '', name: '', input: '{' })).toMatch(/^[\w-]{43}$/)
  })
})

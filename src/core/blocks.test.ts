import { describe, expect, it, vi } from 'vitest'
import { BlockWriter } from './blocks.ts'

function idsOf(...given: string[]): string[] {
  const blocks = new BlockWriter()
  for (const id of given) {
    blocks.startCall(id, 'read')
    blocks.endCall('{}')
  }
  return blocks.take().flatMap((event) => (event.type === 'tool-call-end' ? [event.callId] : []))
}

describe('BlockWriter', () => {
  it('makes call ids distinct', () => {
    expect(idsOf('a', 'a', 'b', 'a')).toEqual(['a', 'call_1', 'b', 'call_3'])
    expect(idsOf('call_2', 'a', 'a', '', 'call_3')).toEqual(['call_2', 'a', 'call_3', 'call_4', 'call_5'])
  })

  it('finds a free id as quickly for many calls as for few', () => {
    const has = vi.spyOn(Set.prototype, 'has')
    const ids = idsOf(...Array.from({ length: 500 }, () => 'call_0'))
    const looks = has.mock.calls.length
    has.mockRestore()
    expect(new Set(ids).size).toBe(500)
    expect(looks).toBeLessThan(3 * 500)
  })
})

it('covers events with very many messages', () => {
  const blocks = new BlockWriter({ lane: 'x' })
  blocks.push({ type: 'turn-start', id: 'a', model: 'm' })
  blocks.text('hi')
  const message = { form: 'message', lane: 'x', data: '{}', name: undefined, visible: false } as const
  blocks.cover(
    1,
    Array.from({ length: 300_000 }, () => message),
  )
  const events = blocks.take()
  expect(events).toHaveLength(300_003)
  expect(events.at(-3)).toMatchObject({ type: 'opaque', covers: 2 })
})

import { describe, expect, it, vi } from 'vitest'
import { BlockWriter } from './blocks.ts'
import type { CallCheck } from './call-check.ts'

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

describe('a check of calls', () => {
  const upper: CallCheck = {
    check: (call, isShown) => (isShown ? call : { ...call, name: call.name.toUpperCase() }),
  }

  it('decides what the client sees, before the start of the call', () => {
    const blocks = new BlockWriter({ calls: upper })
    blocks.startCall('a', 'read')
    expect(blocks.take()).toEqual([])
    expect(blocks.endCall('{}')).toBe(true)
    expect(blocks.take()).toEqual([
      { type: 'tool-call-start', block: 0, callId: 'a', name: 'READ' },
      { type: 'tool-call-delta', block: 0, delta: '{}' },
      {
        ...{ type: 'tool-call-end', block: 0, callId: 'a', name: 'READ', input: '{}' },
        made: { callId: 'a', name: 'read', input: '{}' },
      },
    ])
  })

  it('cannot change a call that the client has seen a part of', () => {
    const blocks = new BlockWriter({ calls: upper })
    blocks.startCall('a', 'read')
    blocks.callDelta('{')
    expect(blocks.take()).toMatchObject([{ name: 'read' }, { delta: '{' }])
    blocks.callDelta('}')
    expect(blocks.endCall('{}')).toBe(false)
    expect(blocks.take()).toMatchObject([{ delta: '}' }, { name: 'read' }])
  })

  it('lets a call that was cut off begin', () => {
    const blocks = new BlockWriter({ calls: upper })
    blocks.startCall('a', 'read')
    blocks.push({ type: 'turn-end', reason: 'length' })
    expect(blocks.take()).toMatchObject([{ type: 'tool-call-start', name: 'read' }, { type: 'turn-end' }])
  })
})

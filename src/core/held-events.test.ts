import { expect, it } from 'vitest'
import type { TurnEvent } from './events.ts'
import { costOf, HeldEvents } from './held-events.ts'

const long = 'x'.repeat(10_000)
const events: TurnEvent[] = [
  { type: 'text-delta', block: 0, delta: long },
  { type: 'reasoning-delta', block: 0, delta: long },
  { type: 'reasoning-end', block: 0, signature: long },
  { type: 'tool-call-delta', block: 0, delta: long },
  { type: 'tool-call-end', block: 0, callId: 'call_1', name: 'read', input: long },
  { type: 'opaque', form: 'message', lane: 'messages', data: long, covers: 0, visible: false },
]

it.each(events.map((event) => [event.type, event] as const))('a held %s costs its text', (_, event) => {
  expect(costOf(event)).toBeGreaterThan(2 * long.length)
  expect(costOf(event)).toBeLessThan(2 * long.length + 1_000)
  expect(new HeldEvents().push([event])).toBeGreaterThan(2 * long.length)
})

it('deltas of one block are held as one', () => {
  const held = new HeldEvents()
  held.push([
    { type: 'text-start', block: 0 },
    { type: 'text-delta', block: 0, delta: 'a' },
    { type: 'text-delta', block: 0, delta: 'b' },
    { type: 'text-end', block: 0 },
  ])
  expect(held.take().map((event) => ('delta' in event ? event.delta : event.type))).toEqual([
    'text-start',
    'ab',
    'text-end',
  ])
})

import { expect, it } from 'vitest'
import { BlockWriter } from './blocks.ts'
import type { CallCheck } from './call-check.ts'
import { checkedEvents } from './checked-events.ts'
import type { TurnEvent } from './events.ts'

const seen: boolean[] = []
const upper: CallCheck = {
  check(call, isShown) {
    seen.push(isShown)
    return isShown || call.name === call.name.toUpperCase()
      ? call
      : { ...call, name: call.name.toUpperCase() }
  },
}

async function checked(...batches: TurnEvent[][]): Promise<TurnEvent[]> {
  seen.length = 0
  async function* source() {
    yield* batches
  }
  const events: TurnEvent[] = []
  for await (const batch of checkedEvents(source(), upper)) events.push(...batch)
  return events
}

const start = (name: string): TurnEvent => ({ type: 'tool-call-start', block: 0, callId: 'a', name })
const delta = (text: string): TurnEvent => ({ type: 'tool-call-delta', block: 0, delta: text })
const end = (name: string, input: string): TurnEvent => ({
  type: 'tool-call-end',
  block: 0,
  callId: 'a',
  name,
  input,
})
const text: TurnEvent = { type: 'text-delta', block: 1, delta: 'x' }

it('a call whose arguments come in one delta may change, in whatever batches it comes', async () => {
  const all = [start('read'), delta('{}'), end('read', '{}')]
  const changed = [
    start('READ'),
    delta('{}'),
    { ...end('READ', '{}'), made: { callId: 'a', name: 'read', input: '{}' } },
    text,
  ]
  expect(await checked([...all, text])).toEqual(changed)
  expect(await checked(...all.map((event) => [event]), [text])).toEqual(changed)
  expect(seen).toEqual([false])
})

it('a call that fits is passed on as it is', async () => {
  const all = [start('READ'), delta('{}'), end('READ', '{}')]
  expect(await checked(all)).toEqual(all)
})

it('a call in several deltas is only judged', async () => {
  const all = [start('read'), delta('{'), delta('}'), end('read', '{}')]
  expect(await checked(all)).toEqual(all)
  expect(seen).toEqual([true])
})

it('a writer with a check writes the start of a call when it is known', () => {
  const blocks = new BlockWriter({ calls: upper })
  blocks.startCall('a', 'read')
  expect(blocks.take()).toEqual([])
  expect(blocks.endCall('{}')).toBe(true)
  expect(blocks.take()).toMatchObject([start('READ'), delta('{}'), { name: 'READ', made: { name: 'read' } }])
  blocks.startCall('b', 'read')
  blocks.callDelta('{')
  expect(blocks.take()).toMatchObject([{ name: 'read' }, { delta: '{' }])
  blocks.callDelta('}')
  expect(blocks.endCall('{}')).toBe(false)
  expect(blocks.take()).toMatchObject([{ delta: '}' }, { name: 'read' }])
})

import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../core/events.ts'
import { ThinkingCollector } from './thinking-collector.ts'

const start: TurnEvent = { type: 'turn-start', id: 'i', model: 'm' }
const end: TurnEvent = { type: 'turn-end', reason: 'stop' }
const thought: TurnEvent[] = [
  { type: 'reasoning-start', block: 0 },
  { type: 'reasoning-delta', block: 0, delta: 'hm' },
  { type: 'reasoning-end', block: 0, signature: 's' },
]
const said = (block: number): TurnEvent[] => [
  { type: 'text-start', block },
  { type: 'text-delta', block, delta: 'yes' },
  { type: 'text-end', block },
]

function partsOf(batches: TurnEvent[][], expected: boolean) {
  const collector = new ThinkingCollector({ expected })
  let kept: string[] | undefined
  for (const batch of batches)
    collector.push(batch, ({ parts }) => {
      kept = parts.map(({ type }) => type)
    })
  return kept
}

const oneByOne = (events: TurnEvent[]) => events.map((event) => [event])

describe('a turn', () => {
  it('that begins with thinking is collected completely, in any batching', () => {
    const events = [start, ...thought, ...said(1), end]
    for (const expected of [true, false])
      for (const batches of [[events], oneByOne(events)])
        expect(partsOf(batches, expected)).toEqual(['reasoning', 'text'])
  })

  it('of a model that thinks is collected, wherever its thinking is', () => {
    const events = [start, ...said(0), { type: 'reasoning-start', block: 1 } as const, end]
    expect(partsOf(oneByOne(events), true)).toEqual(['text'])
    expect(partsOf([[start, ...said(0), ...thought, end]], true)).toEqual(['text', 'reasoning'])
  })

  it('without thinking is not collected', () => {
    for (const batches of [[[start, ...said(0), end]], oneByOne([start, ...said(0), end])])
      expect(partsOf(batches, false)).toBeUndefined()
  })
})

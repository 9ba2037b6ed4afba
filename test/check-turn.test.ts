import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../src/core/events.ts'
import { checkTurn } from './check-turn.ts'

const start: TurnEvent = { type: 'turn-start', id: 't', model: 'm' }
const end: TurnEvent = { type: 'turn-end', reason: 'stop' }
const call = (input: string, delta = input): TurnEvent[] => [
  { type: 'tool-call-start', block: 0, callId: 'c', name: 'n' },
  { type: 'tool-call-delta', block: 0, delta },
  { type: 'tool-call-end', block: 0, callId: 'c', name: 'n', input },
]

describe('checkTurn', () => {
  it('has nothing against a good turn', () => {
    expect(checkTurn([start, ...call('{}'), { type: 'turn-end', reason: 'tool-calls' }])).toEqual([])
  })

  it.each<[string, TurnEvent[]]>([
    ['no events', []],
    ['no terminal event', [start]],
    ['events follow a terminal', [start, end, end]],
    ['the first must be turn-start', [end]],
    ['second turn-start', [start, start, end]],
    ['still open', [start, { type: 'text-start', block: 0 }, { type: 'reasoning-start', block: 1 }, end]],
    ['should be number', [start, { type: 'text-start', block: 1 }, { type: 'text-end', block: 1 }, end]],
    ['not open', [start, { type: 'text-delta', block: 0, delta: 'x' }, end]],
    [
      'empty delta',
      [
        start,
        { type: 'text-start', block: 0 },
        { type: 'text-delta', block: 0, delta: '' },
        { type: 'text-end', block: 0 },
        end,
      ],
    ],
    ['never closed', [start, { type: 'text-start', block: 0 }, end]],
    ['concatenate', [start, ...call('{"a":1}', '{"a":'), { type: 'turn-end', reason: 'tool-calls' }]],
    ['not a JSON object', [start, ...call('[]'), { type: 'turn-end', reason: 'tool-calls' }]],
    ['stop although', [start, ...call('{}'), end]],
    ['without a call', [start, { type: 'turn-end', reason: 'tool-calls' }]],
    [
      'left open',
      [
        start,
        { type: 'tool-call-start', block: 0, callId: 'c', name: 'n' },
        { type: 'turn-end', reason: 'stop' },
      ],
    ],
    [
      'empty or repeated',
      [
        start,
        ...call('{}'),
        { type: 'tool-call-start', block: 1, callId: 'c', name: 'n' },
        { type: 'turn-end', reason: 'length' },
      ],
    ],
  ])('finds: %s', (problem, events) => {
    expect(checkTurn(events).join('\n')).toContain(problem)
  })
})

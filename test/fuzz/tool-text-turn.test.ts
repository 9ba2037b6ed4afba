// Whatever a service answers, in whatever batches, and wherever it breaks off: the turn that is made of it is a sound one.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  type Batches,
  block,
  broken,
  count,
  dead,
  good,
  play,
} from '../../src/backends/tool-text/tool-text-turn.fixture.ts'
import { BlockWriter } from '../../src/core/blocks.ts'
import type { FinishReason, TurnEvent } from '../../src/core/events.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { checkTurn } from '../check-turn.ts'
import { fuzz } from './settings.ts'

const piece = fc.constantFrom(
  'Hello.',
  '\n',
  good(),
  good('b'),
  broken,
  '<tool_response>\n',
  '<think>hm</think>',
  '<tool_ca',
  block('{"name": "read", "arguments": {"path": ???'),
)
type Act =
  | { do: 'text' | 'thought' | 'refusal'; text: string }
  | { do: 'sign' | 'call' | 'error' | 'throw' | 'batch' }
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 8, arbitrary: piece.map((text): Act => ({ do: 'text', text })) },
  { weight: 2, arbitrary: piece.map((text): Act => ({ do: 'thought', text })) },
  { weight: 1, arbitrary: piece.map((text): Act => ({ do: 'refusal', text })) },
  { weight: 4, arbitrary: fc.constant<Act>({ do: 'batch' }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Act>({ do: 'sign' }, { do: 'call' }, { do: 'error' }, { do: 'throw' }),
  },
)
const reasons = fc.constantFrom<FinishReason>('stop', 'length', 'tool-calls', 'content-filter', 'other')
const answer = fc.record({ acts: fc.array(act, { maxLength: 10 }), reason: reasons, ends: fc.boolean() })

/** As a reader of a service would tell it. */
function toBatches({ acts, reason, ends }: { acts: Act[]; reason: FinishReason; ends: boolean }): Batches {
  const blocks = new BlockWriter()
  const batches: (TurnEvent[] | Error)[] = []
  blocks.push({ type: 'turn-start', id: 'up', model: 'm' })
  for (const each of acts) {
    if (each.do === 'text') blocks.text(each.text)
    else if (each.do === 'thought') blocks.reasoning(each.text)
    else if (each.do === 'refusal') {
      blocks.close()
      blocks.text(each.text, { refusal: true })
    } else if (each.do === 'sign') blocks.endReasoning({ signature: 's' })
    else if (each.do === 'call') {
      blocks.startCall('native', 'read')
      blocks.endCall('{"path":"n"}')
    } else if (each.do === 'batch') batches.push(blocks.take())
    else if (each.do === 'throw') return [...batches, blocks.take(), dead]
    else {
      blocks.push({ type: 'turn-error', error: dead })
      return [...batches, blocks.take()]
    }
  }
  blocks.close()
  const calls = blocks.calls > 0
  const stated =
    reason === 'tool-calls' && !calls ? 'stop' : reason === 'stop' && calls ? 'tool-calls' : reason
  if (ends) blocks.push({ type: 'turn-end', reason: stated, usage: count(1) })
  return [...batches, blocks.take()]
}

it('any two answers make one sound turn', async () => {
  const choices = fc.constantFrom<Partial<TurnRequest>>(
    {},
    { toolChoice: { type: 'required' } },
    { parallelToolCalls: false },
  )
  await fc.assert(
    fc.asyncProperty(answer, answer, choices, fc.boolean(), async (first, second, request, secondTry) => {
      const { events, asked, closed } = await play([toBatches(first), toBatches(second)], {
        request,
        secondTry,
      })
      expect(checkTurn(events)).toEqual([])
      expect(asked.length).toBeLessThanOrEqual(secondTry ? 2 : 1)
      await new Promise(setImmediate)
      expect(closed()).toBe(asked.length)
    }),
    fuzz,
  )
})

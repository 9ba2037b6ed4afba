// A bug in a reader is located by a replay of an old tape, and by comparing two tapes.

import { describe, expect, it } from 'vitest'
import type { TurnEvent } from '../../src/core/events.ts'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { TurnReader } from '../../src/protocols/streams/reader.ts'
import { replay } from '../../src/replay/replay.ts'
import { clientSide, firstDifference } from '../../src/tapes/client-side.ts'
import { normalised } from '../../src/tapes/normalise.ts'
import type { ReadTape } from '../../src/tapes/read.ts'
import { type Bench, readTool, user } from '../harness.ts'
import { asked, recorded } from './recorded.ts'

async function saySome(bench: Bench): Promise<void> {
  bench.anthropic.play([
    { say: 'one two', pieces: 2 },
    ...['one', 'two', 'three', 'four'].map((path) => ({ call: { name: 'read', arguments: { path } } })),
  ])
  await asked(bench, '/v1/chat/completions', {
    ...{ model: 'anthropic/m', stream: true, messages: [user('Count')], tools: [readTool] },
  })
}

/** Calls with "tree" where the upstream calls with "three". */
async function withBug<Result>(work: () => Promise<Result>): Promise<Result> {
  const { push } = TurnReader.prototype
  const wrong = (event: TurnEvent): TurnEvent =>
    event.type === 'tool-call-end' ? { ...event, input: event.input.replace('three', 'tree') } : event
  AnthropicReader.prototype.push = function (messages) {
    return push.call(this, messages).map(wrong)
  }
  try {
    return await work()
  } finally {
    Reflect.deleteProperty(AnthropicReader.prototype, 'push')
  }
}

const frameWith = ({ frames }: ReadTape, text: string) =>
  frames.findIndex((frame) => frame.side === 'client' && frame.do === 'write' && frame.text.includes(text)) +
  1

describe('a bug in a reader', () => {
  it('shows in a replay, at the frame', async () => {
    const [tape] = (await recorded(saySome)) as [ReadTape]
    expect((await replay([tape])).turns[0]?.difference).toBeUndefined()
    const { turns } = await withBug(() => replay([tape]))
    expect(turns[0]?.difference).toMatchObject({
      what: 'answer',
      one: { frame: frameWith(tape, 'three'), text: expect.stringContaining('three') },
      other: { text: expect.stringContaining('tree') },
    })
  })

  it('shows between two tapes, at the frames', async () => {
    const [good] = (await recorded(saySome)) as [ReadTape]
    const [again] = (await recorded(saySome)) as [ReadTape]
    const [bad] = (await withBug(() => recorded(saySome))) as [ReadTape]
    const sides = [good, again, bad].map(({ frames }) => normalised(clientSide(frames)))
    const [a, b, c] = sides as [(typeof sides)[0], (typeof sides)[0], (typeof sides)[0]]
    expect(good.turn).not.toBe(again.turn)
    expect(firstDifference(a, b)).toBeUndefined()
    expect(firstDifference(a, c)).toMatchObject({
      what: 'answer',
      one: { frame: frameWith(good, 'three') },
      other: { frame: frameWith(bad, 'tree') },
    })
  })
})

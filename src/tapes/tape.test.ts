// Small pieces are stored in a compact log. The frames of a tape are nevertheless what was reported, in order, at any time.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { FrameBody } from './frame.ts'
import { Tape } from './tape.ts'

const forms = [
  { before: 'data: {"text":"', after: '"}\n\n' },
  { before: '<', after: '>' },
]
const text = fc.constantFrom('a', 'word ', 'é😀', 'x'.repeat(3_000))
const plain = fc.constantFrom('a', 'word ', 'x'.repeat(300))
const step = fc.oneof(
  fc.record({ do: fc.constant('data' as const), text }),
  fc.record({ do: fc.constant('write' as const), text }),
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('piece' as const),
      text: plain,
      to: fc.constantFrom(0, 0, 0, 1, undefined),
    }),
  },
  fc.record({ do: fc.constant('note' as const), text }),
  fc.constant({ do: 'look' as const, text: '' }),
)

it('has the frames that were reported', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' } as const
      const tape = new Tape({ head, turn: 't', maxBytes: 10_000_000 })
      const told: FrameBody[] = []
      const from = forms[0] as (typeof forms)[number]
      tape.see([{ type: 'text-start', block: 0 }])
      for (const one of steps) {
        if (one.do === 'look') expect(tape.frames.length).toBe(told.length)
        else if (one.do === 'data') {
          tape.onUpstreamData(1, Buffer.from(one.text))
          tape.onReadDone()
          told.push({ side: 'upstream', do: 'data', exchange: 1, text: one.text })
        } else if (one.do === 'write') {
          tape.onClientWrite(one.text)
          told.push({ side: 'client', do: 'write', text: one.text })
        } else if (one.do === 'note') {
          tape.add({ side: 'gateway', do: 'note', text: one.text })
          told.push({ side: 'gateway', do: 'note', text: one.text })
        } else {
          const to = one.to === undefined ? undefined : forms[one.to]
          const written = `${to?.before ?? '['}${one.text}${to?.after ?? ']'}`
          tape.onTextDelta(one.text, from, to ?? written, performance.now())
          const exchange = told.some((frame) => 'exchange' in frame && frame.exchange === 1) ? 1 : 0
          told.push({
            side: 'upstream',
            do: 'data',
            exchange,
            text: `${from.before}${one.text}${from.after}`,
          })
          told.push({ side: 'client', do: 'write', text: written })
        }
      }
      expect(tape.frames.map(({ at, turn, ...body }) => body)).toEqual(told)
      const times = tape.frames.map(({ at }) => at)
      expect(times).toEqual(times.toSorted((a, b) => a - b))
      const said = steps.flatMap((one) => (one.do === 'piece' ? one.text : [])).join('')
      expect(tape.segments).toMatchObject([{ characters: said.length, preview: said.slice(0, 200) }])
    }),
  )
})

it('keeps its own pieces apart from those of other tapes', () => {
  const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' } as const
  const tapes = ['a', 'b', 'c'].map((turn) => new Tape({ head, turn, maxBytes: 10_000_000 }))
  const [from, to] = forms as [(typeof forms)[number], (typeof forms)[number]]
  for (let nth = 0; nth < 1_000; nth++)
    for (const tape of tapes) tape.onTextDelta(`${tape.turn}${nth} `, from, to, performance.now())
  for (const tape of tapes) {
    const written = tape.frames.flatMap((frame) => (frame.do === 'write' ? frame.text : []))
    expect(written).toEqual(Array.from({ length: 1_000 }, (_, nth) => `<${tape.turn}${nth} >`))
  }
})

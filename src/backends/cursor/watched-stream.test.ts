import { describe, expect, it } from 'vitest'
import { Tape } from '../../tapes/tape.ts'
import { tapFor } from '../../tapes/turn-tap.ts'
import { StreamWatch } from './watched-stream.ts'

const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' } as const
const tapeOf = (turn: string) => new Tape({ head, turn, maxBytes: 100_000_000 })

function end(tape: Tape): void {
  tape.add({ side: 'client', do: 'end' })
  tape.add({ side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 })
}

function parked() {
  const tape = tapeOf('turn_a')
  const watch = new StreamWatch(tapFor(tape))
  watch.open({ backend: 'b', origin: 'http://b', path: '/', headers: {}, transport: 'http2' })
  end(tape)
  return watch
}

const receivedBy = ({ frames }: Tape) =>
  frames.flatMap((frame) => (frame.side === 'run' && frame.do === 'received' ? [frame.base64.length] : []))

describe('what goes over a stream between two turns', () => {
  it('is told to the second', () => {
    const watch = parked()
    for (let nth = 0; nth < 3; nth++) watch.tell('received', new Uint8Array(3))
    const next = tapeOf('turn_b')
    watch.follow(tapFor(next))
    expect(receivedBy(next)).toEqual([4, 4, 4])
    expect(next.head).toMatchObject({ continues: 'turn_a' })
    expect(next.isCut).toBe(false)
  })

  it('is missing to who comes behind a turn that nobody watched', () => {
    const watch = parked()
    watch.follow(undefined)
    watch.tell('received', new Uint8Array(3))
    const next = tapeOf('turn_c')
    watch.follow(tapFor(next))
    expect([receivedBy(next), next.isCut]).toEqual([[], true])
  })

  it.each([
    ['many', 5_000, 3],
    ['long', 20, 100_000],
  ])('is bounded, and said to be cut: %s', (_what, messages, bytes) => {
    const watch = parked()
    for (let nth = 0; nth < messages; nth++) watch.tell('received', new Uint8Array(bytes))
    // This one would find a place, but what is before it is not there.
    watch.tell('received', new Uint8Array(1))
    const next = tapeOf('turn_b')
    watch.follow(tapFor(next))
    expect(receivedBy(next).length).toBeLessThan(Math.min(messages, 1_001))
    expect(new Set(receivedBy(next)).size).toBe(1)
    expect(next.isCut).toBe(true)
    end(next)
    watch.tell('received', new Uint8Array(3))
    const last = tapeOf('turn_c')
    watch.follow(tapFor(last))
    expect([receivedBy(last), last.isCut]).toEqual([[4], false])
  })
})

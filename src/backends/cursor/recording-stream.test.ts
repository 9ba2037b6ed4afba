import { describe, expect, it } from 'vitest'
import { Tape } from '../../tapes/tape.ts'
import { tapFor } from '../../tapes/turn-tap.ts'
import { StreamRecorder } from './recording-stream.ts'

const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' } as const
const tapeOf = (turn: string) => new Tape({ head, turn, maxBytes: 100_000_000 })

function end(tape: Tape): void {
  tape.add({ side: 'client', do: 'end' })
  tape.add({ side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 })
}

function parked() {
  const tape = tapeOf('turn_a')
  const recorder = new StreamRecorder(tapFor(tape))
  recorder.open({ backend: 'b', origin: 'http://b', path: '/', headers: {}, transport: 'http2' })
  end(tape)
  return recorder
}

const receivedBy = ({ frames }: Tape) =>
  frames.flatMap((frame) => (frame.side === 'run' && frame.do === 'received' ? [frame.base64.length] : []))

describe('messages between two turns', () => {
  it('go to the tape of the second turn', () => {
    const recorder = parked()
    for (let nth = 0; nth < 3; nth++) recorder.received(new Uint8Array(3), false)
    const next = tapeOf('turn_b')
    recorder.follow(tapFor(next))
    expect(receivedBy(next)).toEqual([4, 4, 4])
    expect(next.head).toMatchObject({ continues: 'turn_a' })
    expect(next.isCut).toBe(false)
  })

  it('are missing on the tape after a turn without a tape', () => {
    const recorder = parked()
    recorder.follow(undefined)
    recorder.received(new Uint8Array(3), false)
    const next = tapeOf('turn_c')
    recorder.follow(tapFor(next))
    expect([receivedBy(next), next.isCut]).toEqual([[], true])
  })

  it.each([
    ['many', 5_000, 3],
    ['long', 20, 100_000],
  ])('are limited, and the tape is marked as cut: %s', (_what, messages, bytes) => {
    const recorder = parked()
    for (let nth = 0; nth < messages; nth++) recorder.received(new Uint8Array(bytes), false)
    // This message would fit, but an earlier one is missing.
    recorder.received(new Uint8Array(1), false)
    const next = tapeOf('turn_b')
    recorder.follow(tapFor(next))
    expect(receivedBy(next).length).toBeLessThan(Math.min(messages, 1_001))
    expect(new Set(receivedBy(next)).size).toBe(1)
    expect(next.isCut).toBe(true)
    end(next)
    recorder.received(new Uint8Array(3), false)
    const last = tapeOf('turn_c')
    recorder.follow(tapFor(last))
    expect([receivedBy(last), last.isCut]).toEqual([[4], false])
  })
})

import { describe, expect, it } from 'vitest'
import { Latch } from '../base/latch.ts'
import { turnSignal, withTurnSignal } from './turn-signal.ts'

/** Counts listeners: one that a turn leaves stays until the gateway stops. */
class Counted extends Latch {
  listeners = 0

  override on(listener: (reason: unknown) => void): () => void {
    this.listeners++
    const forget = super.on(listener)
    return () => {
      this.listeners--
      forget()
    }
  }
}

function prepare() {
  const gone = new Latch()
  const sink = { onGone: (listener: () => void) => gone.on(listener) }
  return { gone, sink, stopping: new Counted() }
}

describe('the turn signal', () => {
  it('aborts when the client disconnects', () => {
    const { gone, sink, stopping } = prepare()
    const { signal } = turnSignal(sink, stopping)
    expect(signal.aborted).toBe(false)
    gone.trip()
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ name: 'AbortError' })
  })

  it('aborts when the gateway stops, with its reason; the first reason counts', () => {
    const { gone, sink, stopping } = prepare()
    const { signal } = turnSignal(sink, stopping)
    stopping.trip('stopped')
    gone.trip()
    expect(signal.reason).toBe('stopped')
  })

  it.each(['gone', 'stopped'])('is aborted from the start if it is %s already', (what) => {
    const { gone, sink, stopping } = prepare()
    if (what === 'gone') gone.trip()
    else stopping.trip('stopped')
    expect(turnSignal(sink, stopping).signal.aborted).toBe(true)
  })

  it('does not abort once the turn is over', async () => {
    const { gone, sink, stopping } = prepare()
    const { signal, release } = turnSignal(sink, stopping)
    const signals = [signal]
    release()
    await withTurnSignal(sink, stopping, async (other) => void signals.push(other))
    await expect(
      withTurnSignal(sink, stopping, (other) => {
        signals.push(other)
        throw new Error('failed')
      }),
    ).rejects.toThrow('failed')
    expect(stopping.listeners).toBe(0)
    gone.trip()
    stopping.trip('stopped')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
  })
})

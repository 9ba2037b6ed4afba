import { describe, expect, it } from 'vitest'
import { StopSwitch } from '../base/stop-switch.ts'
import { Departure } from '../http/departure.ts'
import { turnSignal, withTurnSignal } from './turn-signal.ts'

/** How many listen: what is left behind by each turn would stay for as long as the gateway runs. */
class Counted extends StopSwitch {
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
  const departure = new Departure()
  const sink = { onGone: (listener: () => void) => departure.on(listener) }
  return { departure, sink, stopping: new Counted() }
}

describe('the signal of a turn', () => {
  it('aborts when the client goes', () => {
    const { departure, sink, stopping } = prepare()
    const { signal } = turnSignal(sink, stopping)
    expect(signal.aborted).toBe(false)
    departure.happen()
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toMatchObject({ name: 'AbortError' })
  })

  it('aborts when the gateway stops, with its reason; the first one counts', () => {
    const { departure, sink, stopping } = prepare()
    const { signal } = turnSignal(sink, stopping)
    stopping.stop('stopped')
    departure.happen()
    expect(signal.reason).toBe('stopped')
  })

  it.each(['gone', 'stopped'])('is aborted from the start where it is %s already', (what) => {
    const { departure, sink, stopping } = prepare()
    if (what === 'gone') departure.happen()
    else stopping.stop('stopped')
    expect(turnSignal(sink, stopping).signal.aborted).toBe(true)
  })

  it('is left alone once the turn is over', async () => {
    const { departure, sink, stopping } = prepare()
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
    departure.happen()
    stopping.stop('stopped')
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false, false])
  })
})

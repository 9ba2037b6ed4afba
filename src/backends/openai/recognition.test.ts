import { describe, expect, it } from 'vitest'
import { Recognition } from './recognition.ts'

function recognition(answer: () => Promise<unknown> = () => new Promise(() => undefined)) {
  const signals: AbortSignal[] = []
  const made = new Recognition((signal) => {
    signals.push(signal)
    return answer()
  })
  return { made, signals }
}

describe('the look at the models of an unknown server', () => {
  it('is made once, also if it fails', async () => {
    const { made, signals } = recognition(() => Promise.reject(new Error('down')))
    made.begin()
    await Promise.resolve()
    made.begin()
    expect([signals.length, made.isOver]).toEqual([1, true])
  })

  it('is not made if somebody else has read the list, or the backend is closed', () => {
    const listed = recognition()
    listed.made.onListed()
    listed.made.begin()
    const closed = recognition()
    closed.made.close()
    closed.made.begin()
    expect([...listed.signals, ...closed.signals]).toEqual([])
  })

  it('is canceled when the backend closes', () => {
    const { made, signals } = recognition()
    made.begin()
    expect(signals[0]?.aborted).toBe(false)
    made.close()
    expect(signals[0]?.aborted).toBe(true)
  })
})

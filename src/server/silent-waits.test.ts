import { describe, expect, it } from 'vitest'
import { GatewayError } from '../core/errors.ts'
import { SilentWaits } from './silent-waits.ts'

const absent = () => new GatewayError('upstream-unavailable', 'x could not be reached.')
const session = { key: 'k', session: 's' }

function start() {
  const clock = { ms: 0 }
  const waits = new SilentWaits(() => clock.ms)
  /** Whether a retry is still worth it, for failures at these seconds. */
  const at = (seconds: number[], failure = absent, caller: { key: string; session?: string } = session) =>
    seconds.map((second) => {
      clock.ms = second * 1000
      return waits.after(failure(), caller).retryable
    })
  return { waits, at }
}

describe('a session that meets nothing but an absent backend', () => {
  it('is told so at the fifth request, and may retry the next one', () => {
    expect(start().at([0, 3, 6, 10, 15, 20, 23])).toEqual([true, true, true, true, false, true, true])
  })

  it('says for how long', () => {
    const { waits, at } = start()
    at([0, 3, 6, 10])
    expect(waits.after(absent(), session).message).toBe('x could not be reached. It has been so for 10 s.')
  })

  it.each([
    ['many requests at once', [0, 0, 0, 0, 0, 1, 9]],
    ['few requests', [0, 20, 44]],
    ['a pause in between', [0, 3, 6, 10, 71, 74]],
  ])('%s are not enough', (_, seconds) => {
    expect(start().at(seconds)).not.toContain(false)
  })

  it('two slow failures are enough', () => {
    expect(start().at([0, 31, 62, 93])).toEqual([true, true, false, true])
  })

  it('failures inside a stream count, and a break in an answer ends the wait', () => {
    const { waits, at } = start()
    for (let times = 0; times < 4; times++) waits.seen(absent(), session)
    expect(at([10])).toEqual([false])
    for (let times = 0; times < 4; times++) waits.seen(absent(), session)
    waits.seen(new GatewayError('upstream-unavailable', 'it broke', { status: 502 }), session)
    expect(at([30])).toEqual([true])
  })

  it('an answer ends the wait', () => {
    const { waits, at } = start()
    at([0, 3, 6, 10])
    waits.end(session)
    expect(at([15])).toEqual([true])
  })

  it('so does a failure of another kind', () => {
    const { at } = start()
    at([0, 3, 6, 10])
    const busy = () => new GatewayError('upstream-unavailable', 'busy', { upstream: { status: 503 } })
    expect(at([12, 13, 14, 15, 40], busy)).not.toContain(false)
    expect(at([41])).toEqual([true])
  })

  it('a service that is left alone because of its own errors is not absent', () => {
    const cause = new GatewayError('upstream-unavailable', 'busy', { upstream: { status: 503 } })
    const alone = () => new GatewayError('upstream-unavailable', 'left alone', { cause })
    expect(start().at([0, 3, 6, 10, 15, 30], alone)).not.toContain(false)
  })

  it('sessions do not count for each other, nor do callers without one', () => {
    const { at } = start()
    at([0, 3, 6, 10])
    expect(at([15], absent, { key: 'k', session: 's/agent' })).toEqual([true])
    expect(at([15], absent, { key: 'other', session: 's' })).toEqual([true])
    expect(at([15, 16, 17, 18, 19, 40], absent, { key: 'k' })).not.toContain(false)
  })
})

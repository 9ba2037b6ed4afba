import { describe, expect, it, vi } from 'vitest'
import { ChatReader } from '../../protocols/openai-chat/read.ts'
import { settle, start, streaming, useFakeClock } from './http-turn.fixture.ts'

useFakeClock()

describe('after the process was blocked', () => {
  /** The next timers fire this much too late. */
  const holdUp = (ms: number) => {
    const now = performance.now.bind(performance)
    return vi.spyOn(performance, 'now').mockImplementation(() => now() + ms)
  }

  it('reads pending input before it reports a timeout', async () => {
    const { upstream, batches } = await streaming()
    const second = batches.next()
    holdUp(800)
    vi.advanceTimersByTime(1_000)
    expect(upstream.canceled).toEqual([])
    upstream.send({ content: 'b' })
    expect((await second).done).toBe(false)
    upstream.finish()
    for (let next = await batches.next(); !next.done; next = await batches.next());
  })

  it('does not wait forever', async () => {
    const { upstream, batches } = await streaming()
    const failure = expect(batches.next()).rejects.toMatchObject({ code: 'timeout' })
    holdUp(800)
    vi.advanceTimersByTime(1_000)
    vi.advanceTimersByTime(800)
    expect(upstream.canceled).toHaveLength(1)
    await failure
  })
})

describe('the progress clock', () => {
  it('waits for the first output up to its limit', async () => {
    const { upstream, batches } = start()
    const pending = batches.next()
    vi.advanceTimersByTime(4_999)
    expect(upstream.canceled).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(pending).rejects.toMatchObject({ code: 'timeout', message: expect.stringContaining('5 s') })
    expect(upstream.canceled).toHaveLength(1)
  })

  it('is shorter after the first output', async () => {
    const { upstream, batches } = await streaming()
    const pending = batches.next()
    vi.advanceTimersByTime(999)
    expect(upstream.canceled).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(pending).rejects.toMatchObject({ message: expect.stringContaining('for 1 s') })
  })

  it('starts again with each delta', async () => {
    const { upstream, batches } = await streaming()
    for (let n = 0; n < 5; n++) {
      const pending = batches.next()
      vi.advanceTimersByTime(900)
      upstream.send({ content: 'b' })
      expect((await pending).done).toBe(false)
    }
    const pending = batches.next()
    vi.advanceTimersByTime(1_000)
    await expect(pending).rejects.toMatchObject({ code: 'timeout' })
  })

  it('is not reset by pings', async () => {
    const { upstream, batches } = await streaming()
    const pending = batches.next()
    for (let n = 0; n < 9; n++) {
      vi.advanceTimersByTime(100)
      upstream.body.onData(Buffer.from(': ping\n\n'))
    }
    vi.advanceTimersByTime(100)
    await expect(pending).rejects.toMatchObject({ code: 'timeout' })
  })

  it.each([999, 1_000, 1_001, 60_000])('stops while the client takes %i ms for a batch', async (ms) => {
    const { upstream, batches } = await streaming()
    vi.advanceTimersByTime(ms)
    const pending = batches.next()
    vi.advanceTimersByTime(999)
    expect(upstream.canceled).toEqual([])
    upstream.send({ content: 'b' })
    expect((await pending).done).toBe(false)
    const last = batches.next()
    vi.advanceTimersByTime(1_000)
    await expect(last).rejects.toMatchObject({ code: 'timeout' })
  })

  it('is longer while the model may be silent', async () => {
    let mayBeSilent = false
    class Thinker extends ChatReader {
      override get mayBeSilent(): boolean {
        return mayBeSilent
      }
    }
    const reader = new Thinker({
      ...{ turnId: 't', model: 'm', backend: 'box', wholeArguments: true },
      note: () => undefined,
    })
    const { upstream, batches } = start({ reader })
    const first = batches.next()
    upstream.answer()
    await settle()
    upstream.send({ content: 'a' })
    await first
    mayBeSilent = true
    const second = batches.next()
    vi.advanceTimersByTime(500)
    upstream.send({ content: 'b' })
    await second
    const third = batches.next()
    vi.advanceTimersByTime(4_999)
    expect(upstream.canceled).toEqual([])
    vi.advanceTimersByTime(1)
    await expect(third).rejects.toMatchObject({ message: expect.stringContaining('for 5 s') })
  })
})

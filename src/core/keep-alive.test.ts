import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startKeepAlive } from './keep-alive.ts'

describe('startKeepAlive', () => {
  beforeEach(() => {
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  it('sends after every 15 s of silence, and not before', () => {
    const send = vi.fn()
    const keepAlive = startKeepAlive(send)
    vi.advanceTimersByTime(14_999)
    expect(send).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(send).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(30_000)
    expect(send).toHaveBeenCalledTimes(3)
    keepAlive.stop()
    vi.advanceTimersByTime(60_000)
    expect(send).toHaveBeenCalledTimes(3)
  })

  it('sends nothing while the stream is written to', () => {
    const send = vi.fn()
    const keepAlive = startKeepAlive(send)
    for (let second = 0; second < 60; second += 4) {
      vi.advanceTimersByTime(4_000)
      keepAlive.touch()
    }
    expect(send).not.toHaveBeenCalled()
    keepAlive.stop()
  })
})

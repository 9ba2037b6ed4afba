import { describe, expect, it, vi } from 'vitest'
import type { Backend, Model } from '../core/backend.ts'
import { GatewayError } from '../core/errors.ts'
import { Catalog } from './catalog.ts'

const quiet = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

/** A backend with these listings, one after the other; undefined never resolves. */
function backend(...listings: (string[] | Error | undefined)[]): Backend & { asked: number } {
  return {
    kind: 'test',
    asked: 0,
    async models(): Promise<Model[]> {
      const listing = listings[Math.min(this.asked++, listings.length - 1)]
      if (listing instanceof Error) throw listing
      if (!listing) return new Promise(() => undefined)
      return listing.map((id) => ({ id }))
    },
    run: () => {
      throw new Error('not run')
    },
    close: async () => undefined,
  }
}

function catalog(backends: Record<string, Backend>, aliases: Record<string, string[]> = {}) {
  const clock = { now: 0 }
  const made = new Catalog({
    backends: new Map(Object.entries(backends)),
    aliases: new Map(Object.entries(aliases)),
    log: quiet,
    now: () => clock.now,
  })
  const resolve = async (name: string) => {
    try {
      return (await made.resolve(name)).map((target) => `${target.backendName}/${target.model}`)
    } catch (error) {
      return (error as GatewayError).message
    }
  }
  return { made, resolve, clock }
}

describe('Catalog', () => {
  it('a backend that never lists its models is named, with the limit and what to look at', async () => {
    vi.useFakeTimers()
    try {
      const hanging: Backend = {
        ...backend([]),
        models: (signal) =>
          new Promise((_, reject) =>
            signal.addEventListener('abort', () => reject(GatewayError.ofAbort(signal))),
          ),
      }
      const listings = catalog({ box: hanging }).made.listings()
      await vi.advanceTimersByTimeAsync(10_000)
      const error = (await listings)[0]?.listing.error
      expect(error?.message).toMatch(/^box: no list of models within 10 s; .*"baseUrl"/)
      expect(error?.code).toBe('timeout')
    } finally {
      vi.useRealTimers()
    }
  })

  it("resolves the names of Claude Code's menu", async () => {
    const { resolve } = catalog({ box: backend(['gpt']) }, { best: ['box/gpt'] })
    expect(await resolve('claude-via/box/gpt')).toEqual(['box/gpt'])
    expect(await resolve('claude-via/best')).toEqual(['box/gpt'])
    expect(await resolve('claude-via/gpt')).toEqual(['box/gpt'])
    expect(await resolve('claude-via/nothing')).toContain('"nothing" does not exist')
    expect(await resolve('claude-via/claude-via/best')).toContain('does not exist')
    // A backend of that name goes first.
    expect(await catalog({ 'claude-via': backend([]) }).resolve('claude-via/box/gpt')).toEqual([
      'claude-via/box/gpt',
    ])
  })

  it('resolves aliases, BACKEND/MODEL, and bare names that one backend lists', async () => {
    const { resolve } = catalog(
      { a: backend(['x', 'both']), b: backend(['org/y', 'both']) },
      { best: ['a/x', 'b/z'], x: ['b/other'] },
    )
    expect(await resolve('best')).toEqual(['a/x', 'b/z'])
    expect(await resolve('a/not/listed')).toEqual(['a/not/listed'])
    expect(await resolve('x')).toEqual(['b/other'])
    expect(await resolve('org/y')).toEqual(['b/org/y'])
    expect(await resolve('both')).toContain('say which: a/both, b/both')
    expect(await resolve('org/yy')).toContain('Did you mean b/org/y')
  })

  it('lists a backend once for all waiting requests, and again when the listing is old', async () => {
    const a = backend(['x'], ['y'])
    const { resolve, clock } = catalog({ a })
    await Promise.all([resolve('x'), resolve('x'), resolve('x')])
    expect(a.asked).toBe(1)
    clock.now += 5 * 60_000
    expect(await resolve('y')).toEqual(['a/y'])
    expect(a.asked).toBe(2)
  })

  it('a backend that is down may have the model: only a list of it would say', async () => {
    const down = () => backend(new GatewayError('upstream-unavailable', 'box could not be reached.'))
    const all = catalog({ box: down() })
    expect(await all.resolve('gpt')).toBe(
      'Whether the model "gpt" exists is not known. box could not be asked for its models: box could not be reached.',
    )
    expect(await all.resolve('claude-via/gpt')).toContain('is not known')
    await expect(all.made.resolve('gpt')).rejects.toMatchObject({
      code: 'upstream-unavailable',
      retryable: true,
    })
    const some = catalog({ a: backend(['gpt-5']), box: down() })
    expect(await some.resolve('gpt-6')).toBe(
      'The model "gpt-6" does not exist here. Did you mean a/gpt-5? box could not be asked for its models: box could not be reached.',
    )
    await expect(some.made.resolve('gpt-6')).rejects.toMatchObject({ code: 'not-found' })
  })

  it('a service without a list, and what a service said', async () => {
    const none = catalog({ box: backend(new GatewayError('not-found', 'no such route')) })
    expect(await none.resolve('gpt')).toMatch(/^The model "gpt" does not exist here\. .*BACKEND\/MODEL\.$/)
    const said = new GatewayError('upstream-unavailable', 'sorry, Jane', { upstream: { status: 500 } })
    expect(await catalog({ box: backend(said) }).resolve('gpt')).toMatch(/models: it answers with errors\.$/)
  })

  it('keeps the old listing while a backend fails or is silent, and retries soon', async () => {
    const a = backend(['x'], new GatewayError('timeout', 'x'), undefined)
    const { resolve, clock } = catalog({ a })
    expect(await resolve('x')).toEqual(['a/x'])
    clock.now += 5 * 60_000
    expect(await resolve('x')).toEqual(['a/x'])
    clock.now += 15_000
    expect(await resolve('x')).toEqual(['a/x'])
    expect(a.asked).toBe(3)
  })
})

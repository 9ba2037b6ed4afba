import { describe, expect, it } from 'vitest'
import { ByteSource } from './byte-source.ts'
import type { Dispatcher } from './undici.ts'

function create() {
  const state = { paused: false, aborted: [] as unknown[] }
  const controller = {
    get paused() {
      return state.paused
    },
    pause: () => {
      state.paused = true
    },
    resume: () => {
      state.paused = false
    },
    abort: (reason: Error) => {
      state.aborted.push(reason.message)
      source.onError(reason)
    },
  }
  const source = new ByteSource(controller as unknown as Dispatcher.DispatchController)
  return { source, state, send: (text: string) => source.onData(Buffer.from(text)) }
}

const taken = (source: ByteSource) => source.take()?.toString()

describe('ByteSource', () => {
  it('returns new bytes, then undefined, then the end every time', () => {
    const { source, send } = create()
    expect(source.take()).toBeUndefined()
    send('a')
    send('b')
    expect(taken(source)).toBe('ab')
    expect(source.take()).toBeUndefined()
    send('c')
    source.onEnd()
    expect(taken(source)).toBe('c')
    expect([source.take(), source.take()]).toEqual([null, null])
  })

  it('returns the bytes before a failure, then throws it every time', () => {
    const { source, send } = create()
    send('a')
    source.onError(new Error('broken'))
    expect(taken(source)).toBe('a')
    expect(() => source.take()).toThrow('broken')
    expect(() => source.take()).toThrow('broken')
  })

  it('lets other connections go first after every 64 KiB, however fast it is read', async () => {
    const { source, state, send } = create()
    for (let sent = 0; sent < 64; sent++) {
      send('x'.repeat(1024))
      source.take()
    }
    expect(state.paused).toBe(false)
    send('y')
    expect(taken(source)).toBe('y')
    expect(state.paused).toBe(true)
    await new Promise((resolve) => setImmediate(resolve))
    expect(state.paused).toBe(false)
  })

  it('stays paused after its turn while nobody reads', async () => {
    const { source, state, send } = create()
    send('x'.repeat(70_000))
    await new Promise((resolve) => setImmediate(resolve))
    expect(state.paused).toBe(true)
    source.take()
    expect(state.paused).toBe(false)
  })

  it.each(['data', 'end', 'failure'])('wakes a waiting reader once, by %s', (what) => {
    const { source, send } = create()
    let woken = 0
    source.whenReadable(() => woken++)
    for (let n = 0; n < 2; n++) {
      if (what === 'data') send('a')
      else if (what === 'end') source.onEnd()
      else source.onError(new Error('broken'))
    }
    expect(woken).toBe(1)
  })

  it('a reader can wait again from its callback', () => {
    const { source, send } = create()
    const all: (string | undefined)[] = []
    const read = () => {
      all.push(taken(source))
      source.whenReadable(read)
    }
    source.whenReadable(read)
    for (const text of ['a', 'b', 'c']) send(text)
    expect(all).toEqual(['a', 'b', 'c'])
  })

  it('offers chunks to `consume` while a reader waits and the queue is empty', () => {
    const { source, send } = create()
    const passed: string[] = []
    let woken = 0
    const pass = (chunk: Buffer) => {
      const text = chunk.toString()
      if (text !== 'x') passed.push(text)
      return text !== 'x'
    }
    source.whenReadable(() => woken++, pass)
    for (const text of ['a', 'b', 'x', 'c']) send(text)
    expect(passed).toEqual(['a', 'b'])
    expect(woken).toBe(1)
    expect(taken(source)).toBe('xc')
    source.whenReadable(() => woken++)
    send('d')
    expect(passed).toEqual(['a', 'b'])
  })

  it('refuses a second reader, which would never wake', () => {
    const { source } = create()
    source.whenReadable(() => undefined)
    expect(() => source.whenReadable(() => undefined)).toThrow('two readers')
  })

  it('pauses the connection above the high-water mark', async () => {
    const { source, state, send } = create()
    send('x'.repeat(64 * 1024))
    expect(state.paused).toBe(false)
    send('y')
    expect(state.paused).toBe(true)
    source.take()
    await new Promise((resolve) => setImmediate(resolve))
    expect(state.paused).toBe(false)
  })

  it('reads to the end, or to the limit', async () => {
    const whole = create()
    const reading = whole.source.readAll(4)
    whole.send('ab')
    await Promise.resolve()
    whole.send('cd')
    whole.source.onEnd()
    expect(await reading).toEqual({ bytes: Buffer.from('abcd'), cut: false })
    const cut = create()
    cut.send('abcde')
    expect(await cut.source.readAll(4)).toEqual({ bytes: Buffer.from('abcd'), cut: true })
    expect(cut.state.aborted).toEqual(['body too large'])
  })

  it('is canceled once, and not after its end', () => {
    const { source, state } = create()
    source.cancel(new Error('first'))
    source.cancel(new Error('second'))
    expect(state.aborted).toEqual(['first'])
    const done = create()
    done.source.onEnd()
    done.source.cancel(new Error('late'))
    done.source.drain(1_000)
    expect(done.state.aborted).toEqual([])
  })

  it('drains to its end, and resumes a paused connection', async () => {
    const { source, state, send } = create()
    send('x'.repeat(100_000))
    expect(state.paused).toBe(true)
    source.drain(60_000)
    await new Promise((resolve) => setImmediate(resolve))
    expect(state.paused).toBe(false)
    send('more')
    source.onEnd()
    await new Promise((resolve) => setImmediate(resolve))
    expect(source.take()).toBeNull()
    expect(state.aborted).toEqual([])
  })
})

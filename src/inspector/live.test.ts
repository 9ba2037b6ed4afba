import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Exchange } from '../http/exchange.ts'
import type { LiveMessage, TurnedAwayCount, TurnSummary, TurnsAnswer } from './api.ts'
import { Live, mostStreams } from './live.ts'
import type { Scope } from './login.ts'
import { Shelf } from './shelf.ts'

const shelf = () => new Shelf({ turns: 2, bytes: 1_000_000 })

/** Turn ids begin with the name of their key. */
function liveOf(of: Shelf, turnedAway: (scope: Scope) => TurnedAwayCount[] = () => []): Live {
  const summary = (id: string, scope: Scope) =>
    of.get(id) && (scope === 'all' || id.startsWith(`turn_${scope.key}`))
      ? ({ id } as TurnSummary)
      : undefined
  const all = (scope: Scope): TurnsAnswer => ({
    version: '0',
    may: { resend: true, change: true },
    turns: of.all().flatMap(({ tape }) => summary(tape.turn, scope) ?? []),
    sessions: [],
    turnedAway: [],
  })
  return new Live({ shelf: of, all, summary, sessions: () => [], turnedAway, scrub: (text) => text })
}

function reader() {
  let leave = () => undefined as unknown
  const state = { messages: [] as LiveMessage[], isBehind: false, listeners: new Set<() => void>() }
  const sink = {
    start: () => undefined,
    write(text: string) {
      if (text.startsWith('data: ')) state.messages.push(JSON.parse(text.slice(6)) as LiveMessage)
      return true
    },
    end: () => undefined,
    get isBehind() {
      return state.isBehind
    },
    onGone(listener: () => void) {
      leave = listener
    },
  }
  const listening = {
    touch: () => undefined,
    onEnd(listener: () => void) {
      state.listeners.add(listener)
      return () => state.listeners.delete(listener)
    },
  }
  const exchange = { sink, head: { headers: {} } } as unknown as Exchange
  return { state, exchange, listening, leave: () => leave() }
}

function turn(of: Shelf, id: string): void {
  const tape = of.begin({ turnId: id, asked: false })
  tape?.add({ side: 'client', do: 'end' })
  tape?.add({ side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 })
}

describe('a page that listens', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('learns nothing about turns of other keys: neither their start nor their end', () => {
    const kept = shelf()
    const { state, exchange, listening } = reader()
    void liveOf(kept).serve(exchange, { key: 'a' }, listening)
    for (let nth = 0; nth < 10; nth++) {
      turn(kept, `turn_b${nth}`)
      vi.advanceTimersByTime(1_000)
    }
    expect(state.messages.map(({ type }) => type)).toEqual(['all'])
    turn(kept, 'turn_a1')
    vi.advanceTimersByTime(1_000)
    for (const id of ['turn_b10', 'turn_b11']) turn(kept, id)
    vi.advanceTimersByTime(1_000)
    expect(state.messages.slice(1)).toMatchObject([
      { turns: [{ id: 'turn_a1' }], gone: [] },
      { turns: [], gone: ['turn_a1'] },
    ])
  })

  it('learns of requests that were turned away, once for each change, if it sees all keys', () => {
    const counts: TurnedAwayCount[] = []
    const live = liveOf(shelf(), (scope) => (scope === 'all' ? [...counts] : []))
    const [one, all] = [reader(), reader()]
    void live.serve(one.exchange, { key: 'a' }, one.listening)
    void live.serve(all.exchange, 'all', all.listening)
    counts.push({ minute: 0, reason: 'wrong-key', count: 1 })
    vi.advanceTimersByTime(5_000)
    expect(one.state.messages).toHaveLength(1)
    expect(all.state.messages.slice(1)).toMatchObject([{ type: 'changed', turnedAway: counts, turns: [] }])
  })

  it('and does not read has no more than the current state queued', () => {
    const kept = shelf()
    const { state, exchange, listening } = reader()
    turn(kept, 'turn_first')
    void liveOf(kept).serve(exchange, 'all', listening)
    state.isBehind = true
    for (let nth = 0; nth < 1_000; nth++) {
      // So many in one second would not be kept.
      vi.setSystemTime(Date.now() + 10)
      turn(kept, `turn_${nth}`)
    }
    vi.advanceTimersByTime(1_000)
    state.isBehind = false
    vi.advanceTimersByTime(1_000)
    expect(state.messages.slice(1)).toMatchObject([
      { turns: [{ id: 'turn_998' }, { id: 'turn_999' }], gone: ['turn_first'] },
    ])
  })

  it('and leaves is forgotten, by its session too', async () => {
    const { state, exchange, listening, leave } = reader()
    const served = liveOf(shelf()).serve(exchange, 'all', listening)
    expect(state.listeners.size).toBe(1)
    leave()
    await served
    expect(state.listeners.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('is limited in number per key', () => {
    const live = liveOf(shelf())
    const open = (scope: Scope) => {
      const one = reader()
      void live.serve(one.exchange, scope, one.listening)
      return one
    }
    const [first] = Array.from({ length: mostStreams }, () => open({ key: 'a' }))
    expect(() => open({ key: 'a' })).toThrow('close some')
    open({ key: 'b' })
    open('all')
    first?.leave()
    open({ key: 'a' })
    live.close()
  })
})

import { describe, expect, it } from 'vitest'
import { BoundedStore } from './bounded-store.ts'

describe('BoundedStore', () => {
  it('drops the least recently used beyond its size', () => {
    const store = new BoundedStore<string>({ maxBytes: 10, ttlMs: 1_000 })
    store.set('a', 'A', 4)
    store.set('b', 'B', 4)
    expect(store.get('a')).toBe('A')
    store.set('c', 'C', 4)
    expect([store.get('a'), store.get('b'), store.get('c')]).toEqual(['A', undefined, 'C'])
    expect([store.size, store.bytes]).toEqual([2, 8])
    store.set('huge', 'H', 11)
    expect(store.get('huge')).toBeUndefined()
  })

  it('forgets what is old, and counts use as youth', () => {
    let now = 0
    const store = new BoundedStore<string>({ maxBytes: 100, ttlMs: 10, now: () => now })
    store.set('a', 'A', 1)
    store.set('b', 'B', 1)
    now = 8
    expect(store.get('a')).toBe('A')
    now = 12
    expect([store.get('a'), store.get('b')]).toEqual(['A', undefined])
    store.set('c', 'C', 1)
    now = 30
    store.set('d', 'D', 1)
    expect([store.size, store.bytes]).toEqual([1, 1])
  })

  it('counts a replaced entry once', () => {
    const store = new BoundedStore<string>({ maxBytes: 10, ttlMs: 1_000 })
    for (let round = 0; round < 5; round++) store.set('a', 'A', 6)
    expect([store.size, store.bytes]).toEqual([1, 6])
  })
})

import { describe, expect, it } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

describe('BoundedMap', () => {
  it('drops the least recently used entry beyond its size', () => {
    const store = new BoundedMap<string, string>({ maxBytes: 10, ttlMs: 1_000 })
    store.set('a', 'A', 4)
    store.set('b', 'B', 4)
    expect(store.get('a')).toBe('A')
    store.set('c', 'C', 4)
    expect([store.get('a'), store.get('b'), store.get('c')]).toEqual(['A', undefined, 'C'])
    expect([store.size, store.bytes]).toEqual([2, 8])
    store.set('huge', 'H', 11)
    expect(store.get('huge')).toBeUndefined()
  })

  it('drops expired entries; reading an entry renews it', () => {
    let now = 0
    const store = new BoundedMap<string, string>({ maxBytes: 100, ttlMs: 10, now: () => now })
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
    const store = new BoundedMap<string, string>({ maxBytes: 10, ttlMs: 1_000 })
    for (let round = 0; round < 5; round++) store.set('a', 'A', 6)
    expect([store.size, store.bytes]).toEqual([1, 6])
  })

  it('keeps the newest entries, whatever is read, and says which it dropped', () => {
    let now = 0
    const dropped: string[] = []
    const map = new BoundedMap<string, string>({
      maxEntries: 2,
      ttlMs: 10,
      keeps: 'newest',
      now: () => now,
      onEvicted: (value) => dropped.push(value),
    })
    for (const key of ['a', 'b']) map.set(key, key)
    expect(map.get('a')).toBe('a')
    map.set('c', 'c')
    expect([[...map.values()], dropped]).toEqual([['b', 'c'], ['a']])
    now = 10
    expect([map.get('b'), map.size]).toEqual([undefined, 1])
    map.clear()
    expect([map.size, map.bytes]).toEqual([0, 0])
  })
})

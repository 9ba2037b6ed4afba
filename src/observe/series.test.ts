import { describe, expect, it } from 'vitest'
import { maxSeries, Series } from './series.ts'

const counter = (...names: string[]) => new Series(names, () => ({ value: 0 }))

describe('a series', () => {
  it('has one value per set of labels, in any order', () => {
    const series = counter('backend', 'model')
    series.of({ backend: 'a', model: 'x' }).value++
    series.of({ model: 'x', backend: 'a' }).value++
    series.of({ backend: 'x', model: 'a' }).value++
    expect(series.all()).toEqual([
      ['backend="a",model="x"', { value: 2 }],
      ['backend="x",model="a"', { value: 1 }],
    ])
  })

  it('may have no labels', () => {
    const series = counter()
    series.of({}).value++
    series.of({}).value++
    expect(series.all()).toEqual([['', { value: 2 }]])
  })

  it('escapes labels for Prometheus', () => {
    const series = counter('model')
    series.of({ model: 'a\\b"c\nd' })
    expect(series.all()[0]?.[0]).toBe('model="a\\\\b\\"c\\nd"')
  })

  it('cuts long labels, and then counts equal ones as one', () => {
    const series = counter('model')
    series.of({ model: `${'m'.repeat(200)}1` }).value++
    series.of({ model: `${'m'.repeat(200)}2` }).value++
    expect(series.all()).toEqual([[`model="${'m'.repeat(200)}"`, { value: 2 }]])
  })

  it('counts series beyond the limit together, and keeps the others apart', () => {
    const series = counter('backend', 'model')
    for (let nth = 0; nth < maxSeries + 20; nth++) series.of({ backend: 'a', model: `m${nth}` }).value++
    series.of({ backend: 'a', model: 'm3' }).value++
    const all = new Map(series.all())
    expect(all.size).toBe(maxSeries + 1)
    expect(all.get('backend="other",model="other"')).toEqual({ value: 20 })
    expect(all.get('backend="a",model="m3"')).toEqual({ value: 2 })
  })
})

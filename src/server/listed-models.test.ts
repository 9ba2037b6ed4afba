import { expect, it } from 'vitest'
import { modelsOf } from './listed-models.ts'

it('an alias has the sizes of its smallest target, and the other facts of its first', () => {
  const listing = (...models: { id: string; contextTokens?: number; outputTokens?: number }[]) => ({
    models,
    readAt: 0,
  })
  const listings = [
    { backendName: 'a', listing: listing({ id: 'big', contextTokens: 1_000_000, outputTokens: 8_000 }) },
    { backendName: 'b', listing: listing({ id: 'small', contextTokens: 200_000, outputTokens: 64_000 }) },
    { backendName: 'c', listing: listing({ id: 'unknown' }) },
  ]
  const [best, gone] = modelsOf(
    listings,
    new Map([
      ['best', ['a/big', 'c/unknown', 'b/small', 'd/gone']],
      ['gone', ['d/gone']],
    ]),
  )
  expect(best).toEqual({ id: 'best', backend: 'a', contextTokens: 200_000, outputTokens: 8_000 })
  expect(gone).toEqual({ id: 'gone', backend: 'd' })
})

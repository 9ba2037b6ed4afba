// Every reader of outside text with half of all fragments, by the seed of the run, at 150,000 characters. What is quadratic takes half a minute with that, what is linear a
// few milliseconds.

import { describe, expect, it } from 'vitest'
import { share } from '../depth.ts'
import { fragments } from './attacks.ts'
import { hangs } from './hang.ts'
import { readers } from './scanners.ts'

const size = 150_000
const longestMs = 5_000
const endings = ['', '\u0000!\n']

/** Every `parts`-th reader, from number `part` on: two files keep two cores busy. */
export function describeLongFragments(part: number, parts: number): void {
  const own = Object.entries(readers).filter((_, at) => at % parts === part)
  describe.each(own)('%s', (_name, read) => {
    it('reads a fragment that is repeated in linear time', () => {
      const hanging = share(fragments, fragments.length / 2).filter((fragment) =>
        endings.some((ending) => {
          const text = fragment.repeat(Math.ceil(size / fragment.length)) + ending
          return hangs(() => read(text), longestMs)
        }),
      )
      expect(hanging).toEqual([])
    }, 3_600_000)
  })
}

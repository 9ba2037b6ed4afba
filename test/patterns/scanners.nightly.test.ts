// Every reader of outside text with every fragment at a megabyte.

import { describe, expect, it } from 'vitest'
import { hangs } from './hang.ts'
import { fragments, readers } from './scanners.ts'

const size = 1_000_000
const endings = ['', '\u0000!\n']

describe.each(Object.entries(readers))('%s', (_name, read) => {
  it('reads a fragment that is repeated in linear time', () => {
    const hanging = fragments.filter((fragment) =>
      endings.some((ending) => {
        const text = fragment.repeat(Math.ceil(size / fragment.length)) + ending
        return hangs(() => read(text), 20_000)
      }),
    )
    expect(hanging).toEqual([])
  }, 3_600_000)
})

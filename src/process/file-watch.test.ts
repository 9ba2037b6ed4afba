import { expect, it } from 'vitest'
import { atTestEnd } from '../../test/at-end.ts'
import { FileWatch } from './file-watch.ts'

/** Looks go by a list of stamps; after the list, the last one stays. */
async function changesBy(stamps: readonly (string | undefined)[]): Promise<(string | undefined)[]> {
  const reported: (string | undefined)[] = []
  let look = 0
  const at = () => stamps[Math.min(look, stamps.length) - 1]
  const watch = new FileWatch({
    files: () => ['a'],
    everyMs: 1,
    stampOf: async () => {
      look++
      return at()
    },
    onChange: () => reported.push(at()),
  })
  atTestEnd(() => watch.stop())
  await expect.poll(() => look, { interval: 5 }).toBeGreaterThan(stamps.length + 6)
  watch.stop()
  return reported
}

it.each([
  ['what it finds first', ['1'], ['1']],
  ['a change', ['1', '1', '2', '2'], ['1', '2']],
  ['a file that is being written, once it stays the same', ['1', '1', '2', '3', '4', '5', '5'], ['1', '5']],
  ['a change while it was not looked at yet', ['1', '2', '2'], ['2']],
  ['nothing for a file that is replaced by itself', ['1', '1', undefined, '1', '1'], ['1']],
  ['another file after a moment without one', ['1', '1', undefined, undefined, '2', '2'], ['1', '2']],
  ['a file that stays away', ['1', '1', undefined], ['1', undefined]],
] as const)('reports %s', async (_what, stamps, reported) => {
  expect(await changesBy(stamps)).toEqual(reported)
})

// npm only warns of a dependency that wants a newer Node than ours: here it fails.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

interface LockedPackage {
  engines?: { node?: string }
}

const lock = JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')) as {
  packages: Record<string, LockedPackage>
}
const oldest = [20, 19, 0]

/** Clients that tests run although they ask for more: what the doors' contract does with them works on Node 20. */
const allowed = ['node_modules/openai-7']

it('every dependency takes the oldest Node that we take', () => {
  const tooNew = Object.entries(lock.packages).filter(([, { engines }]) => !takes(engines?.node))
  expect(tooNew.map(([path]) => path)).toEqual(allowed)
})

/** Knows what stands in the lock file, alternatives of `>=` and `^`; whatever else there is does not fit. */
function takes(range = '>=0'): boolean {
  return range.split('||').some((alternative) => {
    const [, sign, version = ''] = /^\s*(>=|\^)\s*([\d.]+)\s*$/.exec(alternative) ?? []
    const wanted = version.split('.').map(Number)
    if (sign === undefined || (sign === '^' && wanted[0] !== oldest[0])) return false
    const at = oldest.findIndex((part, index) => part !== (wanted[index] ?? 0))
    return at < 0 || (oldest[at] ?? 0) > (wanted[at] ?? 0)
  })
}

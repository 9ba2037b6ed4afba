// Dependencies: exactly these packages in exactly these versions, and none runs code at installation.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mostRuntimePackages, runtimePackages } from './cases/packages.ts'

interface LockedPackage {
  version?: string
  resolved?: string
  integrity?: string
  link?: boolean
  dev?: boolean
  hasInstallScript?: boolean
  engines?: { node?: string }
}

const read = (name: string) => readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }
const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>

const packages = Object.entries(lock.packages).filter(([path]) => path !== '')
const runtime = packages.filter(([, { dev }]) => !dev)
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)

describe('the dependencies of users', () => {
  it('is this list, and each addition to it a decision', () => {
    expect(runtime.map(([path]) => nameOf(path)).sort()).toEqual([...runtimePackages].sort())
    expect(runtime.length).toBeLessThanOrEqual(mostRuntimePackages)
  })

  it('runs nothing when it is installed', () => {
    expect(runtime.filter(([, { hasInstallScript }]) => hasInstallScript)).toEqual([])
    const own = Object.keys(manifest.scripts ?? {})
    expect(own.filter((name) => /^(pre|post)?(install|prepare|publish|pack)/.test(name))).toEqual([])
  })
})

describe('the dependencies of developers', () => {
  it('.npmrc forbids install scripts', () => {
    expect(read('.npmrc').split('\n')).toContain('ignore-scripts=true')
  })

  it.each(['dependencies', 'devDependencies', 'optionalDependencies', 'overrides'])(
    '%s are pinned',
    (group) => {
      const exact = /^(npm:(@[\w.-]+\/)?[\w.-]+@)?\d+\.\d+\.\d+(-[\w.]+)?$/
      const versions = Object.entries(manifest[group] ?? {})
      expect(versions.filter(([, version]) => !exact.test(version))).toEqual([])
      expect(versions.length).toBeGreaterThan(0)
    },
  )

  it('is locked whole, by digests, from the registry alone', () => {
    expect(packages.filter(([, { integrity }]) => !/^sha512-[\w+/]{86}==$/.test(integrity ?? ''))).toEqual([])
    expect(packages.filter(([, { link }]) => link)).toEqual([])
    const elsewhere = packages.filter(
      ([, { resolved }]) => resolved && !/^https:\/\/registry\.npmjs\.org\//.test(resolved),
    )
    expect(elsewhere).toEqual([])
  })

  it('matches the manifest', () => {
    const root = lock.packages[''] as Record<string, unknown>
    for (const group of ['dependencies', 'devDependencies', 'optionalDependencies'])
      expect(root[group]).toEqual(manifest[group])
  })
})

describe('Node', () => {
  const oldest = [20, 19, 0]
  /** Clients that require a newer Node: the parts that the door contracts use work on Node 20. */
  const allowed = ['node_modules/openai-7']

  // npm only warns of it: here it fails.
  it('every dependency takes the oldest that we take', () => {
    const tooNew = Object.entries(lock.packages).filter(([, { engines }]) => !takes(engines?.node))
    expect(tooNew.map(([path]) => path)).toEqual(allowed)
  })

  /** Knows the ranges of the lock file, alternatives of `>=` and `^`, and `*`; all others do not match. */
  function takes(range = '>=0'): boolean {
    if (range === '*') return true
    return range.split('||').some((alternative) => {
      const [, sign, version = ''] = /^\s*(>=|\^)\s*([\d.]+)\s*$/.exec(alternative) ?? []
      const wanted = version.split('.').map(Number)
      if (sign === undefined || (sign === '^' && wanted[0] !== oldest[0])) return false
      const at = oldest.findIndex((part, index) => part !== (wanted[index] ?? 0))
      return at < 0 || (oldest[at] ?? 0) > (wanted[at] ?? 0)
    })
  }
})

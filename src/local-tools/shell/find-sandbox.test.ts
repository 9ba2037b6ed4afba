// The search for a sandbox: unusable settings, and a bwrap that is missing or does not work.

import { chmodSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createPlayground } from '../../../test/sandbox.ts'
import { findSandbox } from './sandbox.ts'

const { root, outside } = createPlayground()

describe('without a sandbox', () => {
  const settings = { root, hidden: [], readable: [], network: false }

  it.each(['/', '/usr', '/etc', '/usr/bin', '/proc/self', '/dev/shm/x'])(
    '%s cannot be the root',
    async (path) => {
      expect(await findSandbox({ ...settings, root: path, bwrap: '/bin/true' })).toEqual({
        problem: expect.any(String),
      })
    },
  )

  it('the whole file system cannot be readable', async () => {
    expect(await findSandbox({ ...settings, readable: ['/'], bwrap: '/bin/true' })).toMatchObject({
      problem: expect.stringContaining('whole file system'),
    })
  })

  it.each([
    ['echo "bwrap: setting up uid map: Permission denied" >&2; exit 1', 'AppArmor'],
    [
      'echo "bwrap: Creating new namespace failed: Operation not permitted" >&2; exit 1',
      'kernel.unprivileged_userns_clone',
    ],
    [
      'echo "bwrap: Can\'t mount proc on /newroot/proc: Operation not permitted" >&2; exit 1',
      'systempaths=unconfined',
    ],
    ['echo "something else" >&2; exit 1', 'something else'],
  ])('gives advice: %s', async (script, advice) => {
    const bwrap = join(outside, 'bwrap')
    writeFileSync(
      bwrap,
      `#!/bin/sh\ncase "$1" in --version) echo bubblewrap 9.9;; --help) echo;; *) ${script};; esac\n`,
    )
    chmodSync(bwrap, 0o755)
    const found = await findSandbox({ ...settings, bwrap })
    rmSync(bwrap)
    expect(found).toEqual({ problem: expect.stringContaining(advice) })
  })

  it('reports a missing or broken bwrap', async () => {
    expect(await findSandbox({ ...settings, bwrap: join(outside, 'nothing') })).toMatchObject({
      problem: expect.stringContaining('does not run'),
    })
    const { PATH } = process.env
    process.env.PATH = outside
    try {
      expect(await findSandbox(settings)).toMatchObject({
        problem: expect.stringContaining('install the package'),
      })
    } finally {
      process.env.PATH = PATH
    }
  })
})

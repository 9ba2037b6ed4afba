// An attacker swaps folders and files for outside links while the tools run. Nothing outside is read or changed. As a control,
// the usual check-then-open is fooled by the same attacker.

import { renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/depth.ts'
import type { Outcome } from '../../protocols/client-tools/job.ts'
import { canSwap, startSwapping } from './swapper.fixture.ts'
import {
  canary,
  fingerprint,
  openDescriptors,
  openWorkspace,
  put,
  type Workspace,
} from './workspace.fixture.ts'

const inside = 'inside\n'

async function attacked(): Promise<Workspace> {
  const workspace = await openWorkspace({
    'd/secret.txt': inside,
    'd/folder/secret.txt': inside,
    f: inside,
  })
  const { root, outside } = workspace
  put(join(outside, 'victim.txt'), canary)
  symlinkSync(outside, join(root, 'd.link'))
  symlinkSync('../outside/secret.txt', join(root, 'f.link'))
  await startSwapping([
    [join(root, 'd'), join(root, 'd.link')],
    [join(root, 'f'), join(root, 'f.link')],
  ])
  return workspace
}

/** A tool may have replaced or deleted one of the two. */
function restoreFile(root: string): void {
  writeFileSync(join(root, 'fresh'), inside)
  symlinkSync('../outside/secret.txt', join(root, 'fresh.link'))
  renameSync(join(root, 'fresh.link'), join(root, 'f.link'))
  renameSync(join(root, 'fresh'), join(root, 'f'))
}

class Tally {
  done = 0
  refused = 0
  missing = 0
  escaped = 0

  add(outcome: Outcome): void {
    if (JSON.stringify(outcome).includes(canary)) this.escaped++
    if (outcome.kind !== 'failed') this.done++
    else if (outcome.denied) this.refused++
    else this.missing++
  }
}

it.skipIf(!process.env.CI)('there is an attacker (Perl)', () => expect(canSwap).toBe(true))

const reads = scaled(10_000, 500)
const writes = scaled(600, 200)
const searches = scaled(100, 40)

describe.skipIf(!canSwap)('against an attacker who swaps', () => {
  it(`${reads} reads show what is inside, or nothing`, async () => {
    const { root, outside, run } = await attacked()
    const before = fingerprint(outside)
    const tally = new Tally()
    const paths = ['d/secret.txt', 'f', 'd/folder/secret.txt', 'd/../f']
    for (let count = 0; count < reads; count++) {
      const outcome = await run({ kind: 'read', path: paths[count % paths.length] as string })
      if (outcome.kind === 'read' && outcome.content !== inside) tally.escaped++
      tally.add(outcome)
    }
    // Both happened: the attacker was early, and the attacker was late.
    expect(tally.escaped).toBe(0)
    expect(tally.done).toBeGreaterThan(0)
    expect(tally.refused).toBeGreaterThan(0)
    expect(fingerprint(outside)).toBe(before)
    expect(openDescriptors(root)).toBe(1)
  })

  it(`${4 * writes} writes and deletes change nothing outside`, async () => {
    const { root, outside, run } = await attacked()
    const before = fingerprint(outside)
    const written = new Tally()
    const deleted = new Tally()
    for (let count = 0; count < writes; count++) {
      written.add(await run({ kind: 'write', path: 'd/victim.txt', content: 'written' }))
      deleted.add(await run({ kind: 'delete', path: 'd/victim.txt' }))
      written.add(
        await run({ kind: 'write', path: count % 2 ? 'f' : 'd/folder/new/er.txt', content: inside }),
      )
      deleted.add(await run({ kind: 'delete', path: count % 2 ? 'd/folder/new/er.txt' : 'f' }))
      if (count % 4 === 0) restoreFile(root)
    }
    for (const tally of [written, deleted]) {
      expect(tally.escaped).toBe(0)
      expect(tally.done).toBeGreaterThan(0)
      expect(tally.refused).toBeGreaterThan(0)
    }
    expect(fingerprint(outside)).toBe(before)
    expect(openDescriptors(root)).toBe(1)
  })

  it(`${3 * searches} searches and listings find nothing outside`, async () => {
    const { outside, run } = await attacked()
    const before = fingerprint(outside)
    const tally = new Tally()
    for (let count = 0; count < searches; count++) {
      tally.add(await run({ kind: 'grep', pattern: '.', mode: 'content' }))
      tally.add(await run({ kind: 'grep', pattern: '.', mode: 'content', path: 'd' }))
      const listed = await run({ kind: 'list', path: 'd' })
      expect(JSON.stringify(listed)).not.toContain('victim')
      tally.add(listed)
    }
    expect(tally.escaped).toBe(0)
    expect(tally.done).toBeGreaterThan(0)
    expect(tally.refused).toBeGreaterThan(0)
    expect(fingerprint(outside)).toBe(before)
  })

  it('check-then-open is fooled', async () => {
    const { root } = await attacked()
    let fooled = false
    for (let count = 0; count < 100_000 && !fooled; count++) {
      const path = join(root, count % 2 ? 'd/secret.txt' : 'f')
      const real = await realpath(path).catch(() => '')
      if (!real.startsWith(`${root}/`)) continue
      fooled = (await readFile(path, 'utf8').catch(() => '')).includes(canary)
    }
    expect(fooled).toBe(true)
  })
})

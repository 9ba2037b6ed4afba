// For root the kernel has no limit on processes but that of a control group. Where one can be made, a command is put into
// it before it begins; elsewhere the watcher of run-program.ts has to do.

import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { randomId } from '../core/ids.ts'

export interface ProcessCap {
  /** argv that goes into the group first, then runs this. */
  wrap(argv: readonly string[]): string[]
  /** Once all its processes are gone, or soon will be. */
  close(): Promise<void>
}

const version1 = '/sys/fs/cgroup/pids'
const version2 = '/sys/fs/cgroup'
const prefix = 'dragoman-'

export function openProcessCap(maxProcesses: number): ProcessCap | undefined {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined
  const group = makeGroup(maxProcesses)
  if (group === undefined) return undefined
  return {
    // `$0` is the group. Who cannot get into it does not run.
    wrap: (argv) => ['/bin/sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group, ...argv],
    close: () => removeGroup(group),
  }
}

function makeGroup(maxProcesses: number): string | undefined {
  for (const parent of [version1, version2]) {
    const group = join(parent, `${prefix}${process.pid}-${randomId(8)}`)
    try {
      if (parent === version2) allowPids()
      mkdirSync(group)
      writeFileSync(join(group, 'pids.max'), String(maxProcesses))
      return group
    } catch {
      // No such hierarchy, not ours to change, or the folder is no control group at all.
      tryRemove(group)
    }
  }
  return undefined
}

/** Groups below have only what the one above hands on. */
function allowPids(): void {
  const file = join(version2, 'cgroup.subtree_control')
  if (!readFileSync(file, 'utf8').split(/\s/).includes('pids')) writeFileSync(file, '+pids')
}

async function removeGroup(group: string): Promise<void> {
  for (let tries = 0; tries < 20; tries++) {
    if (tryRemove(group)) return
    await sleep(25)
  }
}

function tryRemove(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

/** What a gateway left behind that did not come to its own end. */
export function removeOldGroups(): void {
  for (const parent of [version1, version2])
    for (const name of list(parent)) if (name.startsWith(prefix)) tryRemove(join(parent, name))
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

// A control group with a limit of tasks, for root: the kernel's per-user limit does not apply to root. No process can leave it
// by a new session or environment, so all of them can be found, stopped and ended.
// https://docs.kernel.org/admin-guide/cgroup-v1/pids.html, https://docs.kernel.org/admin-guide/cgroup-v2.html

import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { signalOne } from './process-tree.ts'

export interface TaskGroup {
  /** The argv that joins the group, then runs this one. */
  wrap(argv: readonly string[]): string[]
  members(): number[]
  /** Kills all but `sparing`, which reaps the others. */
  kill(sparing?: number): void
  remove(): Promise<void>
}

let usable = process.getuid?.() === 0
let swept = false

/** `undefined` if this process cannot create one, as in most containers. */
export function createTaskGroup(maxTasks: number): TaskGroup | undefined {
  if (!usable) return undefined
  if (!swept) for (const parent of parents()) removeOrphans(parent)
  swept = true
  for (const parent of parents()) {
    const group = join(parent, `dragoman-${process.pid}-${randomUUID()}`)
    if (isMade(group, maxTasks)) return taskGroup(group)
  }
  usable = false
  return undefined
}

/** Groups of a killed gateway remain, although its processes ended with it. */
function removeOrphans(parent: string): void {
  for (const name of readdirSync(parent)) {
    const owner = /^dragoman-(\d+)-/.exec(name)?.[1]
    if (owner !== undefined && !existsSync(`/proc/${owner}`)) isRemoved(join(parent, name))
  }
}

function isMade(group: string, maxTasks: number): boolean {
  try {
    mkdirSync(group)
  } catch {
    return false
  }
  try {
    // Without task counting, the file does not exist and cannot be created.
    writeFileSync(join(group, 'pids.max'), String(maxTasks), { flag: 'r+' })
    return true
  } catch {
    rmdirSync(group)
    return false
  }
}

const mounted = '/sys/fs/cgroup'

/** In cgroup v1, below our own group; in v2, beside it, because a group with processes cannot have counted subgroups. */
function parents(): string[] {
  const ours = textOf('/proc/self/cgroup').split('\n')
  const first = ours.find((line) => /^\d+:([^:]*,)?pids(,[^:]*)?:/.test(line))?.replace(/^\d+:[^:]*:/, '')
  const second = ours.find((line) => line.startsWith('0::'))?.slice(3)
  const places = [
    ...(first === undefined ? [] : [join(mounted, 'pids', first), join(mounted, 'pids')]),
    ...(second === undefined ? [] : [join(mounted, dirname(second)), mounted]),
  ]
  return [...new Set(places)].filter((place) => existsSync(place))
}

function taskGroup(group: string): TaskGroup {
  const file = (name: string) => join(group, name)
  const members = () => textOf(file('cgroup.procs')).split('\n').filter(Boolean).map(Number)
  return {
    wrap: (argv) => ['/bin/sh', '-c', 'echo $$ > "$0" && exec "$@"', file('cgroup.procs'), ...argv],
    members,
    kill(sparing) {
      // No task can be added from here on, so the loop ends.
      tryWrite(file('pids.max'), '0')
      for (let round = 0; round < 3; round++)
        for (const pid of members()) if (pid !== sparing) signalOne(pid, 'SIGKILL')
    },
    async remove() {
      for (let tries = 0; tries < 100 && !isRemoved(group); tries++) await sleep(Math.min(tries + 1, 20))
    },
  }
}

function isRemoved(group: string): boolean {
  try {
    rmdirSync(group)
    return true
  } catch {
    return !existsSync(group)
  }
}

function tryWrite(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: 'r+' })
  } catch {
    // The group is already gone.
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

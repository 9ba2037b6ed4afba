// Which processes a command has, as Linux tells it in /proc. Elsewhere there are none to be seen.

import { readdirSync, readFileSync } from 'node:fs'

/** Children, their children, and so on. A process whose parent ended is not among them unless a namespace keeps it. */
export function descendants(pid: number, atMost = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = []
  const open = [pid]
  for (let next = open.pop(); next !== undefined && found.length < atMost; next = open.pop()) {
    const children = childrenOf(next)
    found.push(...children)
    open.push(...children)
  }
  return found
}

export function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`
  return list(tasks).flatMap((task) => numbers(read(`${tasks}/${task}/children`)))
}

/** Processes that were started with this `NAME=value` and did not take it away, youngest first. */
export function withEnvironment(entry: string, atMost = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = []
  for (const pid of allProcesses().reverse()) {
    if (found.length >= atMost) break
    if (`\0${read(`/proc/${pid}/environ`)}`.includes(`\0${entry}\0`)) found.push(pid)
  }
  return found
}

/** Tasks of the whole machine: one cheap number that tells when it is worth to look closer. */
export function taskCount(): number {
  return Number(/\/(\d+) \d+\s*$/.exec(read('/proc/loadavg'))?.[1] ?? 0)
}

/** Threads of this user, which is what the kernel's limit counts where it does not count by namespace. */
export function threadsOfUser(uid: number): number {
  const own = (status: string) => Number(/^Uid:\s+(\d+)/m.exec(status)?.[1] ?? -1) === uid
  return allProcesses()
    .map((pid) => read(`/proc/${pid}/status`))
    .filter(own)
    .reduce((sum, status) => sum + Number(/^Threads:\s+(\d+)/m.exec(status)?.[1] ?? 1), 0)
}

export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) signalOne(pid, signal)
}

/** A negative number is a process group. */
export function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // Gone already, which is what a signal is for.
  }
}

const allProcesses = () => list('/proc').map(Number).filter(Number.isInteger)

const numbers = (text: string) => text.split(' ').filter(Boolean).map(Number)

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

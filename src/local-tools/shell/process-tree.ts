// The processes of a command, from /proc on Linux. Other systems show none.

import { readdirSync, readFileSync } from 'node:fs'

/** All descendants. A process whose parent has ended is missing, unless a namespace keeps it. */
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

/** Processes with this `NAME=value` in their environment, youngest first. */
export function withEnvironment(entry: string, atMost = Number.POSITIVE_INFINITY): number[] {
  const found: number[] = []
  for (const pid of allProcesses().reverse()) {
    if (found.length >= atMost) break
    if (`\0${read(`/proc/${pid}/environ`)}`.includes(`\0${entry}\0`)) found.push(pid)
  }
  return found
}

/** The number of tasks on the machine: a cheap hint whether a closer look is worthwhile. */
export function taskCount(): number {
  return Number(/\/(\d+) \d+\s*$/.exec(read('/proc/loadavg'))?.[1] ?? 0)
}

/** The threads of this user, which the kernel's limit counts outside a user namespace. */
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
    // Already gone.
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

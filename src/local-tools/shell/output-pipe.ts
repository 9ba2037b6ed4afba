// Real pipes for the output of a command. Node's own "pipes" are sockets, which Linux refuses to open by path: `echo oops >
// /dev/stderr`, which models write, would fail.

import { execFile } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { promisify } from 'node:util'

interface OutputPipe {
  reader: Readable
  /** For `stdio`; closed here once the child has it. */
  writer: number
}

/** `undefined` without `mkfifo`: Node's own pipes work in most cases. */
export async function openPipes(count: number): Promise<OutputPipe[] | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-pipe-'))
  const files = Array.from({ length: count }, (_, index) => join(folder, String(index)))
  try {
    await promisify(execFile)('mkfifo', ['-m', '600', ...files], { env: { PATH: '/usr/bin:/bin' } })
    return files.map(openPipe)
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function openPipe(file: string): OutputPipe {
  const end = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = openSync(file, constants.O_WRONLY)
  return { reader: new net.Socket({ fd: end, readable: true, writable: false }), writer }
}

let inherited: number[] | undefined

/**
 * Inherited descriptors that this process would pass on: a folder or a socket among them is a way out of any sandbox. Node
 * opens none of this kind itself, so one check is enough.
 */
function inheritedDescriptors(): readonly number[] {
  inherited ??= openDescriptors().filter((fd) => fd > 2 && !closesOnExec(fd))
  return inherited
}

const closeOnExec = 0o2000000

function closesOnExec(fd: number): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1]
    return (Number.parseInt(flags ?? '0', 8) & closeOnExec) !== 0
  } catch {
    return true
  }
}

function openDescriptors(): number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number)
  } catch {
    return []
  }
}

/** `stdio` for spawn: no input, two writers, and inherited descriptors closed. */
export function childStdio(
  [out, err]: [Writer, Writer],
  leaks = inheritedDescriptors(),
): { stdio: Stdio; close(): void } {
  const stdio: Stdio = ['ignore', out, err]
  if (leaks.length === 0) return { stdio, close: () => undefined }
  const nothing = openSync('/dev/null', constants.O_RDWR)
  for (const fd of leaks) stdio[fd] = nothing
  return { stdio: Array.from(stdio, (entry) => entry ?? 'ignore'), close: () => closeSync(nothing) }
}

type Writer = number | 'pipe'
type Stdio = ('ignore' | 'pipe' | number)[]

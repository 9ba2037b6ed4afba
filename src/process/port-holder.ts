// Which program holds a port: a gateway of this user, another Dragoman, or on Linux the process that listens there.

import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import { thisSystem } from '../base/platform/system.ts'
import { looksSecret } from '../base/secrets/find.ts'
import { visibleLine } from '../base/visible-text.ts'
import { readEnvironment } from '../config/environment.ts'
import { controlFolder, runningGateways } from './control-file.ts'
import { answersAt } from './gateway-at.ts'

const answerMs = 1_000
const mostProcesses = 10_000
const longestCommand = 80

/** Such as `by the gateway of /home/me/dragoman.jsonc (process 4711)`; empty if nothing is known. */
export async function portHolder({ host, port }: { host: string; port: number }): Promise<string> {
  const own = runningGateways(controlFolder(readEnvironment().stateFolder)).find(
    ({ url }) => Number(new URL(url).port) === port,
  )
  if (own) return `by the gateway of ${visibleLine(own.file)} (process ${own.pid})`
  const found = thisSystem === 'linux' ? listeningProcess(port) : undefined
  const at = found === undefined ? '' : ` (process ${found.pid}: ${found.command})`
  if (await isDragoman(host, port)) return `by another dragoman${at}`
  return found === undefined ? '' : `by process ${found.pid}: ${found.command}`
}

async function isDragoman(host: string, port: number): Promise<boolean> {
  const reachable =
    host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '[::1]' : host.includes(':') ? `[${host}]` : host
  return (await answersAt(`http://${reachable}:${port}`, answerMs)) === 'gateway'
}

interface Listening {
  pid: number
  command: string
}

/** Processes of other users do not show their sockets. */
function listeningProcess(port: number): Listening | undefined {
  const sockets = new Set(
    ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) => listeningInodes(read(file), port)),
  )
  if (sockets.size === 0) return undefined
  for (const pid of processes()) {
    if (!socketsOf(pid).some((link) => sockets.has(link))) continue
    return { pid: Number(pid), command: commandWords(read(`/proc/${pid}/cmdline`).split('\0')) }
  }
  return undefined
}

/** The sockets that listen on a port, as `/proc/PID/fd` shows them. `table` is a file of `/proc/net`. */
export function listeningInodes(table: string, port: number): string[] {
  return table
    .split('\n')
    .slice(1)
    .flatMap((line) => {
      const [, local = '', , state, , , , , , inode = ''] = line.trim().split(/\s+/)
      const isOurs = state === listens && Number.parseInt(local.split(':')[1] ?? '', 16) === port
      return isOurs ? [`socket:[${inode}]`] : []
    })
}

/** TCP_LISTEN. */
const listens = '0A'

/** The program and its first words: what follows may be a secret. */
export function commandWords([program = '', ...rest]: readonly string[]): string {
  const flag = rest.findIndex((word) => word.startsWith('-') || word.includes('='))
  const words = [basename(program), ...rest.slice(0, flag === -1 ? 2 : Math.min(flag, 2))].filter(Boolean)
  const text = visibleLine(words.join(' '))
  if (text === '' || looksSecret.find(text).length > 0) return 'its command is not shown'
  return text.length > longestCommand ? `${text.slice(0, longestCommand)}…` : text
}

function processes(): string[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .slice(0, mostProcesses)
  } catch {
    return []
  }
}

function socketsOf(pid: string): string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).map((fd) => readlink(`/proc/${pid}/fd/${fd}`))
  } catch {
    return []
  }
}

function readlink(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return ''
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

// A real Redis for a test: its own process, nothing kept, on a socket file or on a port that it comes back to.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describeWith, findProgram } from './debian-program.ts'
import { freePort } from './end-to-end/wire.ts'

const server = { program: 'redis-server', variable: 'REDIS_SERVER_BIN' }
const program = findProgram(server)

/** As `describe`; skipped where there is no redis-server, except in CI, where that is a failure. */
export const describeWithRedis = (name: string, tests: () => void) => describeWith([server], name, tests)

export interface TestRedis {
  /** For `sessions.redis`. */
  url: string
  /** One command by its words; what was answered, as on the wire. */
  command(...words: string[]): Promise<string>
  /** Gone at once, as by kill -9. */
  kill(): Promise<void>
  /** There again, empty, at the same address. */
  restart(): Promise<void>
  /** Freezes the process; its connections stay open. */
  freeze(): void
  thaw(): void
  stop(): Promise<void>
}

type Address = { path: string } | { host: string; port: number }

export async function startRedis({ tcp = false } = {}): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-redis-'))
  const path = join(folder, 'r.sock')
  const port = tcp ? await freePort() : 0
  const address: Address = tcp ? { host: '127.0.0.1', port } : { path }
  let child: ChildProcess
  const start = async () => {
    const where = tcp ? ['--bind', '127.0.0.1'] : ['--unixsocket', path]
    const settings = ['--save', '', '--appendonly', 'no', '--dir', folder]
    child = spawn(program ?? '', ['--port', String(port), ...where, ...settings], { stdio: 'ignore' })
    for (let tries = 0; tries < 500; tries++) {
      if ((await ask(address, ['PING']).catch(() => '')) === '+PONG') return
      await sleep(10)
    }
    throw new Error('redis-server did not start')
  }
  const end = (signal: NodeJS.Signals) =>
    new Promise<void>((resolve) => {
      if (child.exitCode !== null || child.signalCode !== null) return resolve()
      child.once('exit', () => resolve())
      child.kill(signal)
    })
  await start()
  return {
    url: tcp ? `redis://127.0.0.1:${port}` : `unix://${path}`,
    command: (...words) => ask(address, words),
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGKILL')
      await start()
    },
    freeze: () => void child.kill('SIGSTOP'),
    thaw: () => void child.kill('SIGCONT'),
    stop: async () => {
      await end('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** By hand: the client under test must not be the witness. Enough for answers of one line or one string. */
function ask(address: Address, words: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(address as net.NetConnectOpts)
    let text = ''
    const done = () => {
      const [head = '', body] = text.split('\r\n')
      const whole =
        head.startsWith('$') && head !== '$-1' ? text.split('\r\n').length > 2 : text.includes('\r\n')
      if (!whole) return
      socket.destroy()
      resolve(head.startsWith('$') && head !== '$-1' ? (body ?? '') : head)
    }
    socket.setTimeout(10_000, () => socket.destroy(new Error('Redis is silent')))
    socket.on('data', (chunk) => {
      text += chunk
      done()
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('Redis closed the connection')))
    const parts = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
    socket.write(`*${words.length}\r\n${parts.join('')}`)
  })
}

// The built program, in a home folder of its own and with an environment that holds nothing else: as a child process, or by
// day in a process that commands share (command-process.ts).

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { atEnd } from '../at-end.ts'
import { isNightly } from '../depth.ts'
import { type CommandEnd, type CommandRun, startCommand } from './command-process.ts'

export const root = fileURLToPath(new URL('../../', import.meta.url))
export const program = join(root, 'dist', 'src', 'cli.js')

/** A child that hangs is ended; on a loaded machine a healthy one may take a while. */
const patienceMs = 60_000

if (!existsSync(program))
  throw new Error(`${program} is missing: run \`npm run build\` first (\`npm test\` does that by itself).`)

export interface Settings {
  env?: Record<string, string>
  cwd?: string
  /** Needs its own process: it gets signals, or the process itself is tested. */
  ownProcess?: boolean
  /** Its stderr: a pipe of which nothing is read, or a file. Read to the end unless it is said. */
  log?: 'unread' | { file: string }
}

export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Both, for "is nowhere to be seen". */
  output: string
}

export interface Running {
  /** The URL of the ready line. */
  url: string
  pid: number
  /** Closes the pipe that its stderr is. */
  closeLog(): void
  stdout(): string
  stderr(): string
  kill(signal: NodeJS.Signals): void
  ended: Promise<Ended>
  /** Ends it however it can, and says how it ended. */
  stop(): Promise<Ended>
}

export { atEnd }

/** A folder with its own configuration, data and state; nothing of the machine's user shows through. */
export class Home {
  readonly folder = mkdtempSync(join(tmpdir(), 'dragoman-cli-'))
  readonly env: Record<string, string>

  constructor() {
    atEnd(() => rmSync(this.folder, { recursive: true, force: true }))
    mkdirSync(this.path('work'))
    this.env = {
      HOME: this.folder,
      XDG_CONFIG_HOME: this.path('config'),
      XDG_DATA_HOME: this.path('data'),
      XDG_STATE_HOME: this.path('state'),
    }
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts)
  }

  get keyFile(): string {
    return this.path('data', 'dragoman', 'key')
  }

  /** Writes a file below the home folder and gives its full path. */
  write(name: string, content: unknown): string {
    const path = this.path(name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2))
    return path
  }

  /** Runs a command to its end; a server that should not have started is stopped. */
  async run(args: readonly string[], settings: Settings = {}): Promise<Ended> {
    const child = new Child(args, this, settings)
    void child.ready().then(
      (running) => running.stop(),
      () => undefined,
    )
    return child.ended
  }

  /** Starts a command that stays, and waits for its ready line. */
  async start(args: readonly string[], settings: Settings = {}): Promise<Running> {
    const child = new Child(args, this, settings)
    return child.ready()
  }

  /** `serve` on a free port with these settings. */
  serve(config: unknown, args: readonly string[] = [], settings: Settings = {}): Promise<Running> {
    const file = this.write(`serve-${served++}.jsonc`, config)
    return this.start(['serve', '--config', file, '--port', '0', ...args], settings)
  }
}

/** Commands that need no process of their own: they read nothing from standard input, and start no process that must be theirs. */
const sharedCommands = new Set([
  'completion',
  'config',
  'conform',
  'demo',
  'doctor',
  'init',
  'inspect',
  'launch',
  'login',
  'logout',
  'models',
  'probe',
  'reload',
  'serve',
  'setup',
  'sim',
  'status',
  'tape',
  'usage',
])

/** By day, in a process that commands share. At night every command is a process, as users run it. */
function isShared(args: readonly string[], { env = {}, log, ownProcess }: Settings): boolean {
  if (isNightly || ownProcess || log !== undefined || args.includes('--workers')) return false
  return sharedCommands.has(args[0] ?? '') && !Object.keys(env).some((name) => name.startsWith('NODE_'))
}

let served = 0

const readyLine = /^(?:dragoman|simulator \S+) listening on (http:\/\/\S+)\n/

interface StartedProcess {
  readonly pid: number
  kill(signal: NodeJS.Signals): void
  closeLog?(): void
  readonly ended: Promise<CommandEnd>
}

type Output = (stream: 'stdout' | 'stderr', text: string) => void

function startProcess(run: CommandRun, log: Settings['log'], onOutput: Output): StartedProcess {
  const child = spawn(process.execPath, [program, ...run.args], {
    cwd: run.cwd,
    env: run.env,
    stdio: ['ignore', 'pipe', typeof log === 'object' ? openSync(log.file, 'a') : 'pipe'],
  })
  child.stdout?.setEncoding('utf8').on('data', (text) => onOutput('stdout', text))
  if (log === 'unread') child.once('exit', () => child.stderr?.destroy())
  else child.stderr?.setEncoding('utf8').on('data', (text) => onOutput('stderr', text))
  return {
    pid: Number(child.pid),
    kill: (signal) => void child.kill(signal),
    closeLog: () => void child.stderr?.destroy(),
    ended: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal }))),
  }
}

class Child {
  readonly #process: StartedProcess
  readonly #written = { stdout: '', stderr: '' }
  readonly #timer: NodeJS.Timeout
  #onReady: (url: string) => void = () => undefined
  #hasEnded = false
  readonly #args: readonly string[]
  readonly ended: Promise<Ended>

  constructor(args: readonly string[], home: Home, settings: Settings) {
    this.#args = args
    const { env = {}, cwd = home.path('work'), log } = settings
    const run = { args, cwd, env: { PATH: process.env.PATH ?? '', ...home.env, ...env } }
    const onOutput: Output = (stream, text) => this.#onOutput(stream, text)
    const shared = isShared(args, settings) ? startCommand(program, run, onOutput) : undefined
    this.#process = shared ?? startProcess(run, log, onOutput)
    this.#timer = setTimeout(() => this.#process.kill('SIGKILL'), patienceMs)
    this.ended = this.#process.ended.then(({ code, signal }) => {
      clearTimeout(this.#timer)
      this.#hasEnded = true
      const { stdout, stderr } = this.#written
      return { code, signal, stdout, stderr, output: stdout + stderr }
    })
    atEnd(() => this.#stop())
  }

  #onOutput(stream: 'stdout' | 'stderr', text: string): void {
    this.#written[stream] += text
    const url = stream === 'stdout' ? readyLine.exec(this.#written.stdout)?.[1] : undefined
    if (url === undefined) return
    // A server may run for as long as its test file does.
    clearTimeout(this.#timer)
    this.#onReady(url)
  }

  async ready(): Promise<Running> {
    const line = new Promise<string>((resolve) => {
      this.#onReady = resolve
    })
    const early = this.ended.then(({ code, output }): never => {
      throw new Error(
        `\`dragoman ${this.#args.join(' ')}\` ended with ${code} instead of starting:\n${output}`,
      )
    })
    early.catch(() => undefined)
    const url = await Promise.race([line, early])
    return {
      url,
      pid: this.#process.pid,
      closeLog: () => this.#process.closeLog?.(),
      stdout: () => this.#written.stdout,
      stderr: () => this.#written.stderr,
      kill: (signal) => this.#process.kill(signal),
      ended: this.ended,
      stop: () => this.#stop(),
    }
  }

  async #stop(): Promise<Ended> {
    if (!this.#hasEnded) {
      this.#process.kill('SIGTERM')
      const timer = setTimeout(() => this.#process.kill('SIGKILL'), patienceMs)
      await this.ended
      clearTimeout(timer)
    }
    return this.ended
  }
}

/** A server on a free loopback port, closed when the test file is through. */
export async function listen(server: net.Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sockets = new Set<net.Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
  })
  atEnd(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

/** A port where nothing listens. */
export async function deadPort(): Promise<number> {
  const server = net.createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => server.close(() => resolve()))
  return port
}

/** Users get messages, never stack traces. */
export const stackTrace = /\n\s+at .+:\d+:\d+/

export const get = (url: string, key?: string) =>
  fetch(url, { headers: key === undefined ? {} : { authorization: `Bearer ${key}` } })

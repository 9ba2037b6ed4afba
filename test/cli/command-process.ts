// Processes that run commands for all tests of a worker; command-server.mjs is their side.

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface CommandRun {
  args: readonly string[]
  env: Record<string, string>
  cwd: string
}

export interface CommandEnd {
  code: number | null
  signal: NodeJS.Signals | null
}

export interface SharedCommand {
  /** Of the process that runs it. */
  readonly pid: number
  kill(signal: NodeJS.Signals): void
  readonly ended: Promise<CommandEnd>
}

type Message = { stdout: string } | { stderr: string } | { end: CommandEnd }
type Output = (stream: 'stdout' | 'stderr', text: string) => void

/** Servers that run at the same time in one file, and the concurrent tests of a file. */
const mostServers = 6
const idle: ChildProcess[] = []
let started = 0

/** Undefined where every server is busy. */
export function startCommand(program: string, run: CommandRun, onOutput: Output): SharedCommand | undefined {
  const server = idle.pop() ?? (started < mostServers ? startServer(program) : undefined)
  if (server === undefined) return undefined
  let hasEnded = false
  const ended = new Promise<CommandEnd>((resolve) => {
    const onExit = (code: number | null, signal: NodeJS.Signals | null) => resolve({ code, signal })
    const onMessage = (message: unknown) => {
      const told = message as Message
      if ('stdout' in told) return onOutput('stdout', told.stdout)
      if ('stderr' in told) return onOutput('stderr', told.stderr)
      server.off('exit', onExit).off('message', onMessage)
      idle.push(server)
      hasEnded = true
      resolve(told.end)
    }
    server.once('exit', onExit).on('message', onMessage)
    server.send({ run })
  })
  const kill = (signal: NodeJS.Signals) => {
    // The server may run another command by now.
    if (hasEnded || !server.connected) return
    if (signal === 'SIGKILL') server.kill(signal)
    else server.send({ signal })
  }
  return { pid: Number(server.pid), kill, ended }
}

function startServer(program: string): ChildProcess {
  started++
  const server = fork(fileURLToPath(new URL('./command-server.mjs', import.meta.url)), [program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  server.once('exit', () => {
    started--
    const at = idle.indexOf(server)
    if (at >= 0) idle.splice(at, 1)
  })
  server.unref()
  server.channel?.unref()
  return server
}

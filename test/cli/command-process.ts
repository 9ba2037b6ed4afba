// Processes that run commands for all tests of a worker; command-server.mjs is their side.

import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface CommandRun {
  args: readonly string[]
  env: Record<string, string>
  cwd: string
}

export interface CommandEnd {
  code: number
  stdout: string
  stderr: string
}

/** As many as the concurrent tests of a file. */
const mostServers = 2
const idle: ChildProcess[] = []
let started = 0

/** Undefined where every server is busy: commands that wait for each other need a process each. */
export function runCommand(program: string, run: CommandRun): Promise<CommandEnd> | undefined {
  const server = idle.pop() ?? (started < mostServers ? startServer(program) : undefined)
  if (server === undefined) return undefined
  return new Promise<CommandEnd>((resolve, reject) => {
    const onExit = () => reject(new Error(`\`dragoman ${run.args.join(' ')}\` ended the command server`))
    server.once('exit', onExit)
    server.once('message', (end) => {
      server.off('exit', onExit)
      resolve(end as CommandEnd)
    })
    server.send(run)
  }).finally(() => {
    if (server.exitCode === null) idle.push(server)
  })
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

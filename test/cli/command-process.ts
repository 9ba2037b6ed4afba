// One process that runs commands for all tests of a worker; command-server.mjs is its other side.

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

let child: ChildProcess | undefined
let isBusy = false

/** Undefined while another command runs: two commands that wait for each other need a process each. */
export function runCommand(program: string, run: CommandRun): Promise<CommandEnd> | undefined {
  if (isBusy) return undefined
  isBusy = true
  child ??= startServer(program)
  const server = child
  return new Promise<CommandEnd>((resolve, reject) => {
    const onExit = () => reject(new Error(`\`dragoman ${run.args.join(' ')}\` ended the command server`))
    server.once('exit', onExit)
    server.once('message', (end) => {
      server.off('exit', onExit)
      resolve(end as CommandEnd)
    })
    server.send(run)
  }).finally(() => {
    isBusy = false
  })
}

function startServer(program: string): ChildProcess {
  const started = fork(fileURLToPath(new URL('./command-server.mjs', import.meta.url)), [program], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    execArgv: [],
  })
  started.once('exit', () => {
    child = undefined
  })
  started.unref()
  started.channel?.unref()
  return started
}

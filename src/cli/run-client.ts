// Runs a client in the foreground: its terminal, its exit code; signals are passed on.

import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { CommandError } from '../process/command-error.ts'

type Variables = Readonly<Record<string, string | undefined>>

/** Resolves with the client's exit code; one that a signal ended has that of a shell. */
export function runClient(program: string, args: readonly string[], variables: Variables): Promise<number> {
  const env: NodeJS.ProcessEnv = { ...process.env, ...pastProxies(process.env), ...variables }
  for (const [name, value] of Object.entries(variables)) if (value === undefined) delete env[name]
  const client = spawn(program, args, { stdio: 'inherit', env })
  const handlers = signalHandlers((signal) => void client.kill(signal))
  for (const [signal, handler] of handlers) process.on(signal, handler)
  return new Promise<number>((resolve, reject) => {
    client.once('error', ({ message }) =>
      reject(new CommandError(`${program} cannot be started: ${message}`)),
    )
    client.once('exit', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)))
  }).finally(() => {
    for (const [signal, handler] of handlers) process.off(signal, handler)
  })
}

/** The addresses of this machine, as lists of exceptions name them. */
export const thisMachine = ['127.0.0.1', 'localhost', '::1']

/** A proxy of the user's must not get the session's prompts, and could not pass them on. Programs read one variable or the other. */
function pastProxies({ NO_PROXY, no_proxy }: NodeJS.ProcessEnv) {
  const extended = (list: string | undefined) => {
    const known = (list ?? '').split(/[,\s]+/).filter(Boolean)
    return known.includes('*') ? list : [...new Set([...known, ...thisMachine])].join(',')
  }
  return { NO_PROXY: extended(NO_PROXY || no_proxy), no_proxy: extended(no_proxy || NO_PROXY) }
}

/** Ctrl-C on a terminal reaches the client by itself: passed on, it would count twice. */
function signalHandlers(kill: (signal: NodeJS.Signals) => void) {
  const passed: NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT']
  return passed.map((signal) => {
    const isTyped = signal === 'SIGINT' && process.stdin.isTTY
    return [signal, () => (isTyped ? undefined : kill(signal))] as const
  })
}

// Starts a gateway for a command and stays with it: ready line, signals, drain, last resort.

import { execProblems } from '../config/exec.ts'
import { peerProblems } from '../config/peers.ts'
import { createGateway, type Gateway, type GatewayOptions } from '../gateway.ts'
import { LocalToolsProblem } from '../local-tools/local-tools-problem.ts'
import { errorFields } from '../observe/log.ts'
import { bindProblem } from './bind.ts'
import { CommandError } from './command-error.ts'

const drainMs = 30_000
/** For what closing takes behind that. */
const closeMs = 5_000
/** While it stops. One that throws without end would throw away the log. */
const mostErrors = 10

export interface RunOptions extends GatewayOptions {
  /** How this command takes another port, for the message that the port is busy. */
  portFlag?: string
  /** Printed behind the ready line. */
  hints?: (url: string) => string[]
  onStop?: () => Promise<void>
}

export async function runGateway(options: RunOptions): Promise<void> {
  // Again, since flags may have changed where it listens.
  const [problem] = [
    bindProblem(options.config) ?? [],
    peerProblems(options.config),
    execProblems(options.config),
  ].flat()
  if (problem) throw new CommandError(problem, 2)
  const gateway = await createGateway(options)
  // Before the ready line: whoever waits for it may stop the program at once.
  stopOnSignals(gateway, options.onStop)
  const url = await gateway.listen().catch((error: NodeJS.ErrnoException) => {
    if (error instanceof LocalToolsProblem) throw new CommandError(error.message, 2)
    throw new CommandError(listenProblem(error, options.config.listen, options.portFlag ?? '--port'))
  })
  process.stdout.write(`dragoman listening on ${url}\n`)
  for (const line of options.hints?.(url) ?? []) process.stdout.write(`${line}\n`)
}

/** --port, then PORT, then the file. */
export function chosenPort(flag: number | undefined, variable: number | undefined, fallback: number): number {
  if (flag !== undefined) return flag
  if (Number.isNaN(variable))
    throw new CommandError('The variable PORT must be a number from 0 to 65535; 0 picks a free one.', 2)
  return variable ?? fallback
}

function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  flag: string,
): string {
  if (error.code === 'EADDRINUSE') {
    return `Port ${port} on ${host} is in use, perhaps by another dragoman. Stop that one, or choose another port: ${flag} ${port + 1}, or ${flag} 0 for any free one.`
  }
  if (error.code === 'EACCES')
    return `Port ${port} needs more rights than this user has; choose one above 1023.`
  return `Cannot listen on ${host}:${port}: ${error.message}`
}

function stopOnSignals(gateway: Gateway, onStop: (() => Promise<void>) | undefined): void {
  let stopping = false
  let errors = 0
  // Also for when nothing is left that could keep it running.
  const fail = () => {
    process.exitCode = 1
  }
  const stop = async (reason: string) => {
    stopping = true
    gateway.log.info('stopping', { reason })
    // Whatever hangs: it ends.
    setTimeout(() => process.exit(1), drainMs + closeMs).unref()
    try {
      await gateway.close(drainMs)
      await onStop?.()
    } catch (error) {
      fail()
      gateway.log.error('stopping failed', errorFields(error))
    }
    process.exit()
  }
  const onSignal = (signal: string) => {
    if (stopping) process.exit(process.exitCode ?? 130)
    void stop(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal(signal))
  // Nobody knows what else is wrong then: what runs may end, its sessions are given up, and a new process is needed.
  const lastResort = (kind: string) => (error: unknown) => {
    fail()
    gateway.log.error(kind, errorFields(error))
    if (++errors > mostErrors) process.exit()
    if (!stopping) void stop(kind)
  }
  process.on('uncaughtException', lastResort('uncaught exception'))
  process.on('unhandledRejection', lastResort('unhandled rejection'))
}

// Runs a gateway for a command: ready line, signals, graceful shutdown.

import type { Config } from '../config/schema.ts'
import { createGateway, type Gateway, type InternalOptions } from '../gateway.ts'
import { LocalToolsProblem } from '../local-tools/local-tools-problem.ts'
import { CommandError } from './command-error.ts'
import { listenProblem, refuseProblems } from './listening.ts'
import { out } from './output.ts'
import { createStopper } from './stopper.ts'

export interface RunOptions extends InternalOptions {
  /** The flag that changes the port, for the message that the port is taken. */
  portFlag?: string
  /** Printed after the ready line. */
  hints?: (url: string) => string[]
  onStop?: () => Promise<void>
}

export async function runGateway(options: RunOptions): Promise<void> {
  refuseProblems(options.config)
  const gateway = await createGateway(options)
  // Before the ready line: a supervisor that waits for it may stop the program at once.
  const stopper = createStopper(gateway, { onStop: options.onStop })
  const onSignal = (signal: string) => {
    if (stopper.isStopping) process.exit(process.exitCode ?? 130)
    stopper.stop(signal)
  }
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal(signal))
  const url = await listenOrSay(gateway, options.config, options.portFlag)
  out(`dragoman listening on ${url}\n`)
  if (gateway.inspector) out(`Inspector: ${gateway.inspector.link(url)}\n`)
  for (const line of options.hints?.(url) ?? []) out(`${line}\n`)
}

/** The URL; a failure is a `CommandError`. */
export function listenOrSay(gateway: Gateway, { listen }: Config, portFlag = '--port'): Promise<string> {
  return gateway.listen().catch((error: NodeJS.ErrnoException) => {
    if (error instanceof LocalToolsProblem) throw new CommandError(error.message, 2)
    throw new CommandError(listenProblem(error, listen, portFlag))
  })
}

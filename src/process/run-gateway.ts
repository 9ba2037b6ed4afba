// Runs a gateway for a command: ready line, signals, graceful shutdown.

import { stopSignals } from '../base/platform/stop-signals.ts'
import type { Config } from '../config/schema.ts'
import { secondPort } from '../config/second-port.ts'
import { createGateway, type Gateway, type InternalOptions } from '../gateway.ts'
import { LocalToolsProblem } from '../local-tools/local-tools-problem.ts'
import { Metrics } from '../observe/metrics.ts'
import { CommandError } from './command-error.ts'
import { listenProblem, refuseProblems, secondPortFlag } from './listening.ts'
import { out } from './output.ts'
import { Reloading, type ReloadSource } from './reloading.ts'
import { createStopper } from './stopper.ts'
import { logWriting } from './terminal-log.ts'

export interface RunOptions extends InternalOptions {
  /** The flag that changes the port, for the message that the port is taken. */
  portFlag?: string
  /** Printed after the ready line. */
  hints?: (url: string) => string[]
  onStop?: () => Promise<void>
  /** Without it, the configuration stays as it is, and SIGHUP ends the process. */
  reload?: ReloadSource
}

export async function runGateway(options: RunOptions): Promise<void> {
  refuseProblems(options.config)
  const { reload: source, onStop } = options
  const metrics = new Metrics()
  const reloading = source && new Reloading(source)
  const gateway = await createGateway({
    ...{ ...logWriting(options.config), ...options, metrics, control: reloading?.control },
  })
  // Before the ready line: a supervisor that waits for it may stop the program at once.
  const stopper = createStopper(gateway, { onStopping: () => reloading?.stop(), onStop })
  reloading?.attach({ ...gateway, metrics, stop: stopper.stop })
  const onSignal = (signal: string) => {
    if (stopper.isStopping) process.exit(process.exitCode ?? 130)
    stopper.stop(signal)
  }
  for (const signal of stopSignals()) process.on(signal, () => onSignal(signal))
  const url = await listenOrSay(gateway, options.config, options.portFlag)
  reloading?.start(url)
  out(`dragoman listening on ${url}\n`)
  if (gateway.ollamaUrl) out(`Ollama's API: ${gateway.ollamaUrl}\n`)
  if (gateway.inspector) out(`Inspector: ${gateway.inspector.link(url)}\n`)
  for (const line of options.hints?.(url) ?? []) out(`${line}\n`)
}

/** The URL; a failure is a `CommandError`. */
export function listenOrSay(gateway: Gateway, config: Config, portFlag = '--port'): Promise<string> {
  return gateway.listen().catch(async (error: NodeJS.ErrnoException & { port?: number }) => {
    if (error instanceof LocalToolsProblem) throw new CommandError(error.message, 2)
    const second = secondPort(config)
    throw new CommandError(
      await (second && second.port === error.port
        ? listenProblem(error, second, secondPortFlag)
        : listenProblem(error, config.listen, portFlag)),
    )
  })
}

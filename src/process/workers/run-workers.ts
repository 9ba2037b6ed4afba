// `serve` with several workers: this process opens the port, hands connections out, keeps what the workers share (who has
// which session, the files with one writer, the figures) and replaces those that die. It answers no request itself.
//
// Connections are accepted here and passed on, which costs two messages for each of them, not for each request. The
// alternatives: workers that all accept on one socket share them unevenly on Linux, so that long streams pile up in one; a
// port that each opens for itself (SO_REUSEPORT) needs Node 23.1, and this runs on 20.19; Node's own cluster module passes
// them on as this does, but a connection that is on its way to a worker that dies is left open for ever, answered by nobody.

import net, { type AddressInfo, type Socket } from 'node:net'
import type { Config } from '../../config/schema.ts'
import { httpUrl } from '../../http/server.ts'
import { createLog, errorFields, type Log, longestSharedLine } from '../../observe/log.ts'
import { Scrubber } from '../../observe/scrub.ts'
import { CommandError } from '../command-error.ts'
import { listenProblem, refuseProblems } from '../listening.ts'
import { err, out } from '../output.ts'
import { closeMs, drainMs, mostErrors } from '../stop-times.ts'
import { RemoteError } from './channel.ts'
import { Crew } from './crew.ts'
import { Handout } from './handout.ts'
import type { PlainOptions } from './services.ts'
import { endMs, Shared } from './shared.ts'

interface WorkersOptions extends PlainOptions {
  hints(url: string): string[]
}

/** Connections that wait for a worker. */
const mostWaiting = 1_000

export async function runWorkers({ hints, ...gateway }: WorkersOptions): Promise<void> {
  const { config } = gateway
  refuseProblems(config)
  const handout = new Handout<Socket>()
  const url = await listen(config.listen, handout)
  const log = createParentLog(gateway)
  const shared = new Shared({ gateway, url, handout, size: () => crew.running.length })
  const crew: Crew = new Crew({
    size: config.workers,
    spawn: (worker) => shared.spawn(worker),
    log,
    onRestart: () => shared.figures.own.count('dragoman_worker_restarts_total', {}),
    onGivenUp: () => {
      err(`dragoman: ${givenUp}\n`)
      process.exit(1)
    },
  })
  const signals = stopOnSignals(crew, log)
  try {
    await crew.start()
  } catch (error) {
    if (signals.isStopping) return
    const exitCode = error instanceof RemoteError ? error.exitCode : undefined
    throw exitCode === undefined ? error : new CommandError((error as Error).message, exitCode)
  }
  out(`dragoman listening on ${url}\n`)
  for (const line of hints(url)) out(`${line}\n`)
}

const givenUp =
  'the workers end again and again, soon after they have started; nothing is left that could serve. The log says why.'

/** Where clients call. Whoever comes before a worker is there waits for it. */
function listen({ host, port }: Config['listen'], handout: Handout<Socket>): Promise<string> {
  // Paused: not a byte is read here. Without delay, as Node's HTTP server has its connections.
  const server = net.createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    handout.add(socket)
  })
  server.maxConnections = mostWaiting
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new CommandError(listenProblem(error, { host, port }, '--port'))))
    server.listen(port, host, () => resolve(httpUrl(host, (server.address() as AddressInfo).port)))
  })
}

function createParentLog({ config, keys, secrets = [] }: PlainOptions): Log {
  const scrubber = new Scrubber()
  scrubber.add(...secrets, ...keys.map(({ key }) => key), config.sessions.peerSecret)
  return createLog({ level: config.log.level, scrubber, longestLine: longestSharedLine })
}

function stopOnSignals(crew: Crew, log: Log): { readonly isStopping: boolean } {
  let isStopping = false
  let errors = 0
  const stop = async (reason: string, failed = 0) => {
    isStopping = true
    // Workers watch their own time; this is for one that cannot.
    setTimeout(() => crew.end(1), drainMs + closeMs + endMs).unref()
    const worst = await crew.stop(reason)
    process.exit(Math.max(failed, worst))
  }
  const endNow = async () => {
    crew.end(130)
    await Promise.all(crew.running.map(({ ended }) => ended))
    process.exit(130)
  }
  const onSignal = (signal: string) => void (isStopping ? endNow() : stop(signal))
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => onSignal(signal))
  const lastResort = (kind: string) => (error: unknown) => {
    log.error(kind, errorFields(error))
    if (++errors > mostErrors) crew.end(1)
    if (!isStopping) void stop(kind, 1)
  }
  process.on('uncaughtException', lastResort('uncaught exception'))
  process.on('unhandledRejection', lastResort('unhandled rejection'))
  return {
    get isStopping() {
      return isStopping
    },
  }
}

// `serve` with several workers: this process opens the port, hands out connections, keeps the state that workers share (the session
// directory, files with a single writer, metrics) and restarts workers that die. It answers no request itself.
//
// The parent accepts connections and sends them to workers, at a cost of two messages per connection, not per request. The
// alternatives: workers that accept on one socket share the load unevenly on Linux, so long streams pile up in one of them; a port
// that each opens itself (SO_REUSEPORT) needs Node 23.1, and this runs on 20.19; Node's cluster module sends connections too, but
// leaves a connection open and unanswered for ever if its worker dies before it is received.

import net, { type AddressInfo, type Socket } from 'node:net'
import { stopSignals } from '../../base/platform/stop-signals.ts'
import type { Config } from '../../config/schema.ts'
import { secondPort } from '../../config/second-port.ts'
import { httpUrl } from '../../http/server.ts'
import { createLog, errorFields, type Log, longestSharedLine } from '../../observe/log.ts'
import { Scrubber } from '../../observe/scrub.ts'
import { CommandError } from '../command-error.ts'
import { listenProblem, refuseProblems, secondPortFlag } from '../listening.ts'
import { err, out } from '../output.ts'
import { Reloading, type ReloadSource } from '../reloading.ts'
import { closeMs, drainMs, mostErrors } from '../stop-times.ts'
import { logWriting } from '../terminal-log.ts'
import { RemoteError } from './channel.ts'
import { Handout } from './connection-handout.ts'
import type { PlainOptions } from './services.ts'
import { endMs, type SharedOptions, SharedState } from './shared-state.ts'
import { WorkerPool } from './worker-pool.ts'

interface WorkersOptions extends PlainOptions {
  hints(url: string): string[]
  reload: ReloadSource
}

/** Connections that wait for a worker. */
const mostWaiting = 1_000

export async function runWorkers({ hints, reload, ...gateway }: WorkersOptions): Promise<void> {
  const { config } = gateway
  refuseProblems(config)
  const reloading = new Reloading(reload)
  const { control } = reloading
  const handout = new Handout<Socket>()
  const url = await listen(config.listen, handout)
  const second = secondPort(config)
  const ollamaUrl = second && (await listen(second, handout, secondPortFlag))
  const { log, scrubber } = createParentLog(gateway)
  const { loginUrl, openLogins } = await loadLogins(config)
  const size = () => pool.running.length
  const shared = new SharedState({ gateway, url, handout, size, openLogins, control })
  const pool: WorkerPool = new WorkerPool({
    size: config.workers,
    spawn: (worker) => shared.spawn(worker),
    log,
    onRestart: () => shared.metrics.own.count('dragoman_worker_restarts_total', {}),
    onGivenUp: () => {
      err(`dragoman: ${givenUp}\n`)
      process.exit(1)
    },
  })
  const signals = stopOnSignals(pool, log, () => reloading.stop())
  reloading.attach({
    ...{ log, metrics: shared.metrics.own, stop: signals.stop },
    scrub: (text) => scrubber.scrub(text),
    async prepare(next) {
      scrubber.add(...(next.secrets ?? []), ...next.keys.map(({ key }) => key))
      const prepared = await shared.prepare(next)
      return {
        ...prepared,
        commit() {
          log.setLevel(next.config.log.level)
          return prepared.commit()
        },
      }
    },
  })
  try {
    await pool.start()
  } catch (error) {
    if (signals.isStopping) return
    const exitCode = error instanceof RemoteError ? error.exitCode : undefined
    throw exitCode === undefined ? error : new CommandError((error as Error).message, exitCode)
  }
  reloading.start(url)
  out(`dragoman listening on ${url}\n`)
  if (ollamaUrl) out(`Ollama's API: ${ollamaUrl}\n`)
  if (shared.logins) out(`Inspector: ${loginUrl?.(url, await shared.logins.link('all'))}\n`)
  for (const line of hints(url)) out(`${line}\n`)
}

/** Nothing of the inspector is loaded if it is off. */
async function loadLogins(config: Config) {
  if (!config.inspector.enabled) return { openLogins: () => undefined }
  const { LoginRegistry } = await import('../../inspector/shared-logins.ts')
  const { loginUrl } = await import('../../inspector/login.ts')
  return { loginUrl, openLogins: (tell: LoginTell) => new LoginRegistry(tell) }
}

type LoginTell = Parameters<SharedOptions['openLogins']>[0]

const givenUp =
  'the workers end again and again, soon after they have started; nothing is left that could serve. The log says why.'

/** A port for clients. Connections that arrive before a worker is ready wait. */
function listen(
  { host, port }: Config['listen'],
  handout: Handout<Socket>,
  flag = '--port',
): Promise<string> {
  // Paused: the parent reads no bytes. `noDelay` as in Node's HTTP server.
  const server = net.createServer({ pauseOnConnect: true, noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    handout.add(socket)
  })
  server.maxConnections = mostWaiting
  return new Promise((resolve, reject) => {
    server.once('error', async (error) =>
      reject(new CommandError(await listenProblem(error, { host, port }, flag))),
    )
    server.listen(port, host, () => resolve(httpUrl(host, (server.address() as AddressInfo).port)))
  })
}

function createParentLog({ config, keys, secrets = [] }: PlainOptions) {
  const scrubber = new Scrubber()
  scrubber.add(...secrets, ...keys.map(({ key }) => key), config.sessions.peerSecret)
  const { writeLog: write } = logWriting(config)
  const { level } = config.log
  return {
    log: createLog({ level, scrubber, longestLine: longestSharedLine, ...(write && { write }) }),
    scrubber,
  }
}

interface Stopping {
  readonly isStopping: boolean
  stop(reason: string): void
}

function stopOnSignals(pool: WorkerPool, log: Log, onStopping: () => void): Stopping {
  let isStopping = false
  let errors = 0
  const stop = async (reason: string, failed = 0) => {
    isStopping = true
    onStopping()
    // Workers enforce their own deadline; this one is for a worker that cannot.
    setTimeout(() => pool.end(1), drainMs + closeMs + endMs).unref()
    const worst = await pool.stop(reason)
    process.exit(Math.max(failed, worst))
  }
  const endNow = async () => {
    pool.end(130)
    await Promise.all(pool.running.map(({ ended }) => ended))
    process.exit(130)
  }
  const onSignal = (signal: string) => void (isStopping ? endNow() : stop(signal))
  for (const signal of stopSignals()) process.on(signal, () => onSignal(signal))
  const lastResort = (kind: string) => (error: unknown) => {
    log.error(kind, errorFields(error))
    if (++errors > mostErrors) pool.end(1)
    if (!isStopping) void stop(kind, 1)
  }
  process.on('uncaughtException', lastResort('uncaught exception'))
  process.on('unhandledRejection', lastResort('unhandled rejection'))
  return {
    stop(reason) {
      if (!isStopping) void stop(reason)
    },
    get isStopping() {
      return isStopping
    },
  }
}

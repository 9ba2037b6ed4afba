// The gateway: takes a configuration, gives an HTTP server and an in-process `fetch`. All parts meet here.

import { BackendFactory, type BackendServices } from './backends/create-backends.ts'
import { isoTime } from './base/iso-time.ts'
import { Latch } from './base/latch.ts'
import { isLoopback } from './base/loopback.ts'
import { Seal } from './base/seal.ts'
import { version } from './base/version.ts'
import type { Cluster, ClusterOptions } from './cluster/cluster.ts'
import { execProblems } from './config/exec.ts'
import type { Config } from './config/schema.ts'
import { secondPort } from './config/second-port.ts'
import { RetryBudgets } from './core/attempts.ts'
import type { Backend } from './core/backend.ts'
import { GatewayError } from './core/errors.ts'
import { ResponseStore } from './doors/response-store.ts'
import type { GatewayOptions, InternalOptions } from './generation/gateway-options.ts'
import { budgetOf, buildGeneration, type LastingServices } from './generation/generation.ts'
import { Generations } from './generation/generations.ts'
import {
  createObserving,
  loadCluster,
  loadLocalTools,
  loadTracer,
  loadWatches,
} from './generation/lasting-parts.ts'
import { createTakeover, type NextConfig, type Prepare, type Prepared } from './generation/takeover.ts'
import { BodyBudget } from './http/body-budget.ts'
import { webExchange } from './http/exchange.ts'
import type { Inspector } from './inspector/inspector.ts'
import { watchEventLoop } from './observe/event-loop-delay.ts'
import { errorFields, type Log } from './observe/log.ts'
import type { Observing } from './observe/turn-observer.ts'
import type { Catalog } from './server/catalog.ts'
import { addGauges, createBreakers } from './server/gauges.ts'
import { createRequestHandler } from './server/handle-request.ts'
import { createListeners } from './server/listeners.ts'
import { resendBy } from './server/resend-by.ts'
import type { Route } from './server/routes.ts'
import { sealSecret } from './server/seal-secret.ts'
import { shutDown } from './server/shut-down.ts'
import { SilentWaits } from './server/silent-waits.ts'

export type { GatewayOptions, InternalOptions, NextConfig, Prepared }

export interface Gateway {
  readonly log: Log
  /** The catalog of the configuration in force. */
  readonly catalog: Catalog
  /** Undefined if the inspector is off. */
  readonly inspector: Inspector | undefined
  /** The URL of the second port, once that is open. Undefined if there is no second port, or if another process has it. */
  readonly ollamaUrl: string | undefined
  /** Removes secrets: services repeat them in their messages. */
  scrub(text: string): string
  /** Prepares the takeover of another configuration. Rejects, without any change, if the configuration cannot be used. */
  readonly prepare: Prepare
  /** Resolves with the URL once the server accepts connections. */
  listen(): Promise<string>
  /** Answers a request in-process, without a socket. */
  fetch(request: Request): Promise<Response>
  /**
   * Drains: running turns have `patienceMs` to end, then everything is closed. `leaving`: other workers stay on the port, so this
   * one accepts nothing new meanwhile.
   */
  close(patienceMs?: number, options?: { leaving?: boolean }): Promise<void>
}

/** Loads only the modules that this configuration needs. */
export async function createGateway(options: InternalOptions): Promise<Gateway> {
  const { config: first, worker, serverLimits: limits, control } = options
  const { observing, setLevel } = createObserving(options)
  const { log, metrics, scrubber } = observing
  const scrub = (text: string) => scrubber.scrub(text)
  const stopping = new Latch()
  const budget = new BodyBudget(budgetOf(first))
  const cluster = await loadCluster(
    first,
    { ...inForce(() => generations), stopping, ...observing },
    worker?.peers,
  )
  const local = await loadLocalTools(options, observing)
  const backends = () => generations.backends()
  const current = () => generations.current.config
  const { inspector, tapes } = await loadWatches(options, observing, { backends, cluster, current })
  observing.tracer = await loadTracer(options, observing, () => current().backends)
  let isDraining = false
  const draining = () => isDraining
  let stopWatching: (() => void) | undefined
  const breakers = createBreakers(options.breaker, observing)
  const services = lastingServices(options, observing, {
    ...{ breakers, backends, stopping, draining, cluster, inspector },
    local: options.playedTools ?? local,
    earlierRuns: earlierRunsOf(() => generations),
  })
  const factory = new BackendFactory(options.connect ?? {}, backendServices(observing), cluster?.pools)
  const { pages, connect: { environmentProxy } = {} } = options
  const parts = { factory, cluster, tapes, budget, services, pages, environmentProxy }
  const onClose = (backend: Backend) => closeBackend(backend, cluster, log)
  const peerMs = cluster ? first.sessions.idleMs : 0
  const generations = new Generations(await buildGeneration(options, parts), { peerMs, onClose })
  const isWorker = worker !== undefined
  const requests = createRequestHandler({
    ...{ entries: generations, inspector, isWorker, cluster, control, draining },
    moreRoutes: await loadRoutes(first),
  })
  inspector?.sendBy(resendBy(requests))
  const listeners = createListeners({ requests, limits, shared: worker?.shared, log })
  let ollamaUrl: string | undefined
  addGauges(metrics, backends, { active: () => requests.active, connections: () => listeners.connections })

  async function close(patienceMs = 0, { leaving = false } = {}): Promise<void> {
    // The socket still listens: load balancers see /readyz fail, and late requests get an answer instead of a refused connection.
    isDraining = true
    inspector?.close()
    await shutDown({ requests, listeners, cluster, stopping }, { patienceMs, leaving }, () =>
      Promise.all([local?.close(), observing.usageLog?.flush(), generations.close()]),
    )
    // These close after the last turn, so that they include its spans, records and tape.
    await Promise.all([observing.tracer?.close(), cluster?.close(), tapes?.flush()])
    stopWatching?.()
  }

  async function listen(): Promise<string> {
    checkBind(first, options.keys)
    await local?.start()
    await cluster?.load()
    stopWatching ??= watchEventLoop(metrics)
    const url = await listeners.listen(first.listen, (own) => cluster?.start(own))
    const second = worker ? undefined : secondPort(first)
    if (second) ollamaUrl = await listeners.listenToo(second)
    return url
  }

  const prepare = createTakeover({
    ...{ generations, parts, scrubber, breakers, onClose, setLevel },
    onKeyGone: (name) => inspector?.endKey(name),
  })
  return {
    ...{ log, inspector, scrub, listen, fetch: fetchFrom(requests), close, prepare },
    get ollamaUrl() {
      return ollamaUrl
    },
    get catalog() {
      return generations.current.services.catalog
    },
  }
}

const earlierRunsOf = (generations: () => Generations): LastingServices['earlierRuns'] => ({
  find: (...run) => generations().find(...run),
  findElsewhere: (...run) => generations().findElsewhere(...run),
})

type GivenServices = Pick<
  LastingServices,
  'breakers' | 'backends' | 'stopping' | 'draining' | 'cluster' | 'inspector' | 'local' | 'earlierRuns'
>

/** The given services, and those that need nothing but the options. */
const lastingServices = (
  options: InternalOptions,
  observing: Observing,
  given: GivenServices,
): LastingServices => ({
  ...given,
  version,
  budgets: new RetryBudgets(),
  silentWaits: new SilentWaits(options.breaker?.now),
  ...passThroughOptions(options),
  ...observing,
  renderMetrics: () => options.worker?.renderMetrics() ?? observing.metrics.render(),
  responses: new ResponseStore(undefined, given.cluster?.responses, sealOf(options, observing.log)),
  socketResponses: new ResponseStore(),
})

/** Loads the routes of Ollama only if the configuration enables them. */
async function loadRoutes({ ollama }: Config): Promise<readonly Route[]> {
  return ollama.enabled ? (await import('./server/ollama-routes.ts')).ollamaRoutes : []
}

/** Limits and checks for requests of other instances: those of the configuration in force at that time. */
const inForce = (generations: () => Generations): Pick<ClusterOptions, 'bodyLimits' | 'beginChecks'> => ({
  bodyLimits: () => generations().current.services.bodyLimits,
  beginChecks: (request, options) =>
    generations().current.callChecks.begin(request, { ...options, keepsRecords: false }),
})

/** Never rejects: not every caller waits for the end. */
async function closeBackend(backend: Backend, cluster: Cluster | undefined, log: Log): Promise<void> {
  cluster?.part(backend)
  await backend
    .close()
    .catch((error: unknown) => log.error('a backend could not be closed', errorFields(error)))
  // The backend's last failure may have begun to load its account pool.
  if (backend.pool?.isSingle) await backend.pool.settled()
}

const fetchFrom =
  (requests: Pick<ReturnType<typeof createRequestHandler>, 'handle'>) =>
  (request: Request): Promise<Response> =>
    new Promise((resolve, reject) => {
      requests.handle(webExchange(request, { answer: resolve, refuse: reject })).catch(reject)
    })

const passThroughOptions = ({ retryPolicy, keepAliveMs, replayInputs, turnBytes }: InternalOptions) => ({
  replayInputs,
  turnBytes,
  ...(retryPolicy ? { retryPolicy } : {}),
  ...(keepAliveMs ? { keepAliveMs } : {}),
})

const sealOf = ({ config, sealFile }: InternalOptions, log: Log) =>
  new Seal(
    sealSecret({ shared: config.sessions.peerSecret, file: sealFile, warn: (message) => log.warn(message) }),
  )

const backendServices = ({ log, metrics, scrubber }: Observing): BackendServices => ({
  registerSecret: (value) => scrubber.add(value),
  warn: (message) => log.warn(message),
  onAnswer: (backend, seconds) => metrics.observe('dragoman_upstream_response_seconds', { backend }, seconds),
  accounts: {
    onOut: (backend, account, { kind, reason }, until) =>
      log.warn('an account cannot be used for now', {
        ...{ backend, account, fault: kind, reason },
        until: until === undefined ? undefined : isoTime(until),
      }),
    onMove: (backend, why) => metrics.count('dragoman_account_switches_total', { backend, why }),
  },
})

/** For programs that use the gateway as a library; commands check more, and earlier. */
function checkBind(config: Config, keys: GatewayOptions['keys']): void {
  const { host } = config.listen
  if (keys.length === 0 && !isLoopback(host))
    throw new GatewayError('forbidden', `Listening on ${host} is refused without a key.`)
  const [problem] = execProblems(config)
  if (problem !== undefined) throw new GatewayError('forbidden', problem)
}

// The gateway: takes a configuration, gives an HTTP server and an in-process `fetch`. All parts meet here.

import { type BackendDefaults, type BackendServices, createBackends } from './backends/create-backends.ts'
import { Latch } from './base/latch.ts'
import { isLoopback } from './base/loopback.ts'
import { Seal } from './base/seal.ts'
import { version } from './base/version.ts'
import type { Cluster, ClusterOptions, ParentPeers } from './cluster/cluster.ts'
import { checkModesOf } from './config/calls.ts'
import { execProblems } from './config/exec.ts'
import { ownPaths } from './config/own-paths.ts'
import type { Config } from './config/schema.ts'
import { RetryBudgets, type RetryPolicy } from './core/attempts.ts'
import type { Backend } from './core/backend.ts'
import type { BreakersOptions } from './core/breaker.ts'
import { GatewayError } from './core/errors.ts'
import { clientTraits } from './doors/clients.ts'
import { ResponseStore } from './doors/response-store.ts'
import { BodyBudget } from './http/body-budget.ts'
import { webExchange } from './http/exchange.ts'
import { createGuard } from './http/guard.ts'
import type { BodyLimits } from './http/json-body.ts'
import type { ServerLimits } from './http/server.ts'
import type { Inspector } from './inspector/inspector.ts'
import type { LocalExecutor } from './local-tools/executor.ts'
import { watchEventLoop } from './observe/event-loop-delay.ts'
import { createLog, errorFields, type Log, longestSharedLine } from './observe/log.ts'
import { Metrics } from './observe/metrics.ts'
import { type OpenFile, openRotatingFile, rotatedNames } from './observe/rotating-file.ts'
import { Scrubber } from './observe/scrub.ts'
import type { ExporterPace } from './observe/traces/exporter.ts'
import type { Tracer } from './observe/tracing.ts'
import type { Observing } from './observe/turn-observer.ts'
import { UsageLog } from './observe/usage-log.ts'
import { CallChecks } from './server/call-checks.ts'
import { Catalog } from './server/catalog.ts'
import { addGauges, createBreakers } from './server/gauges.ts'
import { createRequestHandler } from './server/handle-request.ts'
import { createListeners, type SharedPort } from './server/listeners.ts'
import type { RouteServices } from './server/routes.ts'
import { sealSecret } from './server/seal-secret.ts'
import type { ReplayInputs } from './server/serving.ts'
import { shutDown } from './server/shut-down.ts'
import { SilentWaits } from './server/silent-waits.ts'
import { ToolDeferral } from './server/tool-deferral.ts'
import type { Taping } from './tapes/create-taping.ts'
import type { TapeSource } from './tapes/tape-source.ts'

export interface GatewayOptions {
  config: Config
  /** Without keys anyone may call: loopback only. */
  keys: readonly { name: string; key: string }[]
  secrets?: readonly string[]
  connect?: BackendDefaults
  usageFile?: string | undefined
  /** Keeps the secret of compactions over restarts. */
  sealFile?: string | undefined
  /** Audit file for runs of local tools; without it, the log only says that they ran. */
  auditFile?: string | undefined
  /** Folder for recorded turns; without it nothing is recorded. */
  tapeFolder?: string | undefined
  /** Files and folders that local tools must not see. */
  privatePaths?: readonly string[]
  retryPolicy?: RetryPolicy
  /** Memory limit of one turn. */
  turnBytes?: number
  breaker?: Pick<BreakersOptions, 'failures' | 'openMs' | 'now'>
  keepAliveMs?: number
  serverLimits?: Partial<ServerLimits>
  writeLog?: (line: string) => void
}

/** Options that only other parts of this package use. */
export interface InternalOptions extends GatewayOptions {
  /** Another source of tapes, beside the recorder and the inspector. */
  tapeSource?: TapeSource | undefined
  /** Replay only: recorded ids and clock. */
  replayInputs?: ReplayInputs | undefined
  tracePace?: Partial<ExporterPace>
  /** This process is one of several that share a port. */
  worker?: AsWorker | undefined
}

/** What a worker and its parent share. */
interface AsWorker {
  /** Number of the worker. */
  worker: number
  peers: ParentPeers
  shared: SharedPort
  openFile: OpenFile
  /** Of this process. */
  metrics: Metrics
  /** The sum of all workers. */
  renderMetrics(): Promise<string>
}

export interface Gateway {
  readonly log: Log
  readonly catalog: Catalog
  /** Undefined if it is off. */
  readonly inspector: Inspector | undefined
  /** Removes secrets: services repeat them in their messages. */
  scrub(text: string): string
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
  const { config, keys, worker, serverLimits: limits } = options
  const observing = createObserving(options)
  const { log, metrics, scrubber } = observing
  const stopping = new Latch()
  const bodyLimits = bodyLimitsOf(config)
  const callChecks = new CallChecks(checkModesOf(config))
  const cluster = await loadCluster(
    config,
    { bodyLimits, stopping, beginChecks: beginAtPeer(callChecks), ...observing },
    worker?.peers,
  )
  const ownBackends = await createBackends(config, options.connect ?? {}, {
    isShared: new Set(keys.map(({ name }) => name)).size > 1,
    ...backendServices(observing),
  })
  const backends: ReadonlyMap<string, Backend> = cluster?.join(ownBackends) ?? ownBackends
  const catalog = new Catalog({ backends, aliases: aliasesOf(config), log })
  const guard = createGuard({ hosts: allowedHosts(config), origins: config.allow.origins, keys })
  const local = await loadLocalTools(options, observing)
  const { inspector, tapes } = await loadWatches(options, observing, backends)
  observing.tracer = await loadTracer(options, observing)
  let draining = false
  let stopWatching: (() => void) | undefined

  const services: RouteServices = {
    catalog,
    budgets: new RetryBudgets(),
    breakers: createBreakers(options.breaker, observing),
    silentWaits: new SilentWaits(options.breaker?.now),
    ...passThroughOptions(options),
    bodyLimits,
    clientTraits: traitsFrom(config),
    stopping,
    ...observing,
    renderMetrics: () => worker?.renderMetrics() ?? metrics.render(),
    version,
    draining: () => draining,
    responses: new ResponseStore(undefined, cluster?.responses, sealOf(options, log)),
    socketResponses: new ResponseStore(),
    cluster,
    local,
    deferral: new ToolDeferral(config.deferTools),
    callChecks,
    taping: tapes?.taping,
  }

  const requests = createRequestHandler({
    services,
    guard,
    inspector,
    isWorker: worker !== undefined,
    webSocket: config.responses.webSocket,
  })
  const listeners = createListeners({ requests, limits, shared: worker?.shared, log })
  addGauges(metrics, backends, { active: () => requests.active, connections: () => listeners.connections })

  async function close(patienceMs = 0, { leaving = false } = {}): Promise<void> {
    // The socket still listens: load balancers see /readyz fail, and late requests get an answer instead of a refused connection.
    draining = true
    inspector?.close()
    await shutDown({ requests, listeners, cluster, stopping }, { patienceMs, leaving }, () =>
      Promise.all([
        local?.close(),
        observing.usageLog?.flush(),
        ...[...backends.values()].map((backend) => backend.close()),
      ]),
    )
    // After the last turn, so that its spans, records and tape are included.
    await Promise.all([observing.tracer?.close(), cluster?.close(), tapes?.flush()])
    stopWatching?.()
  }

  async function listen(): Promise<string> {
    checkBind(config, keys)
    await local?.start()
    await cluster?.load()
    stopWatching ??= watchEventLoop(metrics)
    return listeners.listen(config.listen, (url) => cluster?.start(url))
  }

  const scrub = (text: string) => scrubber.scrub(text)
  return { log, catalog, inspector, scrub, listen, fetch: fetchFrom(requests), close }
}

/** A turn of another instance, whose session is here. */
const beginAtPeer =
  (callChecks: CallChecks): ClusterOptions['beginChecks'] =>
  (request, options) =>
    callChecks.begin(request, { ...options, keepsRecords: false })

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

const aliasesOf = ({ models }: Config) =>
  new Map(Object.entries(models).map(([alias, target]) => [alias, [target].flat()]))

const bodyLimitsOf = ({ limits: { bodyBytes, bodyValues, bodiesBytes } }: Config): BodyLimits => ({
  bytes: bodyBytes,
  values: bodyValues,
  budget: new BodyBudget(Math.max(bodiesBytes, bodyBytes)),
})

const backendServices = ({ log, metrics, scrubber }: Observing): BackendServices => ({
  registerSecret: (value) => scrubber.add(value),
  warn: (message) => log.warn(message),
  onAnswer: (backend, seconds) => metrics.observe('dragoman_upstream_response_seconds', { backend }, seconds),
})

/** For programs that use the gateway as a library; commands check more, and earlier. */
function checkBind(config: Config, keys: GatewayOptions['keys']): void {
  const { host } = config.listen
  if (keys.length === 0 && !isLoopback(host))
    throw new GatewayError('forbidden', `Listening on ${host} is refused without a key.`)
  const [problem] = execProblems(config)
  if (problem !== undefined) throw new GatewayError('forbidden', problem)
}

function traitsFrom(config: Config): RouteServices['clientTraits'] {
  const clients = new Map(Object.entries(config.clients))
  return (client) => {
    const traits = clientTraits(client, client === undefined ? undefined : clients.get(client))
    return { ...traits, toolArguments: traits.toolArguments ?? config.toolArguments }
  }
}

async function loadCluster(
  config: Config,
  services: Pick<ClusterOptions, 'bodyLimits' | 'stopping' | 'log' | 'metrics' | 'scrubber' | 'beginChecks'>,
  peers: ParentPeers | undefined,
): Promise<Cluster | undefined> {
  if (config.sessions.redis === undefined && peers === undefined) return undefined
  const { createCluster } = await import('./cluster/cluster.ts')
  return createCluster(config, services, peers)
}

async function loadWatches(
  options: InternalOptions,
  observing: Observing,
  backends: ReadonlyMap<string, Backend>,
) {
  const { enabled, ...limits } = options.config.inspector
  const { scrubber } = observing
  const inspector = enabled
    ? (await import('./inspector/inspector.ts')).createInspector({ ...limits, backends, scrubber })
    : undefined
  return { inspector, tapes: await loadTapes(options, observing, inspector?.shelf) }
}

async function loadLocalTools(
  options: InternalOptions,
  observing: Observing,
): Promise<LocalExecutor | undefined> {
  const { config, auditFile, worker } = options
  if (!config.exec.enabled) return undefined
  const { LocalExecutor } = await import('./local-tools/executor.ts')
  const settings = { ...config.exec, hidden: hiddenPaths(options), auditFile }
  return new LocalExecutor(settings, observing, worker?.openFile)
}

/** Files that the gateway reads or writes for itself. */
const hiddenPaths = ({ config, privatePaths = [], usageFile, auditFile, tapeFolder }: InternalOptions) => [
  ...privatePaths,
  ...ownPaths(config),
  ...[usageFile, auditFile].flatMap((file) => (file === undefined ? [] : rotatedNames(file))),
  ...(tapeFolder === undefined ? [] : [tapeFolder]),
]

/** Undefined if nothing wants tapes. */
async function loadTapes(
  { config, tapeFolder, tapeSource }: InternalOptions,
  observing: Observing,
  shelf: TapeSource | undefined,
): Promise<Taping | undefined> {
  const folder = config.tapes.record === 'off' ? undefined : (config.tapes.folder ?? tapeFolder)
  const sources = [shelf ?? [], tapeSource ?? []].flat()
  if (folder === undefined && sources.length === 0) return undefined
  const { createTaping } = await import('./tapes/create-taping.ts')
  return createTaping({ config, folder, sources }, observing)
}

/** Loads no code of it if it is off. */
async function loadTracer(
  { config, connect, worker, tracePace: pace }: InternalOptions,
  observing: Observing,
): Promise<Tracer | undefined> {
  if (!config.telemetry.traces) return undefined
  const { createTracer } = await import('./observe/traces/tracer.ts')
  return createTracer({ config, connect: connect ?? {}, worker: worker?.worker, pace, ...observing })
}

function createObserving(options: InternalOptions): Observing {
  const { config, keys, secrets = [], usageFile, writeLog, worker } = options
  const scrubber = new Scrubber()
  scrubber.add(...secrets, ...keys.map((key) => key.key), config.sessions.peerSecret, worker?.peers.secret)
  const log = createLog({
    ...{ level: config.log.level, scrubber, ...(writeLog ? { write: writeLog } : {}) },
    ...(worker ? { always: { worker: worker.worker }, longestLine: longestSharedLine } : {}),
  })
  const onError = (error: unknown) => log.error('usage could not be written', errorFields(error))
  const openFile = worker?.openFile ?? openRotatingFile
  const usageLog = usageFile === undefined ? undefined : new UsageLog(openFile(usageFile), onError)
  return { log, metrics: worker?.metrics ?? new Metrics(), scrubber, usageLog }
}

/** A wildcard address is not a Host name. */
function allowedHosts(config: Config): string[] {
  const { host } = config.listen
  const named = host === '0.0.0.0' || host === '::' ? [] : [host.includes(':') ? `[${host}]` : host]
  return [...named, ...config.allow.hosts]
}

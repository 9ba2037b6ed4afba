// Parts that outlive every configuration: each is loaded at the start if its first configuration has it, and not again.

import type { Cluster, ClusterOptions, ParentPeers } from '../cluster/cluster.ts'
import { readEnvironment } from '../config/environment.ts'
import { ownPaths } from '../config/own-paths.ts'
import type { Config } from '../config/schema.ts'
import type { Backend } from '../core/backend.ts'
import type { LocalExecutor } from '../local-tools/executor.ts'
import { type AdjustableLog, createLog, errorFields, longestSharedLine } from '../observe/log.ts'
import { Metrics } from '../observe/metrics.ts'
import type { PriceConfig } from '../observe/prices.ts'
import { openRotatingFile, rotatedNames } from '../observe/rotating-file.ts'
import { Scrubber } from '../observe/scrub.ts'
import type { Tracer } from '../observe/tracing.ts'
import type { Observing } from '../observe/turn-observer.ts'
import { UsageLog } from '../observe/usage-log.ts'
import type { Taping } from '../tapes/create-taping.ts'
import type { TapeSource } from '../tapes/tape-source.ts'
import type { InternalOptions } from './gateway-options.ts'

export async function loadCluster(
  config: Config,
  services: Pick<ClusterOptions, 'bodyLimits' | 'stopping' | 'log' | 'metrics' | 'scrubber' | 'beginChecks'>,
  peers: ParentPeers | undefined,
): Promise<Cluster | undefined> {
  if (config.sessions.redis === undefined && peers === undefined) return undefined
  const { createCluster } = await import('../cluster/cluster.ts')
  return createCluster(config, services, peers)
}

export async function loadWatches(
  options: InternalOptions,
  observing: Observing,
  {
    backends,
    cluster,
    current,
  }: {
    backends: () => Iterable<readonly [string, Backend]>
    cluster: Cluster | undefined
    current: () => Config
  },
) {
  const { config, worker } = options
  const { enabled, ...limits } = config.inspector
  const { scrubber } = observing
  const shared = { peers: cluster?.inspectors, office: worker?.logins }
  const inspector = enabled
    ? (await import('../inspector/inspector.ts')).createInspector({
        ...{ config: priceConfig(current), ...limits, backends, scrubber },
        ...shared,
      })
    : undefined
  observing.figures = inspector?.figures
  return { inspector, tapes: await loadTapes(options, observing, inspector?.shelf) }
}

/** Of the configuration in force, whenever it is asked. */
const priceConfig = (current: () => Config): PriceConfig => ({
  get prices() {
    return current().prices
  },
  get backends() {
    return current().backends
  },
})

export async function loadLocalTools(
  options: InternalOptions,
  observing: Observing,
): Promise<LocalExecutor | undefined> {
  const { config, auditFile, worker } = options
  if (!config.exec.enabled) return undefined
  const { LocalExecutor } = await import('../local-tools/executor.ts')
  const { localPrograms } = readEnvironment()
  const settings = { ...config.exec, ...localPrograms, hidden: hiddenPaths(options), auditFile }
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
  const { createTaping } = await import('../tapes/create-taping.ts')
  return createTaping({ config, folder, sources }, observing)
}

/** Loads no code of it if it is off. */
export async function loadTracer(
  { config, connect, worker, tracePace: pace }: InternalOptions,
  observing: Observing,
  backends: () => Config['backends'],
): Promise<Tracer | undefined> {
  if (!config.telemetry.traces) return undefined
  const { createTracer } = await import('../observe/traces/tracer.ts')
  return createTracer({
    config,
    backends,
    connect: connect ?? {},
    worker: worker?.worker,
    pace,
    ...observing,
  })
}

export function createObserving(
  options: InternalOptions,
): { observing: Observing } & Pick<AdjustableLog, 'setLevel'> {
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
  const metrics = worker?.metrics ?? options.metrics ?? new Metrics()
  return { observing: { log, metrics, scrubber, usageLog }, setLevel: log.setLevel }
}

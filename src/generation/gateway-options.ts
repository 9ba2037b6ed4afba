// What a gateway is created with.

import type { BackendDefaults } from '../backends/create-backends.ts'
import type { ParentPeers } from '../cluster/cluster.ts'
import type { Config } from '../config/schema.ts'
import type { RetryPolicy } from '../core/attempts.ts'
import type { BreakersOptions } from '../core/breaker.ts'
import type { ServerLimits } from '../http/server.ts'
import type { LoginOffice } from '../inspector/shared-logins.ts'
import type { Connect } from '../local-tools/fetch/ask-page.ts'
import type { LocalTools } from '../local-tools/tools.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { OpenFile } from '../observe/rotating-file.ts'
import type { ExporterPace } from '../observe/traces/exporter.ts'
import type { Control } from '../server/control.ts'
import type { SharedPort } from '../server/listeners.ts'
import type { ReplayInputs } from '../server/serving.ts'
import type { TapeSource } from '../tapes/tape-source.ts'

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
  /** Replay only: the gateway's own tools, as on the tape. */
  playedTools?: LocalTools | undefined
  /** Name resolution and connections for pages that models fetch; default: the system's. */
  pages?: Connect | undefined
  tracePace?: Partial<ExporterPace>
  /** This process is one of several that share a port. */
  worker?: AsWorker | undefined
  /** The route for the operator's commands; without it there is none. */
  control?: Control | undefined
  /** Of this process; default: new ones. */
  metrics?: Metrics | undefined
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
  /** The inspector's logins, which are those of all workers. */
  logins?: LoginOffice | undefined
}

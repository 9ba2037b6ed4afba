// The calls between a parent and its workers.

import type { DirectoryStore } from '../../cluster/directory-store.ts'
import type { GatewayOptions } from '../../gateway.ts'
import type { MetricsSnapshot } from '../../observe/metrics-snapshot.ts'
import type { Address } from '../../server/listeners.ts'

/** The gateway options that are plain data. */
export type PlainOptions = Pick<
  GatewayOptions,
  'config' | 'keys' | 'secrets' | 'usageFile' | 'auditFile' | 'privatePaths' | 'tapeFolder'
>

/** Everything that a worker needs. Sent over the channel, because arguments and variables of a process are not private. */
export interface Orders {
  /** The number of the worker, from 1. */
  worker: number
  gateway: PlainOptions
  /** The URL for clients. */
  url: string
  peerSecret: string
  peerListen: Address
}

/** Sent with a connection as its handle. */
export const connectionMessage = { connection: true }

export type ParentServices = {
  /** Acknowledges the last connection. */
  taken(): void
  /** Stop sending connections to this worker. */
  leave(): void
  run: DirectoryStore['run']
  read: DirectoryStore['read']
  delete: DirectoryStore['delete']
  /** Resolves once the text is on disk. */
  append(path: string, text: string): Promise<void>
  /** The metrics of all workers in Prometheus' text format. */
  renderMetrics(): Promise<string>
  /** The last snapshot of a worker that ends. */
  retire(snapshot: MetricsSnapshot): void
}

export type WorkerServices = {
  /** Resolves with the URL once it listens. */
  start(orders: Orders): Promise<string>
  /** Graceful: running turns may finish. */
  stop(reason: string): void
  /** At once. */
  end(code: number): void
  snapshot(): MetricsSnapshot
}

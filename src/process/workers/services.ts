// What a parent and its workers do for each other.

import type { DirectoryStore } from '../../cluster/directory-store.ts'
import type { GatewayOptions } from '../../gateway.ts'
import type { MetricsSnapshot } from '../../observe/metrics-snapshot.ts'
import type { Address } from '../../server/listeners.ts'

/** What a gateway is made of, as far as it is plain data. */
export type PlainOptions = Pick<
  GatewayOptions,
  'config' | 'keys' | 'secrets' | 'usageFile' | 'auditFile' | 'privatePaths' | 'tapeFolder'
>

/** All that a worker needs to know. It comes by the channel: neither arguments nor variables of a process are private. */
export interface Orders {
  /** Its number, from 1. */
  worker: number
  gateway: PlainOptions
  /** Where clients call. */
  url: string
  peerSecret: string
  peerListen: Address
}

/** With a connection as its handle. */
export const connectionMessage = { connection: true }

export type ParentServices = {
  /** The connection that came last is its own. */
  taken(): void
  /** No more connections. */
  leave(): void
  run: DirectoryStore['run']
  read: DirectoryStore['read']
  delete: DirectoryStore['delete']
  /** Resolves once it is on disk. */
  append(path: string, text: string): Promise<void>
  /** The figures of all workers, in Prometheus' text format. */
  renderMetrics(): Promise<string>
  /** The last figures of a worker that ends. */
  retire(snapshot: MetricsSnapshot): void
}

export type WorkerServices = {
  /** Resolves with the URL once it listens. */
  start(orders: Orders): Promise<string>
  /** In good order: what runs may end. */
  stop(reason: string): void
  /** At once. */
  end(code: number): void
  snapshot(): MetricsSnapshot
}

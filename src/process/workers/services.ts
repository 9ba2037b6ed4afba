// The calls between a parent and its workers.

import type { DirectoryStore } from '../../cluster/directory-store.ts'
import type { GatewayOptions, NextConfig } from '../../gateway.ts'
import type { LoginChange, Redeemed, Scope } from '../../inspector/login.ts'
import type { MetricsSnapshot } from '../../observe/metrics-snapshot.ts'
import type { Control, ReloadOutcome } from '../../server/control.ts'
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
  /** The inspector's sessions so far. */
  logins: LoginChange[]
  /** The token for the operator's commands. */
  controlToken?: Control['token'] | undefined
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
  /** Links and sessions of the inspector. */
  loginLink(scope: Scope): Promise<string>
  loginRedeem(token: string): Promise<Redeemed>
  loginChange(change: LoginChange): void
  /** Of all workers: a command has reached this one. */
  reload(): Promise<ReloadOutcome>
}

export type WorkerServices = {
  /** Resolves with the URL once it listens. */
  start(orders: Orders): Promise<string>
  /** Graceful: running turns may finish. */
  stop(reason: string): void
  /** At once. */
  end(code: number): void
  snapshot(): MetricsSnapshot
  /** A session of the inspector has begun or ended. */
  login(change: LoginChange): void
  /** Resolves with the backends that will be replaced, once all is ready for `commit`. Rejects if it cannot be used. */
  prepare(next: NextConfig): Promise<readonly string[]>
  commit(): Promise<void>
  discard(): Promise<void>
}

// This instance among the others: connects directory, relay client and relay routes.

import type { Latch } from '../base/latch.ts'
import type { Config } from '../config/schema.ts'
import type { Backend } from '../core/backend.ts'
import type { Exchange } from '../http/exchange.ts'
import type { BodyLimits } from '../http/json-body.ts'
import type { Log } from '../observe/log.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Scrubber } from '../observe/scrub.ts'
import { SessionDirectory } from './directory.ts'
import type { DirectoryStore, OpenLink } from './directory-store.ts'
import { poolStore } from './pool-store.ts'
import { RedisLink } from './redis-link.ts'
import { RelayClient } from './relay-client.ts'
import type { RelayedInspection } from './relay-messages.ts'
import {
  admitPeer,
  type BeginChecks,
  type Inspect,
  type KeptAnswers,
  type RelayServices,
  serveRelayedInspection,
  serveRelayedResponse,
  serveRelayedResults,
  serveRelayedTurn,
} from './relay-routes.ts'
import { remoteResponses } from './remote-responses.ts'
import { Reruns } from './reruns.ts'
import { peerHeader, SignatureVerifier } from './signature.ts'
import { StoreLink } from './store-link.ts'
import { type PeerBackend, type SessionBackend, withPeers } from './with-peers.ts'

export interface ClusterOptions {
  openLink: OpenLink
  peerSecret: string
  /** The URL of this instance for the others. Default: the address that it listens on. */
  peerUrl: string | undefined
  sessions: Config['sessions']
  bodyLimits(): BodyLimits
  stopping: Latch
  log: Log
  metrics: Metrics
  scrubber: Scrubber
  beginChecks?: BeginChecks | undefined
}

export class Cluster {
  readonly directory: SessionDirectory
  readonly #options: ClusterOptions
  readonly #relay: RelayClient
  /** Several may have one name: after a change of its settings, the earlier one still has runs. The newest first. */
  #backends: { name: string; backend: PeerBackend }[] = []
  readonly #reruns = new Reruns()
  readonly #services: RelayServices

  constructor(options: ClusterOptions) {
    const { openLink, peerSecret: secret, sessions, log, metrics } = options
    this.#options = options
    this.directory = new SessionDirectory({
      ...{ openLink, secret, log },
      idleMs: sessions.idleMs,
      onLost: (sessionId) => this.#drop(sessionId),
    })
    this.#relay = new RelayClient({ secret, log })
    this.#services = {
      verifier: new SignatureVerifier(secret),
      backendFor: (name, sessionId) => this.#backendFor(name, sessionId),
      isOwn: (owner) => this.directory.isOwn(owner),
      instance: this.directory.instance,
      bodyLimits: () => options.bodyLimits(),
      scrub: (text) => options.scrubber.scrub(text),
      stopping: options.stopping,
      beginChecks: options.beginChecks,
      log,
    }
    metrics.gauge('dragoman_cluster_sessions', () => this.directory.size)
  }

  /** Responses that other instances store. */
  get responses() {
    return remoteResponses({ ...this.#options, directory: this.directory, relay: this.#relay })
  }

  /** The inspectors of other instances. */
  get inspectors() {
    return {
      others: () => this.directory.others(),
      ask: (url: string, asked: RelayedInspection, signal: AbortSignal) =>
        this.#relay.inspect(url, asked, signal),
    }
  }

  /** What instances know together of their accounts. */
  get pools() {
    return poolStore(this.directory.link)
  }

  /** Extends the session backends for several instances. */
  join(backends: ReadonlyMap<string, Backend>): Map<string, Backend> {
    const { directory, log, metrics, sessions } = { ...this.#options, directory: this.directory }
    const joined = new Map(backends)
    if (!sessions.reuse) return joined
    for (const [name, backend] of backends) {
      if (!hasSessions(backend)) continue
      const shared = withPeers(backend, {
        ...{ name, directory, relay: this.#relay, reruns: this.#reruns, log },
        onRelayed: (outcome) => metrics.count('dragoman_relayed_turns_total', { outcome }),
        onTakeover: () => metrics.count('dragoman_takeovers_total', {}),
      })
      this.#backends.unshift({ name, backend: shared })
      joined.set(name, shared)
    }
    return joined
  }

  /** The backend was closed. */
  part(backend: Backend): void {
    this.#backends = this.#backends.filter((one) => one.backend !== backend)
  }

  /** The request carries the signature header of an instance. */
  isSigned(exchange: Exchange): boolean {
    return exchange.header(peerHeader) !== undefined
  }

  /** Throws unless another instance signed the request. */
  admit(exchange: Exchange): void {
    admitPeer(exchange, this.#services.verifier)
  }

  serveTurn(exchange: Exchange): Promise<void> {
    return serveRelayedTurn(exchange, this.#services)
  }

  serveResults(exchange: Exchange): Promise<void> {
    return serveRelayedResults(exchange, this.#services)
  }

  serveResponse(exchange: Exchange, kept: KeptAnswers): Promise<void> {
    return serveRelayedResponse(exchange, kept, this.#services)
  }

  serveInspection(exchange: Exchange, inspect: Inspect | undefined): Promise<void> {
    return serveRelayedInspection(exchange, inspect, this.#services)
  }

  /** Fails if a required package is not installed. */
  load(): Promise<void> {
    return this.directory.load()
  }

  /** Announces this instance, now or as soon as Redis is reachable. */
  start(listeningUrl: string): Promise<void> {
    return this.directory.start((this.#options.peerUrl ?? listeningUrl).replace(/(?<!\/)\/+$/, ''))
  }

  /** Stops relays to this instance and drops its waiting sessions: other instances continue them. */
  async withdraw(): Promise<void> {
    await this.directory.withdraw()
    for (const { backend } of this.#backends) backend.sessions.dropWaiting()
  }

  async close(): Promise<void> {
    await Promise.all([this.directory.close(), this.#relay.close()])
  }

  #drop(sessionId: string): void {
    for (const { backend } of this.#backends)
      if (backend.sessions.has(sessionId)) backend.sessions.drop(sessionId)
  }

  #backendFor(name: string, sessionId: string | undefined): PeerBackend | undefined {
    const named = this.#backends.filter((one) => one.name === name).map(({ backend }) => backend)
    return named.find(({ sessions }) => sessionId !== undefined && sessions.has(sessionId)) ?? named[0]
  }
}

const hasSessions = (backend: Backend): backend is SessionBackend => backend.sessions !== undefined

/** Shared by the workers of one process. */
export interface ParentPeers {
  store: DirectoryStore
  secret: string
}

type ClusterServices = Pick<
  ClusterOptions,
  'bodyLimits' | 'stopping' | 'log' | 'metrics' | 'scrubber' | 'beginChecks'
>

/** Undefined for a single gateway. With Redis, workers are instances like any other. */
export function createCluster(
  { sessions }: Config,
  services: ClusterServices,
  parent: ParentPeers | undefined,
): Cluster | undefined {
  const { redis: url, peerSecret, peerUrl } = sessions
  const { log, metrics } = services
  const shared = { sessions, ...services }
  if (url !== undefined && peerSecret !== undefined) {
    const openLink: OpenLink = (beat) => new RedisLink({ url, log, beat })
    const cluster = new Cluster({ openLink, peerSecret, peerUrl, ...shared })
    const isUp = () => Number(cluster.directory.up)
    metrics.gauge('dragoman_cluster_redis_up', isUp)
    return cluster
  }
  if (!parent) return undefined
  const openLink: OpenLink = (beat) => new StoreLink({ store: parent.store, log, beat })
  return new Cluster({ openLink, peerSecret: parent.secret, peerUrl: undefined, ...shared })
}

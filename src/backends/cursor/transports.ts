// The transport and the host of a run. Transport: as configured, or (`auto`) HTTP/2 unless the server forbids it or it fails. Host:
// over HTTP/2 one that the service names; over HTTP/1.1 only the base URL, because agent hosts answer HTTP/1.1 with 464.

import type { GatewayError } from '../../core/errors.ts'
import { createUpstreamClient, type UpstreamClient } from '../../upstream/client.ts'
import type { Http2PoolOptions } from '../../upstream/http2-pool.ts'
import type { AgentHost, AgentHosts } from './agent-host.ts'
import type { Roads } from './roads.ts'
import { EmptyAnswer } from './run-answer.ts'
import type { RunTransport } from './transport.ts'
import { createHttp2Transport } from './transport-http2.ts'
import { createSseTransport } from './transport-sse.ts'

interface TransportsOptions {
  backend: string
  setting: 'auto' | 'http2' | 'sse'
  baseUrl: string
  hosts: AgentHosts
  clientVersion: string
  connect: Http2PoolOptions
  now?: () => number
}

export interface ChosenTransport {
  transport: RunTransport
  host: AgentHost
  /** The URL that runs are sent to: `host.baseUrl`, one of `host.others`, or the base URL. */
  at: string
  /** In words for the operator. */
  why: string
}

/** How long an alternative stays the first choice after it worked where the first choice failed. */
const avoidMs = 10 * 60_000

export class Transports implements Roads {
  readonly #options: TransportsOptions
  readonly #open = new Map<string, RunTransport>()
  readonly #clients = new Map<string, UpstreamClient>()
  #avoidHttp2: { until: number; because: string } | undefined
  /** A host that worked where the first host did not. */
  #otherHost: { until: number; at: string } | undefined

  constructor(options: TransportsOptions) {
    this.#options = options
  }

  async choose(): Promise<ChosenTransport> {
    const host = await this.#options.hosts.find()
    const { name, why } = this.#decide(host)
    return this.#road(name, host, why)
  }

  /** The next transport or host to try for a run that could not begin over HTTP/2. */
  instead(tried: ChosenTransport, failure: GatewayError): ChosenTransport | undefined {
    const { transport, host, at } = tried
    if (transport.name !== 'http2') return undefined
    const next = isWrongPlace(failure) ? nextHost(host, at) : undefined
    if (next !== undefined)
      return this.#road('http2', host, `another host did not take the run (${failure.message})`, next)
    if (this.#options.setting !== 'auto' || !isTransportTrouble(failure)) return undefined
    return this.#road('sse', host, `HTTP/2 failed (${failure.message})`)
  }

  /** An alternative has worked: for a while it is the first choice. */
  prefer({ transport, at, why }: ChosenTransport): void {
    const until = this.#now() + avoidMs
    if (transport.name === 'sse') this.#avoidHttp2 = { until, because: why }
    else this.#otherHost = { until, at }
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.values()].map((transport) => transport.close()))
    await Promise.all([...this.#clients.values()].map((client) => client.close()))
  }

  #decide({ http2 }: AgentHost): { name: RunTransport['name']; why: string } {
    const { setting } = this.#options
    if (setting !== 'auto') return { name: setting, why: 'as configured' }
    if (http2 === 'forbidden') return { name: 'sse', why: "the server's settings forbid HTTP/2" }
    if (http2 === 'demanded') return { name: 'http2', why: "the server's settings demand it" }
    if (this.#avoidHttp2 && this.#avoidHttp2.until > this.#now())
      return { name: 'sse', why: this.#avoidHttp2.because }
    return { name: 'http2', why: 'the default' }
  }

  #road(name: RunTransport['name'], host: AgentHost, why: string, next?: string): ChosenTransport {
    const at = name === 'sse' ? this.#options.baseUrl : (next ?? this.#hostFor(host))
    return { transport: this.#get(name, at), host, at, why }
  }

  #hostFor({ baseUrl, others }: AgentHost): string {
    const { at = '', until = 0 } = this.#otherHost ?? {}
    return until > this.#now() && others.includes(at) ? at : baseUrl
  }

  #get(name: RunTransport['name'], baseUrl: string): RunTransport {
    const key = `${name} ${baseUrl}`
    const known = this.#open.get(key)
    if (known) return known
    const { backend, clientVersion, connect } = this.#options
    const transport =
      name === 'http2'
        ? createHttp2Transport({ backend, clientVersion, baseUrl, connect })
        : createSseTransport({ backend, clientVersion, client: this.#client(baseUrl) })
    this.#open.set(key, transport)
    return transport
  }

  #client(baseUrl: string): UpstreamClient {
    const known = this.#clients.get(baseUrl)
    if (known) return known
    const client = createUpstreamClient(baseUrl, this.#options.connect)
    this.#clients.set(baseUrl, client)
    return client
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

/** The next host in the list, which ends with the base URL. */
function nextHost({ baseUrl, others }: AgentHost, at: string): string | undefined {
  const all = [baseUrl, ...others]
  return all[all.indexOf(at) + 1]
}

const otherRegion = /\bregion is not (?:yet )?available\b/i
export const isWrongPlace = (failure: GatewayError) =>
  failure instanceof EmptyAnswer || (failure.upstream !== undefined && otherRegion.test(failure.message))

/** The connection or the protocol failed. What the service itself refuses, it refuses on any transport. */
export const isTransportTrouble = ({ code }: GatewayError) =>
  code === 'upstream-unavailable' || code === 'upstream-protocol'

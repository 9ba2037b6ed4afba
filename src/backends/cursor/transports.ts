// Which transport a run takes: as configured, or (`auto`) HTTP/2 unless the server forbids it or it cannot be had.

import type { GatewayError } from '../../core/errors.ts'
import { createUpstreamClient, type UpstreamClient } from '../../upstream/client.ts'
import type { Http2PoolOptions } from '../../upstream/http2-pool.ts'
import type { AgentHost, AgentHosts } from './agent-host.ts'
import type { RunTransport } from './transport.ts'
import { createHttp2Transport } from './transport-http2.ts'
import { createSseTransport } from './transport-sse.ts'

export interface TransportsOptions {
  backend: string
  setting: 'auto' | 'http2' | 'sse'
  hosts: AgentHosts
  clientVersion: string
  connect: Http2PoolOptions
  now?: () => number
}

export interface ChosenTransport {
  transport: RunTransport
  host: AgentHost
  /** In words for the operator. */
  why: string
}

/** How long HTTP/2 is not tried again after HTTP/1.1 worked where it did not. */
const avoidMs = 10 * 60_000

export class Transports {
  readonly #options: TransportsOptions
  readonly #open = new Map<string, RunTransport>()
  readonly #clients = new Map<string, UpstreamClient>()
  #avoidHttp2: { until: number; because: string } | undefined

  constructor(options: TransportsOptions) {
    this.#options = options
  }

  async choose(): Promise<ChosenTransport> {
    const host = await this.#options.hosts.find()
    const { name, why } = this.#decide(host)
    return { transport: this.#get(name, host.baseUrl), host, why }
  }

  /** Another way for a run that could not begin by HTTP/2, if there is one. */
  instead({ transport, host }: ChosenTransport, failure: GatewayError): ChosenTransport | undefined {
    if (this.#options.setting !== 'auto' || transport.name !== 'http2' || !isTransportTrouble(failure))
      return undefined
    const why = `HTTP/2 failed (${failure.message})`
    return { transport: this.#get('sse', host.baseUrl), host, why }
  }

  /** What was tried instead has worked: it is taken first for a while. */
  prefer({ transport, why }: ChosenTransport): void {
    if (transport.name === 'sse') this.#avoidHttp2 = { until: this.#now() + avoidMs, because: why }
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

/** The connection or the protocol failed; what the service itself refuses, it refuses on any road. */
const isTransportTrouble = ({ code }: GatewayError) =>
  code === 'upstream-unavailable' || code === 'upstream-protocol'

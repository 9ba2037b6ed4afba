// The agent host: the service names the host of the account's region, and may forbid or demand HTTP/2.

import {
  GetServerConfigRequestSchema,
  GetServerConfigResponseSchema,
} from '../../../proto/gen/aiserver/v1/service_pb.ts'
import { isLoopback } from '../../base/loopback.ts'
import { GatewayError } from '../../core/errors.ts'
import type { Rpc } from './rpc.ts'

export interface AgentHost {
  baseUrl: string
  /** Hosts to try next, in this order: others that the service names, then the base URL. */
  others: readonly string[]
  http2: 'demanded' | 'forbidden' | 'open'
  /** Why this host, in words for the operator. */
  source: string
}

interface AgentHostOptions {
  baseUrl: string
  privacy: boolean
  rpc: Rpc
  now?: () => number
}

const freshMs = 30 * 60_000
/** After a failure the service is asked again sooner. */
const retryMs = 60_000
const timeoutMs = 5_000

const http2Config: Record<number, AgentHost['http2']> = {
  1: 'forbidden',
  2: 'demanded',
  3: 'forbidden',
  4: 'demanded',
}

export class AgentHosts {
  readonly #options: AgentHostOptions
  readonly #now: () => number
  #known: { host: AgentHost; until: number } | undefined
  #running: Promise<AgentHost> | undefined

  constructor(options: AgentHostOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  /** Without an answer from the service, the base URL is the host. */
  async find(): Promise<AgentHost> {
    if (this.#known && this.#known.until > this.#now()) return this.#known.host
    this.#running ??= this.#ask().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  async #ask(): Promise<AgentHost> {
    const { baseUrl, rpc } = this.#options
    try {
      const reply = await rpc.call({
        path: '/aiserver.v1.ServerConfigService/GetServerConfig',
        input: GetServerConfigRequestSchema,
        output: GetServerConfigResponseSchema,
        message: {},
        signal: AbortSignal.timeout(timeoutMs),
      })
      const http2 = http2Config[reply.http2Config] ?? 'open'
      const { agentUrl = '', agentnUrl = '' } = reply.agentUrlConfig ?? {}
      const host = this.#choose(this.#options.privacy ? [agentUrl, agentnUrl] : [agentnUrl, agentUrl], http2)
      this.#known = { host, until: this.#now() + freshMs }
      return host
    } catch (error) {
      const failure = GatewayError.from(error)
      // A refused credential is refused for the run as well, with a better error message.
      const source = `the server's settings could not be read (${failure.code}): "baseUrl" is used`
      const host: AgentHost = { baseUrl, others: [], http2: 'open', source }
      // After a login the answer changes.
      if (failure.code !== 'unauthenticated') this.#known = { host, until: this.#now() + retryMs }
      return host
    }
  }

  /** `named`: the host for the privacy mode first. Which of the two serves which accounts is not known for certain. */
  #choose(named: readonly string[], http2: AgentHost['http2']): AgentHost {
    const { baseUrl } = this.#options
    const given = named.filter((host) => host !== '')
    const trusted = given
      .filter((host) => mayBeTrusted(host, baseUrl))
      .map((host) => host.replace(/(?<!\/)\/+$/, ''))
    const [first, ...others] = new Set([...trusted, baseUrl])
    if (first !== undefined && trusted.length > 0)
      return { baseUrl: first, others, http2, source: "named in the server's settings" }
    const source =
      given[0] === undefined
        ? 'the server names no other host than "baseUrl"'
        : `the server names ${printable(given[0])}, which is not one of its own: "baseUrl" is used`
    return { baseUrl, others: [], http2, source }
  }
}

/**
 * The token is sent there: only hosts of the service's own domain, by https. A service on this machine (a simulator) may name
 * another port of this machine.
 */
function mayBeTrusted(named: string, baseUrl: string): boolean {
  if (!URL.canParse(named)) return false
  const { protocol, hostname, origin, username, password } = new URL(named)
  const base = new URL(baseUrl)
  if (username !== '' || password !== '') return false
  if (origin === base.origin) return true
  if (isLoopback(base.hostname)) return isLoopback(hostname) && /^https?:$/.test(protocol)
  return protocol === 'https:' && hostname.endsWith('.cursor.sh') && base.hostname.endsWith('.cursor.sh')
}

const printable = (text: string) => text.replace(/[^\x20-\x7e]/g, '?').slice(0, 200)

// Where runs go, and how: the service names the agent host of the account's region and may forbid or demand HTTP/2.

import {
  GetServerConfigRequestSchema,
  GetServerConfigResponseSchema,
} from '../../../proto/gen/aiserver/v1/service_pb.ts'
import { GatewayError } from '../../core/errors.ts'
import { isLoopback } from '../../core/loopback.ts'
import type { Rpc } from './rpc.ts'

export interface AgentHost {
  baseUrl: string
  http2: 'demanded' | 'forbidden' | 'open'
  /** Where this comes from, in words for the operator. */
  source: string
}

export interface AgentHostOptions {
  baseUrl: string
  privacy: boolean
  rpc: Rpc
  now?: () => number
}

const freshMs = 30 * 60_000
/** A service that could not be asked is asked again sooner. */
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

  /** Never fails for want of an answer: then the base URL itself is the host. */
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
      const named = this.#options.privacy ? reply.agentUrlConfig?.agentUrl : reply.agentUrlConfig?.agentnUrl
      const host = this.#choose(named, http2)
      this.#known = { host, until: this.#now() + freshMs }
      return host
    } catch (error) {
      const failure = GatewayError.from(error)
      // A refused credential is refused for the run as well, and is said better there.
      const source = `the server's settings could not be read (${failure.code}): "baseUrl" is used`
      const host: AgentHost = { baseUrl, http2: 'open', source }
      // After a login the answer is another one.
      if (failure.code !== 'unauthenticated') this.#known = { host, until: this.#now() + retryMs }
      return host
    }
  }

  #choose(named: string | undefined, http2: AgentHost['http2']): AgentHost {
    const { baseUrl } = this.#options
    if (named === undefined || named === '')
      return { baseUrl, http2, source: 'the server names no other host than "baseUrl"' }
    if (!mayBeTrusted(named, baseUrl))
      return {
        baseUrl,
        http2,
        source: `the server names ${printable(named)}, which is not one of its own: "baseUrl" is used`,
      }
    return { baseUrl: named.replace(/(?<!\/)\/+$/, ''), http2, source: "named in the server's settings" }
  }
}

/**
 * The token goes there: only to the service's own domain, by https. A service on this machine (a simulator) may name
 * another port of it.
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

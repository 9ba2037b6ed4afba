// The calls of Qwen's web chat besides answers: new chat, deletion, models. Credentials come from the configuration and go
// only to `baseUrl`. The gateway forges no values of the anti-bot layer.

import { randomUUID } from 'node:crypto'
import { type Fields, isObject, parseJson } from '../../base/json.ts'
import type { Model } from '../../core/backend.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnTap } from '../../core/tap.ts'
import { challengeIn, fromQwenWebError, isGate, isRefusal } from '../../protocols/qwen-web/errors.ts'
import { toNewChat } from '../../protocols/qwen-web/request-out.ts'
import type { UpstreamClient, UpstreamRequest } from '../../upstream/client.ts'
import { retryAfter } from '../../upstream/retry-after.ts'

export interface QwenWebServiceOptions {
  name: string
  client: UpstreamClient
  token: string
  cookie?: string | undefined
  version: string
  userAgent?: string | undefined
  headers: Record<string, string>
}

const maxBytes = 8 * 1024 * 1024
const patienceMs = 30_000

export class QwenWebService {
  readonly #options: QwenWebServiceOptions
  readonly #own: Record<string, string>

  constructor(options: QwenWebServiceOptions) {
    this.#options = options
    // Lower-case names, so that a configured header replaces one of ours and never duplicates it.
    this.#own = Object.fromEntries(
      Object.entries(options.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
  }

  /** `chatId`: of the web page that would send the request. */
  headers(chatId?: string): Record<string, string> {
    const { client, token, cookie, version, userAgent } = this.#options
    return {
      authorization: `Bearer ${token}`,
      ...(cookie === undefined ? {} : { cookie }),
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
      origin: client.origin,
      referer: `${client.origin}/${chatId === undefined ? '' : `c/${chatId}`}`,
      source: 'web',
      version,
      timezone: new Date().toString().replace(/ \([\s\S]*$/, ''),
      'x-request-id': randomUUID(),
      ...this.#own,
    }
  }

  async newChat(model: string, signal: AbortSignal, tap?: TurnTap): Promise<string> {
    const body = JSON.stringify(toNewChat(model, Date.now()))
    const answer = await this.#call({ method: 'POST', path: '/api/v2/chats/new', body, tap }, signal)
    const id = isObject(answer.data) ? answer.data.id : undefined
    if (typeof id === 'string' && /^[\x21-\x7e]{1,256}$/.test(id)) return id
    throw this.#malformed('a new chat without an id that can be used', JSON.stringify(answer))
  }

  async deleteChat(id: string, signal: AbortSignal): Promise<void> {
    await this.#call({ method: 'DELETE', path: `/api/v2/chats/${encodeURIComponent(id)}` }, signal)
  }

  async models(signal: AbortSignal): Promise<Model[]> {
    const answer = await this.#call({ method: 'GET', path: '/api/models' }, signal)
    const data = isObject(answer.data) ? answer.data.data : answer.data
    if (!Array.isArray(data)) throw this.#malformed('no model list', JSON.stringify(answer))
    return data.filter(isObject).flatMap(toModel)
  }

  async #call(
    { method, path, body, tap }: Pick<UpstreamRequest, 'method' | 'path' | 'body' | 'tap'>,
    signal: AbortSignal,
  ): Promise<Fields> {
    const { client, name } = this.#options
    const response = await client.request({
      method,
      path,
      headers: {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.headers(),
      },
      ...(body === undefined ? {} : { body }),
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
      tap,
    })
    const { bytes } = await response.body.readAll(maxBytes)
    const excerpt = bytes.toString('utf8')
    const json = parseJson(excerpt)
    if (response.status === 200 && isObject(json) && !isRefusal(json) && !isGate(json)) return json
    if (response.status === 200 && !isObject(json)) {
      const error = this.#malformed('an answer that is not a JSON object', excerpt)
      throw challengeIn(error, name) ?? error
    }
    throw fromQwenWebError({
      backend: name,
      status: response.status,
      body: json,
      excerpt,
      retryAfterMs: retryAfter(response.headers),
    })
  }

  #malformed(what: string, excerpt: string): GatewayError {
    const { name } = this.#options
    return new GatewayError(
      'upstream-protocol',
      `${name}: the upstream sent ${what}; is its "baseUrl" right?`,
      { upstream: { status: 200, excerpt } },
    )
  }
}

function toModel(entry: Fields): Model[] {
  if (typeof entry.id !== 'string' || entry.id === '') return []
  const info = isObject(entry.info) ? entry.info : {}
  const meta = isObject(info.meta) ? info.meta : {}
  const { max_context_length: context, max_generation_length: output } = meta
  return [
    {
      id: entry.id,
      ownedBy: 'qwen',
      ...(typeof entry.name === 'string' ? { displayName: entry.name } : {}),
      ...(typeof context === 'number' ? { contextTokens: context } : {}),
      ...(typeof output === 'number' ? { outputTokens: output } : {}),
    },
  ]
}

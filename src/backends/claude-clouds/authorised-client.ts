// A client whose requests get their credential at the last moment: a signature covers the final body, and a token may have been
// renewed since the turn began.

import { GatewayError } from '../../core/errors.ts'
import type { UpstreamClient, UpstreamRequest, UpstreamResponse } from '../../upstream/client.ts'

export interface RequestFacts {
  method: string
  host: string
  /** The path as sent, with the path of the base URL. */
  path: string
  body: string | Uint8Array
}

/** What authorises one request. It knows its credential, because requests that run together may have different ones. */
interface Authorisation {
  headers: Record<string, string>
  /** True if the response refuses the credential and a newer one may exist. The request is then sent once more, without this check. */
  isStale(response: UpstreamResponse): boolean
}

export type Authority = (request: RequestFacts) => Promise<Authorisation>

const drainMs = 1_000

export function authorisedClient(
  client: UpstreamClient,
  baseUrl: string,
  authority: Authority,
  decode?: UpstreamRequest['decode'],
): UpstreamClient {
  const { host, pathname } = new URL(baseUrl)
  const prefix = pathname.replace(/(?<!\/)\/+$/, '')

  async function send(asked: UpstreamRequest) {
    const { method, path, body = '', headers } = asked
    const facts = { method, host, path: prefix + path, body }
    const { headers: added, isStale } = await unlessCanceled(authority(facts), asked)
    const sent = { ...asked, headers: { ...headers, ...added }, ...(decode ? { decode } : {}) }
    return { response: await client.request(sent), isStale }
  }

  return {
    origin: client.origin,
    base: client.base,
    async request(asked) {
      const { response, isStale } = await send(asked)
      if (!isStale(response)) return response
      response.body.drain(drainMs)
      return (await send(asked)).response
    },
    close: () => client.close(),
  }
}

/** A credential may take seconds to load. A canceled request does not wait for it. */
function unlessCanceled<Result>(work: Promise<Result>, asked: UpstreamRequest): Promise<Result> {
  const { signal, onCancelable } = asked
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(GatewayError.ofAbort(signal))
    if (signal.aborted) return onAbort()
    onCancelable?.(reject)
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

// The `fetch` of a provider: requests to the gateway's address go to the gateway in this process, others to the network.

/** The address of the gateway in this process. It is never resolved: requests to it do not reach the network. */
export const placeholderOrigin = 'http://dragoman.internal'

export const placeholderUrl = `${placeholderOrigin}/v1`

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

interface GatewayFetchOptions {
  gateway: { fetch(request: Request): Promise<Response> }
  /** The client's working folder. */
  directory: string
  /** For all other requests; by default the global `fetch` at the time of the call. */
  network?: Fetch
}

export function createGatewayFetch({ gateway, directory, network }: GatewayFetchOptions): Fetch {
  return async (input, init) => {
    if (!isOurs(input instanceof Request ? input.url : String(input)))
      return (network ?? globalThis.fetch)(input, init)
    const request = new Request(input, init)
    // Header values are bytes; the gateway reads them as UTF-8.
    request.headers.set('x-dragoman-workspace', Buffer.from(directory, 'utf8').toString('latin1'))
    return gateway.fetch(request)
  }
}

const isOurs = (url: string) => url === placeholderOrigin || url.startsWith(`${placeholderOrigin}/`)

// The `fetch` of a provider: what is addressed to the gateway goes to the one in this process, the rest to the network.

/** Stands for the gateway in this process. Never looked up: what is addressed to it does not get to the network. */
const origin = 'http://dragoman.internal'

export const placeholderUrl = `${origin}/v1`

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

export interface GatewayFetchOptions {
  gateway: { fetch(request: Request): Promise<Response> }
  /** Where the client works. */
  directory: string
  /** For everything else; by default what `fetch` is at the time of the call. */
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

const isOurs = (url: string) => url === origin || url.startsWith(`${origin}/`)

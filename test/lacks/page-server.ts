// Pages of the web for tests: names that resolve to a public address, which a server of this machine plays.

import http from 'node:http'
import net from 'node:net'
import type { Connect } from '../../src/local-tools/fetch/ask-page.ts'

export interface PageServer {
  connect: Connect
  /** Addresses that were connected to. */
  opened: string[]
  /** Requests that arrived, as HOST/PATH. */
  asked: string[]
  /** Answers by HOST/PATH. */
  pages: Map<string, { type?: string; body?: string; location?: string }>
  /** What names resolve to; default: a public address. */
  names: Map<string, string[]>
  clear(): void
  close(): Promise<void>
}

const publicAddress = '93.184.215.14'

export async function startPageServer(): Promise<PageServer> {
  const [opened, asked]: [string[], string[]] = [[], []]
  const pages: PageServer['pages'] = new Map()
  const names: PageServer['names'] = new Map()
  const server = http.createServer((request, response) => {
    const place = `${request.headers.host}${request.url}`
    asked.push(place)
    const { type = 'text/html', body = '', location } = pages.get(place) ?? {}
    if (!pages.has(place)) response.writeHead(404).end()
    else if (location !== undefined) response.writeHead(302, { location }).end()
    else response.writeHead(200, { 'content-type': type }).end(body)
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as net.AddressInfo
  return {
    ...{ opened, asked, pages, names },
    connect: {
      lookup: async (hostname) => names.get(hostname) ?? [publicAddress],
      open: ({ address }) => {
        opened.push(address)
        return new Promise((resolve) => {
          const socket = net.connect(port, '127.0.0.1', () => resolve(socket))
        })
      },
    },
    clear() {
      opened.length = asked.length = 0
      pages.clear()
      names.clear()
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

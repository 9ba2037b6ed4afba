// The socket side: a Node server with every limit set on purpose.

import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Exchange, nodeExchange } from './exchange.ts'

export interface HttpServer {
  /** Resolves with the URL once connections are accepted. */
  listen(host: string, port: number): Promise<string>
  /** No new connections; resolves when the last one is gone. */
  stopAccepting(): Promise<void>
  closeIdle(): void
  closeAll(): void
}

export function createHttpServer(handle: (exchange: Exchange) => Promise<void>): HttpServer {
  const limits = {
    headersTimeout: 10_000,
    requestTimeout: 60_000,
    // How often the two above are looked at.
    connectionsCheckingInterval: 5_000,
    maxHeaderSize: 16 * 1024,
    keepAliveTimeout: 65_000,
  }
  const server = http.createServer(limits, (request, response) => {
    // `handle` answers its own failures; should even that fail, the client must not be left waiting.
    handle(nodeExchange(request, response)).catch(() => response.destroy())
  })
  server.maxConnections = 1_000

  return {
    async listen(host, port) {
      await new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(port, host, () => {
          server.off('error', reject)
          resolve()
        })
      })
      const { port: actual } = server.address() as AddressInfo
      return `http://${host.includes(':') ? `[${host}]` : host}:${actual}`
    },
    stopAccepting: () =>
      new Promise((resolve) => (server.listening ? server.close(() => resolve()) : resolve())),
    closeIdle: () => server.closeIdleConnections(),
    closeAll: () => server.closeAllConnections(),
  }
}

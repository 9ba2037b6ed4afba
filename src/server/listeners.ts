// The sockets of a gateway. Alone, it listens for everybody; as a worker, it takes its clients' connections from its
// parent, and listens for other instances only: the port that clients use leads to any worker.

import type { Socket } from 'node:net'
import { createHttpServer, type HttpServer, type ServerLimits } from '../http/server.ts'
import type { Log } from '../observe/log.ts'
import type { RequestHandler } from './handle-request.ts'

export interface Address {
  host: string
  port: number
}

/** Where a worker's clients come from. */
export interface SharedPort {
  /** Where they call. */
  url: string
  onConnection(take: (socket: Socket) => void): void
  /** No more of them, please. */
  leave(): void
  /** For other instances. */
  peerListen: Address
}

interface ListenersOptions {
  requests: Pick<RequestHandler, 'handle' | 'handlePeer'>
  limits: Partial<ServerLimits> | undefined
  shared: SharedPort | undefined
  log: Log
}

export interface Listeners extends Omit<HttpServer, 'listen' | 'take'> {
  /** `announce` is told where other instances reach this one. */
  listen(address: Address, announce: (url: string) => Promise<void> | undefined): Promise<string>
  /** Whoever else has the same port takes what is new. */
  leave(): void
}

export function createListeners({ requests, limits, shared, log }: ListenersOptions): Listeners {
  const onFull = (connections: number) => log.warn('all connections are taken', { connections })
  const server = shared
    ? createHttpServer(requests.handlePeer, { limits, onFull, handleTaken: requests.handle })
    : createHttpServer(requests.handle, { limits, onFull })
  return {
    async listen({ host, port }, announce) {
      const url = await (shared ? listenForPeers(server, shared.peerListen) : server.listen(host, port))
      await announce(url)
      // Known to the others before the first client comes: that one may ask for what they have.
      shared?.onConnection((socket) => server.take(socket))
      return shared?.url ?? url
    },
    get connections() {
      return server.connections
    },
    get newcomers() {
      return server.newcomers
    },
    leave: () => shared?.leave(),
    stopAccepting: () => server.stopAccepting(),
    closeIdle: () => server.closeIdle(),
    closeAll: () => server.closeAll(),
  }
}

function listenForPeers(server: HttpServer, { host, port }: Address): Promise<string> {
  return server.listen(host, port).catch((error: NodeJS.ErrnoException) => {
    const why = error.code ?? error.message
    throw new Error(`other instances could not reach it on ${host}:${port} (${why})`, { cause: error })
  })
}

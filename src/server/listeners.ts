// The sockets of a gateway. A single process listens for clients. A worker gets its clients' connections from the parent and
// listens only for other instances: the shared port cannot address one worker.

import type { Socket } from 'node:net'
import { createHttpServer, type HttpServer, type ServerLimits } from '../http/server.ts'
import type { Log } from '../observe/log.ts'
import type { RequestHandler } from './handle-request.ts'

export interface Address {
  host: string
  port: number
}

/** A worker's side of the port that all workers share. */
export interface SharedPort {
  /** The URL that clients call. */
  url: string
  onConnection(take: (socket: Socket) => void): void
  /** Stop sending connections to this worker. */
  leave(): void
  /** The address for other instances. */
  peerListen: Address
}

interface ListenersOptions {
  requests: Pick<RequestHandler, 'handle' | 'handlePeer' | 'upgrades'>
  limits: Partial<ServerLimits> | undefined
  shared: SharedPort | undefined
  log: Log
}

export interface Listeners extends Omit<HttpServer, 'listen' | 'listenToo' | 'take'> {
  /** `announce` gets the URL for other instances. */
  listen(address: Address, announce: (url: string) => Promise<void> | undefined): Promise<string>
  /** Listens for clients on one more address. Not for workers: their parent has the ports. */
  listenToo(address: Address): Promise<string>
  /** The other workers get all new connections. */
  leave(): void
}

export function createListeners({ requests, limits, shared, log }: ListenersOptions): Listeners {
  const onFull = (connections: number) => log.warn('all connections are taken', { connections })
  const { upgrades } = requests
  const server = shared
    ? createHttpServer(requests.handlePeer, { limits, onFull, handleTaken: requests.handle, upgrades })
    : createHttpServer(requests.handle, { limits, onFull, upgrades })
  return {
    async listen({ host, port }, announce) {
      const url = await (shared ? listenForPeers(server, shared.peerListen) : server.listen(host, port))
      await announce(url)
      // Announced before the first client arrives: its session may be on another instance.
      shared?.onConnection((socket) => server.take(socket))
      return shared?.url ?? url
    },
    listenToo: ({ host, port }) =>
      server.listenToo(host, port).catch(async (error: unknown) => {
        void server.stopAccepting()
        throw error
      }),
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

// Where the other instances reach one worker: on a port of its own, for the one that clients use leads to any of them.

import type { Config } from '../../config/schema.ts'
import type { Address } from '../../server/listeners.ts'

interface PeerAddress {
  listen: Address
  /** What the others are told; as it listens, where nothing is said. */
  url: string | undefined
}

/** `worker` counts from 1. */
export function peerAddress({ sessions, listen }: Config, worker: number): PeerAddress {
  const { redis, peerUrl } = sessions
  // All are on this machine.
  if (redis === undefined) return { listen: { host: '127.0.0.1', port: 0 }, url: undefined }
  if (peerUrl === undefined) return { listen: { host: listen.host, port: 0 }, url: undefined }
  const url = new URL(peerUrl)
  const port = Number(url.port || 80) + worker - 1
  return { listen: { host: listen.host, port }, url: `${url.protocol}//${url.hostname}:${port}` }
}

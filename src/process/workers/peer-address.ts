// The address of a single worker for other instances: its own port, because the port for clients leads to any worker.

import type { Config } from '../../config/schema.ts'
import type { Address } from '../../server/listeners.ts'

interface PeerAddress {
  listen: Address
  /** The URL that others are told; by default the listening address. */
  url: string | undefined
}

/** `worker` counts from 1. */
export function peerAddress({ sessions, listen }: Config, worker: number): PeerAddress {
  const { redis, peerUrl } = sessions
  // All peers are on this machine.
  if (redis === undefined) return { listen: { host: '127.0.0.1', port: 0 }, url: undefined }
  if (peerUrl === undefined) return { listen: { host: listen.host, port: 0 }, url: undefined }
  const url = new URL(peerUrl)
  const port = Number(url.port || 80) + worker - 1
  return { listen: { host: listen.host, port }, url: `${url.protocol}//${url.hostname}:${port}` }
}

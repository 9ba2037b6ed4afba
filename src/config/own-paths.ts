// Files, folders and sockets that the configuration names for the gateway's own use. Local tools must not see them.
// own-paths.test.ts lists every string setting, and a new one must be classified there.

import { resolve } from 'node:path'
import type { Config } from './schema.ts'

export function ownPaths({
  tapes,
  backends,
  sessions,
}: Pick<Config, 'tapes' | 'backends' | 'sessions'>): string[] {
  const authorities = Object.values(backends).map(({ connect }) => connect?.ca)
  const keyFiles = Object.values(backends).map((backend) =>
    'keyFile' in backend ? backend.keyFile : undefined,
  )
  return [tapes.folder, socketOf(sessions.redis), ...authorities, ...keyFiles]
    .filter((path) => path !== undefined)
    .map((path) => resolve(path))
}

const socketOf = (redis: string | undefined) =>
  redis?.startsWith('unix:') ? decodeURIComponent(new URL(redis).pathname) : undefined

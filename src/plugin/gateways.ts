// The gateways of this process: one for each set of settings, however many projects and windows use it.

import { createHash } from 'node:crypto'
import type { Config } from '../config/schema.ts'
import type { BackendDefaults } from '../create-backends.ts'
import { createGateway, type Gateway } from '../gateway.ts'

export interface GatewaySettings {
  config: Config
  secrets: readonly string[]
  connect: BackendDefaults
}

export interface Lease {
  gateway: Gateway
  /** The last one to leave closes it. */
  release(): Promise<void>
}

const open = new Map<string, { gateway: Gateway; users: number }>()

export function leaseGateway(settings: GatewaySettings, writeLog: (line: string) => void): Lease {
  const { config, secrets, connect } = settings
  const key = createHash('sha256')
    .update(JSON.stringify({ config, secrets, connect, variables: 'variable' in connect }))
    .digest('hex')
  const entry = open.get(key) ?? {
    gateway: createGateway({ config, keys: [], secrets, connect, writeLog }),
    users: 0,
  }
  entry.users++
  open.set(key, entry)
  let isReleased = false
  return {
    gateway: entry.gateway,
    async release() {
      if (isReleased) return
      isReleased = true
      entry.users--
      if (entry.users > 0) return
      open.delete(key)
      await entry.gateway.close()
    },
  }
}

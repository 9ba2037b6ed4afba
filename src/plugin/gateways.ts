// The gateways of this process: one for each set of settings, shared by all projects and windows that use it.

import { createHash } from 'node:crypto'
import type { BackendDefaults } from '../backends/create-backends.ts'
import type { Config } from '../config/schema.ts'
import type { Gateway } from '../gateway.ts'

export interface GatewaySettings {
  config: Config
  secrets: readonly string[]
  connect: BackendDefaults
}

export interface Lease {
  gateway: Gateway
  /** The last release closes the gateway. */
  release(): Promise<void>
}

interface User {
  writeLog(line: string): void
}

interface Open {
  gateway: Promise<Gateway>
  users: Set<User>
}

const open = new Map<string, Open>()

export async function leaseGateway(
  settings: GatewaySettings,
  writeLog: (line: string) => void,
): Promise<Lease> {
  const { config, secrets, connect } = settings
  const key = createHash('sha256')
    .update(JSON.stringify({ config, secrets, connect, variables: 'variable' in connect }))
    .digest('hex')
  const entry = open.get(key) ?? openGateway(settings)
  const user = { writeLog }
  entry.users.add(user)
  open.set(key, entry)
  const leave = () => {
    if (!entry.users.delete(user) || entry.users.size > 0) return false
    return open.delete(key)
  }
  try {
    const gateway = await entry.gateway
    return {
      gateway,
      async release() {
        if (leave()) await gateway.close()
      },
    }
  } catch (error) {
    leave()
    throw error
  }
}

function openGateway({ config, secrets, connect }: GatewaySettings): Open {
  const users = new Set<User>()
  // To any remaining user: all write to the same log.
  const writeLog = (line: string) => [...users][0]?.writeLog(line)
  // Loaded on demand: most providers have no credential and open no gateway.
  const gateway = import('../gateway.ts').then(({ createGateway }) =>
    createGateway({ config, keys: [], secrets, connect, writeLog }),
  )
  return { gateway, users }
}

// Headers that identify the gateway to Cursor. Client type and version are settings, because the service refuses clients that it
// considers outdated.

import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import { type MachineIds, machineChecksum, tokenChecksum } from '../../credentials/checksum.ts'

export interface IdentityOptions {
  clientType: string
  clientVersion: string
  privacy: boolean
  checksum: 'off' | 'machine' | 'token'
  /** Extra request headers of the configuration. */
  headers: Record<string, string>
}

export type Identity = (token: string) => Record<string, string>

export function createIdentity(options: IdentityOptions): Identity {
  const fixed = {
    'user-agent': 'connect-es/1.7.0',
    'x-cursor-client-type': options.clientType,
    'x-cursor-client-version': options.clientVersion,
    'x-ghost-mode': String(options.privacy),
  }
  const checksum = checksums[options.checksum]()
  return (token) => ({
    authorization: `Bearer ${token}`,
    ...fixed,
    ...checksum(token),
    ...options.headers,
  })
}

const checksums = {
  off: () => () => ({}),
  token: () => (token: string) => ({ 'x-cursor-checksum': tokenChecksum(Date.now(), token) }),
  machine: () => {
    const ids = readMachineIds()
    return () => ({ 'x-cursor-checksum': machineChecksum(Date.now(), ids) })
  },
}

/** Hashes: neither the machine's id nor its address is sent. */
function readMachineIds(): MachineIds {
  const address = Object.values(networkInterfaces())
    .flatMap((entries) => entries ?? [])
    .find(({ internal, mac }) => !internal && mac !== '00:00:00:00:00:00')?.mac
  return {
    machineId: sha256(machineUuid()),
    ...(address === undefined ? {} : { macMachineId: sha256(address) }),
  }
}

function machineUuid(): string {
  try {
    return readFileSync('/etc/machine-id', 'utf8').trim()
  } catch {
    return hostname()
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

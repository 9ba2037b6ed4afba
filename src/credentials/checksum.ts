// The x-cursor-checksum header. Cursor's own SDK does not send it; other clients do, with two different recipes.

import { createHash } from 'node:crypto'

const halfHourMs = 1_800_000
const tickMs = 1_000_000

export interface MachineIds {
  /** 64 hex digits, constant for a machine. */
  machineId: string
  macMachineId?: string | undefined
}

/** The recipe of the CLI and the IDE. */
export function machineChecksum(nowMs: number, { machineId, macMachineId }: MachineIds): string {
  const tick = Math.floor(nowMs / tickMs)
  // The original shifts by 40 and 32, but JavaScript shifts modulo 32: the first two bytes repeat the last two.
  const bytes = [tick >> 8, tick, tick >> 24, tick >> 16, tick >> 8, tick]
  return `${obscured(bytes)}${machineId}${macMachineId === undefined ? '' : `/${macMachineId}`}`
}

/** The recipe of clients without a machine id: from the token, with a clock that ticks every half hour. */
export function tokenChecksum(nowMs: number, token: string): string {
  const tick = Math.floor((Math.floor(nowMs / halfHourMs) * halfHourMs) / tickMs)
  const bytes = [tick / 2 ** 40, tick / 2 ** 32, tick >>> 24, tick >>> 16, tick >>> 8, tick].map(Math.floor)
  return `${obscured(bytes)}${shortHash(token.split('.')[1] ?? token)}/${shortHash(token)}`
}

function obscured(bytes: readonly number[]): string {
  let previous = 165
  const mixed = bytes.map((byte, at) => {
    previous = (((byte & 255) ^ previous) + at) & 255
    return previous
  })
  return Buffer.from(mixed).toString('base64url')
}

const shortHash = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 8)

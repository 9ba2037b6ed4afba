// W3C Trace Context: the trace that a request belongs to, read from clients and sent upstream.

import { randomFillSync } from 'node:crypto'

export interface RemoteParent {
  traceId: string
  spanId: string
  isSampled: boolean
  /** The `tracestate` of other systems, forwarded unchanged. */
  state: string | undefined
}

export const newTraceId = () => randomHex(16)
export const newSpanId = () => randomHex(8)

/** A pool of random bytes: requesting a few at a time costs more than the rest of a span. */
const pool = Buffer.alloc(4096)
let used = pool.length

function randomHex(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += bytes
  return pool.toString('hex', used - bytes, used)
}

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const onlyZeros = /^0+$/
const sampledBit = 1

/** Undefined if the header is invalid: a new trace begins. */
export function readParent(
  traceparent: string | undefined,
  tracestate: string | undefined,
): RemoteParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = shape.exec(traceparent?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || onlyZeros.test(traceId) || onlyZeros.test(spanId))
    return undefined
  // Later versions may append fields; version 00 may not.
  if (version === '00' && more !== undefined) return undefined
  const isSampled = (Number.parseInt(flags, 16) & sampledBit) !== 0
  return { traceId, spanId, isSampled, state: readState(tracestate) }
}

const longestState = 512
const stateMember = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/

function readState(tracestate: string | undefined): string | undefined {
  if (tracestate === undefined || tracestate.length > longestState) return undefined
  const members = tracestate
    .split(',')
    .map((member) => member.trim())
    .filter((member) => member !== '')
  return members.length > 0 && members.every((member) => stateMember.test(member))
    ? members.join(',')
    : undefined
}

export function traceHeaders(
  traceId: string,
  spanId: string,
  { isSampled, state }: { isSampled: boolean; state: string | undefined },
): Record<string, string> {
  return {
    traceparent: `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`,
    ...(state === undefined ? {} : { tracestate: state }),
  }
}

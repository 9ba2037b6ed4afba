// W3C Trace Context: which trace a request is part of, as clients say it and upstreams are told.

import { randomBytes } from 'node:crypto'

export interface RemoteParent {
  traceId: string
  spanId: string
  isSampled: boolean
  /** Of other systems, passed on as it came. */
  state: string | undefined
}

export const newTraceId = () => randomBytes(16).toString('hex')
export const newSpanId = () => randomBytes(8).toString('hex')

const shape = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const onlyZeros = /^0+$/
const sampledBit = 1

/** Undefined where it is none: then the trace begins here. */
export function readParent(
  traceparent: string | undefined,
  tracestate: string | undefined,
): RemoteParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = shape.exec(traceparent?.trim() ?? '') ?? []
  if (version === undefined || version === 'ff' || onlyZeros.test(traceId) || onlyZeros.test(spanId))
    return undefined
  // Later versions may say more; this one may not.
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

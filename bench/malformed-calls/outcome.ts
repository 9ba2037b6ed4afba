// What a gateway makes of one malformed call, seen by the client.

import type { Heard, HeardCall } from '../../test/malformed-calls/doors.ts'
import {
  ExactNumber,
  type ExactValue,
  readExact,
  sortedExact,
} from '../../test/malformed-calls/exact-json.ts'
import type { EmittedCall, Kind } from '../../test/malformed-calls/kind.ts'
import { siblings } from '../../test/malformed-calls/script.ts'

/** From worst to best. */
export const outcomes = ['changed', 'lost', 'silent', 'error', 'noted', 'retried', 'mended', 'right'] as const
export type Outcome = (typeof outcomes)[number]

export const worst = (some: readonly Outcome[]): Outcome =>
  outcomes.find((one) => some.includes(one)) ?? 'lost'

/** `asked`: how often the model was asked. */
export function outcomeOf(kind: Kind, heard: Heard, parallel: boolean, asked: number): Outcome {
  if (heard.error !== undefined) return 'error'
  const left = [...heard.calls]
  for (const sibling of parallel ? siblings : []) {
    const found = left.findIndex((call) => isSame(call, sibling))
    if (found < 0) return 'lost'
    left.splice(found, 1)
  }
  const [call, ...more] = left
  if (!call) return 'lost'
  if (more.length > 0) return 'changed'
  if (isSame(call, kind.call) || isSame(call, kind.partly)) {
    if (kind.class === 'fits') return heard.notes === '' ? 'right' : 'noted'
    return heard.notes === '' ? 'silent' : 'noted'
  }
  if (isSame(call, kind.becomes)) return 'mended'
  return asked > 1 && isSame(call, kind.again) ? 'retried' : 'changed'
}

const isSame = (call: HeardCall, wanted: EmittedCall | undefined) =>
  wanted !== undefined &&
  call.name === wanted.name &&
  (call.arguments === wanted.arguments || plain(call.arguments) === plain(wanted.arguments))

function plain(text: string): string {
  try {
    return sortedExact(normal(readExact(text)))
  } catch {
    return text
  }
}

/** 1.0 is 1: only another number counts as a change. */
function normal(value: ExactValue): ExactValue {
  if (Array.isArray(value)) return value.map(normal)
  if (value instanceof Map) return new Map([...value].map(([name, one]) => [name, normal(one)]))
  if (!(value instanceof ExactNumber)) return value
  const double = Number(value.spelling)
  const isExact = Number.isFinite(double) && (!Number.isInteger(double) || Number.isSafeInteger(double))
  return isExact ? new ExactNumber(String(double)) : value
}

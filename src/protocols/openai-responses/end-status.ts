// How a response ended, by its status and `incomplete_details`.

import { type Fields, isObject } from '../../base/json.ts'
import type { FinishReason } from '../../core/events.ts'
import type { RepairKind } from '../../core/repairs.ts'

const incompleteReasons = new Map<unknown, FinishReason>([
  ['max_output_tokens', 'length'],
  ['max_tokens', 'length'],
  ['length', 'length'],
  ['max_messages', 'length'],
  ['content_filter', 'content-filter'],
])

interface EndStatus {
  stated: FinishReason
  /** In the service's word. */
  raw: unknown
  fault: RepairKind | undefined
}

export function endStatus(status: unknown, { incomplete_details: given }: Fields): EndStatus {
  if (status !== 'incomplete') {
    const fault = status === undefined ? 'no-stop-reason' : 'odd-finish'
    return { stated: 'stop', raw: status, fault: status === 'completed' ? undefined : fault }
  }
  const raw = isObject(given) ? given.reason : undefined
  const stated = incompleteReasons.get(raw) ?? 'other'
  return { stated, raw, fault: stated === 'other' ? 'odd-finish' : undefined }
}

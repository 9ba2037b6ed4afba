// The thought signature of a call: opaque, bound to its model, and wanted back on the call of the same turn. Clients that carry proofs of
// reasoning get it as one; for others the backend keeps it. https://ai.google.dev/gemini-api/docs/thought-signatures

import { createHash } from 'node:crypto'
import type { ReasoningPart } from '../../core/request.ts'
import { signatureMark } from '../requests/proof-marks.ts'

/** Google's word for a call whose signature is lost, or that another model has made. */
export const filler = 'skip_thought_signature_validator'

/** A digest of the place where signatures come from. */
export const signatureSource = (...place: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(place)).digest('base64url').slice(0, 12)

export const toProof = (signature: string, source: string): string => `${signatureMark}${source}.${signature}`

/** Undefined if the reasoning has no proof of this source. */
export function signatureOf({ signature }: ReasoningPart, source: string): string | undefined {
  const mark = `${signatureMark}${source}.`
  return signature?.startsWith(mark) ? signature.slice(mark.length) : undefined
}

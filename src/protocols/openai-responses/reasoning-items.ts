// Reasoning items of a Responses service. Their `encrypted_content` goes back byte for byte, to where it came from, or not at all:
// no other account, model or service can read it. Clients that carry proofs of reasoning get the whole item inside one.

import { createHash } from 'node:crypto'
import { type Fields, isObject, parseJson } from '../../base/json.ts'
import type { ReasoningPart } from '../../core/request.ts'
import { itemMark } from '../requests/proof-marks.ts'
import type { Proof } from './reasoning-proof.ts'

/** A digest of the place where reasoning comes from. */
export const reasoningSource = (...place: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(place)).digest('base64url').slice(0, 12)

/** The item as it goes back; undefined if it holds nothing that the service can use. */
export function replayable(item: Fields): Fields | undefined {
  const { encrypted_content: sealed, content } = item
  const isSealed = typeof sealed === 'string' && sealed !== ''
  if (!isSealed && !(Array.isArray(content) && content.length > 0)) return undefined
  // Ids are lookups into the service's storage, where nothing is kept; the status is only for answers.
  const { id: _, status: __, ...rest } = item
  return Array.isArray(rest.summary) ? rest : { ...rest, summary: [] }
}

/** The proof of a reasoning block: beside its text, or alone if it has none. */
export function proofOf(item: Fields, source: string, hasText: boolean): Proof {
  const sealed = `${itemMark}${source}.${Buffer.from(JSON.stringify(item)).toString('base64url')}`
  return hasText ? { signature: sealed } : { redacted: sealed }
}

/** Undefined if the reasoning has no proof of this source, or a damaged one. */
export function itemOf({ signature, redacted }: ReasoningPart, source: string): Fields | undefined {
  const sealed = signature ?? redacted
  const mark = `${itemMark}${source}.`
  if (!sealed?.startsWith(mark)) return undefined
  const item = parseJson(Buffer.from(sealed.slice(mark.length), 'base64url').toString())
  return isObject(item) && item.type === 'reasoning' ? replayable(item) : undefined
}

/** The reasoning items of one answer that belong to a call. */
export interface CallReasoning {
  /** Before the text that came before the calls. */
  readonly leading: readonly Fields[]
  /** Right before the call. */
  readonly before: readonly Fields[]
}

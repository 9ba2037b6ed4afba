// An upstream's proofs of reasoning, carried in `thoughtSignature`: clients of this dialect leave thoughts out of the history and send
// signatures back as they came. So a signature holds the reasoning itself, text and proof. A checksum covers the model, because no
// other model takes the proof. It guards against accidents, not forgery: the upstream verifies the proof.
//
// The form is plain base64: SDKs of typed languages decode the field, and write it again in either alphabet.

import { createHash } from 'node:crypto'
import { type Fields, isObject, parseJson } from '../../base/json.ts'
import type { ReasoningPart } from '../../core/request.ts'

export interface SignedThought extends ReasoningPart {
  /** It came before everything else in its turn; else right before the part with the signature. */
  leads: boolean
}

const version = 'dragoman1'

const sumOf = (model: string, thoughts: unknown) =>
  createHash('sha256')
    .update(JSON.stringify([model, thoughts]))
    .digest('base64url')
    .slice(0, 16)

export function toThoughtSignature(model: string, signed: readonly SignedThought[]): string {
  const thoughts = signed.map(({ text, signature, redacted, leads }) => ({
    text,
    signature,
    redacted,
    leads,
  }))
  // What is written has no undefined members: the sum is of what will be read.
  const written: unknown = JSON.parse(JSON.stringify(thoughts))
  const body = { v: version, sum: sumOf(model, written), thoughts: written }
  return Buffer.from(JSON.stringify(body)).toString('base64')
}

/** Empty if the signature is not from this gateway, was changed, or belongs to another model. Clients fill in texts of their own. */
export function fromThoughtSignature(model: string, signature: string): SignedThought[] {
  const value = isOwnSignature(signature) ? contentOf(signature) : undefined
  return value?.sum === sumOf(model, value?.thoughts) ? thoughtsIn(value) : []
}

/** The same, whatever name the client has for the model: for proofs that say themselves where they come from. */
export const thoughtsOf = (signature: string): SignedThought[] =>
  isOwnSignature(signature) ? thoughtsIn(contentOf(signature)) : []

function contentOf(signature: string): Fields | undefined {
  const value = parseJson(Buffer.from(signature, 'base64').toString())
  return isObject(value) && value.v === version ? value : undefined
}

const thoughtsIn = (value: Fields | undefined): SignedThought[] =>
  Array.isArray(value?.thoughts) ? value.thoughts.flatMap(readThought) : []

/** Signatures of other services are long: most are told apart by their first characters. */
const ownPrefix = Buffer.from(`{"v":"${version}"`).toString('base64').slice(0, 20)
export const isOwnSignature = (signature: string): boolean => signature.startsWith(ownPrefix)

function readThought(value: unknown): SignedThought[] {
  if (!isObject(value) || typeof value.text !== 'string') return []
  const { text, signature, redacted, leads } = value
  if (typeof signature !== 'string' && typeof redacted !== 'string') return []
  return [
    {
      type: 'reasoning',
      text,
      leads: leads === true,
      ...(typeof signature === 'string' ? { signature } : {}),
      ...(typeof redacted === 'string' ? { redacted } : {}),
    },
  ]
}

// An upstream's proofs of reasoning, encoded as `encrypted_content`: clients resend it from turn to turn as opaque data. A checksum
// covers the model, because no other model takes the proof, and the text that it proves: an upstream refuses the whole conversation
// for a damaged proof or one beside another text. The checksum guards against accidents, not forgery: the upstream verifies the proof.

import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../../base/json.ts'

export interface Proof {
  signature?: string
  redacted?: string
}

/** A reasoning text and the model that wrote it. */
interface Thought {
  model: string
  text: string
}

const mark = 'dragoman1.'

/** A gateway wrote this content, not necessarily this one. */
export const isOwnProof = (content: string): boolean => content.startsWith(mark)

const sumOf = ({ model, text }: Thought, { signature = null, redacted = null }: Record<string, unknown>) =>
  createHash('sha256')
    .update(JSON.stringify([model, text, signature, redacted]))
    .digest('base64url')
    .slice(0, 16)

/** Undefined if there is no proof. */
export function toEncryptedContent(thought: Thought, { signature, redacted }: Proof): string | undefined {
  if (signature === undefined && redacted === undefined) return undefined
  const sealed = { signature, redacted, sum: sumOf(thought, { signature, redacted }) }
  return mark + Buffer.from(JSON.stringify(sealed)).toString('base64url')
}

/** Undefined if the content is not from this gateway, was changed, or belongs to another model. */
export function fromEncryptedContent(thought: Thought, content: string): Proof | undefined {
  if (!content.startsWith(mark)) return undefined
  const value = parseJson(Buffer.from(content.slice(mark.length), 'base64url').toString())
  if (!isObject(value) || value.sum !== sumOf(thought, value)) return undefined
  const { signature, redacted } = value
  if (typeof signature !== 'string' && typeof redacted !== 'string') return undefined
  return {
    ...(typeof signature === 'string' ? { signature } : {}),
    ...(typeof redacted === 'string' ? { redacted } : {}),
  }
}

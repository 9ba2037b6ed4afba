// An upstream's proofs of reasoning as `encrypted_content`: clients carry it from turn to turn without looking into it.
// Its sum is over the model, as no other takes it, and the text that it belongs to: an upstream refuses the whole
// conversation for a proof that was damaged, or stands beside other words than its own. That guards against accidents, not
// forgers: what a proof is worth is for the upstream to say.

import { createHash } from 'node:crypto'
import { isObject, parseJson } from '../../base/json.ts'

export interface Proof {
  signature?: string
  redacted?: string
}

/** What was thought, and by whom. */
export interface Thought {
  model: string
  text: string
}

const mark = 'dragoman1.'

const sumOf = ({ model, text }: Thought, { signature = null, redacted = null }: Record<string, unknown>) =>
  createHash('sha256')
    .update(JSON.stringify([model, text, signature, redacted]))
    .digest('base64url')
    .slice(0, 16)

/** Undefined where there is nothing to prove. */
export function toEncryptedContent(thought: Thought, { signature, redacted }: Proof): string | undefined {
  if (signature === undefined && redacted === undefined) return undefined
  const sealed = { signature, redacted, sum: sumOf(thought, { signature, redacted }) }
  return mark + Buffer.from(JSON.stringify(sealed)).toString('base64url')
}

/** Undefined for what is not of our making, or not as it was made, or of another model. */
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

// An upstream's proofs of reasoning as `encrypted_content`: clients carry it from turn to turn without looking into it.
// It says which model it is for, as no other takes it.

import { isObject, parseJson } from '../json.ts'

export interface Proof {
  signature?: string
  redacted?: string
}

const mark = 'dragoman1.'

/** Undefined where there is nothing to prove. */
export function toEncryptedContent(model: string, { signature, redacted }: Proof): string | undefined {
  if (signature === undefined && redacted === undefined) return undefined
  return mark + Buffer.from(JSON.stringify({ model, signature, redacted })).toString('base64url')
}

/** Undefined for what is not of our making, or was made by another model. */
export function fromEncryptedContent(model: string, content: string): Proof | undefined {
  if (!content.startsWith(mark)) return undefined
  const value = parseJson(Buffer.from(content.slice(mark.length), 'base64url').toString())
  if (!isObject(value) || value.model !== model) return undefined
  const { signature, redacted } = value
  return {
    ...(typeof signature === 'string' ? { signature } : {}),
    ...(typeof redacted === 'string' ? { redacted } : {}),
  }
}

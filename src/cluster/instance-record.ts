// What an instance says of itself in Redis: how it is reached, with a proof. Whoever can write to Redis but does not
// have the secret cannot lead conversations to a place of theirs.

import { isObject, parseJson } from '../protocols/json.ts'
import { hmac, isSameMac } from './signature.ts'

const proofOf = (secret: string, instance: string, url: string) => hmac(secret, `${instance}\n${url}`)

export const instanceRecord = (secret: string, instance: string, url: string): string =>
  JSON.stringify({ url, proof: proofOf(secret, instance, url) })

/** Where the instance is; undefined for a record that is none of ours. */
export function readInstanceRecord(
  secret: string,
  instance: string,
  record: string | null,
): string | undefined {
  const fields = parseJson(record ?? '')
  if (!isObject(fields)) return undefined
  const { url, proof } = fields
  if (typeof url !== 'string' || typeof proof !== 'string') return undefined
  return isSameMac(proofOf(secret, instance, url), proof) ? url : undefined
}

// What an instance says of itself in Redis: how it is reached, since when, with a proof. Whoever can write to Redis but
// does not have the secret cannot lead conversations to a place of theirs, nor to one that an instance had long ago.

import { isObject, parseJson } from '../base/json.ts'
import { hmac, isSameMac, longestSkewMs } from './signature.ts'

const proofOf = (secret: string, instance: string, url: string, at: number) =>
  hmac(secret, `${instance}\n${url}\n${at}`)

/** Written anew with each sign of life. */
export const instanceRecord = (secret: string, instance: string, url: string, at = Date.now()): string =>
  JSON.stringify({ url, at, proof: proofOf(secret, instance, url, at) })

/** Where the instance is; undefined for a record that is none of ours, or an old one. */
export function readInstanceRecord(
  secret: string,
  instance: string,
  record: string,
  now = Date.now(),
): string | undefined {
  const fields = parseJson(record)
  if (!isObject(fields)) return undefined
  const { url, at, proof } = fields
  if (typeof url !== 'string' || typeof at !== 'number' || typeof proof !== 'string') return undefined
  if (Math.abs(now - at) > longestSkewMs) return undefined
  return isSameMac(proofOf(secret, instance, url, at), proof) ? url : undefined
}

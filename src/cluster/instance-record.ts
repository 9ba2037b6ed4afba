// The record of an instance in Redis: its URL and time, signed. An attacker who can write to Redis but lacks the secret can lead
// conversations neither to an own address nor to a former one.

import { isObject, parseJson } from '../base/json.ts'
import { hmac, isSameMac, longestSkewMs } from './signature.ts'

const proofOf = (secret: string, instance: string, url: string, at: number) =>
  hmac(secret, `${instance}\n${url}\n${at}`)

/** Written anew at each beat. */
export const instanceRecord = (secret: string, instance: string, url: string, at = Date.now()): string =>
  JSON.stringify({ url, at, proof: proofOf(secret, instance, url, at) })

/** The URL of the instance; undefined if the record is foreign or old. */
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

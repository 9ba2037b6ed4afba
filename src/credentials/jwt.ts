// Reads expiry and email from a token. Nothing is verified: that is the service's job.

import { isObject, parseJson } from '../base/json.ts'

/** In milliseconds; undefined for a token without expiry, which is used until it is refused. */
export function expiryOf(token: string): number | undefined {
  const seconds = claimsOf(token)?.exp
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined
}

export function emailOf(token: string): string | undefined {
  const email = claimsOf(token)?.email
  return typeof email === 'string' ? plainEmail(email) : undefined
}

/** For terminals: undefined for text with blanks or control characters. */
export const plainEmail = (text: string) => (/^[^\s\p{C}]{1,200}$/u.test(text) ? text : undefined)

function claimsOf(token: string): Record<string, unknown> | undefined {
  const [, payload, signature] = token.split('.')
  if (payload === undefined || signature === undefined) return undefined
  const claims = parseJson(Buffer.from(payload, 'base64url').toString('utf8'))
  return isObject(claims) ? claims : undefined
}

// Signed thinking: the simulator signs what it thinks and, like the service, takes back only its own.
// The signature names the model, so that a block cannot move to another one.

import { createHmac, timingSafeEqual } from 'node:crypto'

const KEY = 'dragoman simulator'

export function signThinking(text: string, model: string): string {
  const seal = createHmac('sha256', KEY).update(`${model}\n${text}`).digest('base64')
  return Buffer.from(`sim1:${model}:${seal}`).toString('base64')
}

export function isSignedThinking(text: string, signature: string, model: string): boolean {
  const wanted = Buffer.from(signThinking(text, model))
  const actual = Buffer.from(signature)
  return wanted.length === actual.length && timingSafeEqual(wanted, actual)
}

/** Redacted thinking holds nothing readable: its data is the signature of the hidden text. */
export function isSealedThinking(data: string, model: string): boolean {
  return Buffer.from(data, 'base64').toString('utf8').startsWith(`sim1:${model}:`)
}

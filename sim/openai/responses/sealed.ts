// `encrypted_content`: opaque to the client, bound to the account and the model's family, and refused if one character changed.

import { createHash, createHmac } from 'node:crypto'
import { Refusal } from '../refusal.ts'

const MARK = 'gAAAAAB'
const SECRET = 'the simulator'

/** Whose reasoning it is. */
export interface Owner {
  readonly account: string
  readonly model: string
}

export const accountOf = (key: string) => createHash('sha256').update(key).digest('base64url').slice(0, 8)

/** `gpt-5.6-sol` and `gpt-5.6-sol-2026-06-01` read each other's reasoning, `gpt-5.6-sol` and `gpt-6-sol` do not. */
const familyOf = (model: string) => model.replace(/-\d{4}-\d\d-\d\d$/, '')

const sumOf = (payload: string) => createHmac('sha256', SECRET).update(payload).digest('base64url')

export function seal(text: string, { account, model }: Owner): string {
  const payload = Buffer.from(JSON.stringify({ account, family: familyOf(model), text })).toString(
    'base64url',
  )
  return `${MARK}${payload}.${sumOf(payload)}`
}

/** The reasoning inside, or the service's refusal. */
export function unseal(sealed: string, { account, model }: Owner): string {
  const [payload = '', sum] = sealed.startsWith(MARK) ? sealed.slice(MARK.length).split('.') : []
  if (payload === '' || sum !== sumOf(payload)) throw unverified(sealed)
  const inside = JSON.parse(Buffer.from(payload, 'base64url').toString())
  if (inside.account !== account || inside.family !== familyOf(model)) throw unverified(sealed)
  return inside.text
}

const unverified = (sealed: string) =>
  new Refusal(
    `The encrypted content ${sealed.slice(0, 4)}...${sealed.slice(-4)} could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
    { code: 'invalid_encrypted_content' },
  )

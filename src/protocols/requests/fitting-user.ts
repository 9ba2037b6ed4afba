// The id of the user, as services take it.

import { createHash } from 'node:crypto'

const common = /^[a-zA-Z0-9_-]{1,64}$/

/** Claude Code sends JSON here, which services refuse for its length or its characters. The same user gets the same digest. */
export function fittingUser(user: string | undefined, note: (text: string) => void): string | undefined {
  if (user === undefined || user === '' || common.test(user)) return user || undefined
  note('the id of the user was sent as a digest: services take at most 64 letters, digits, "_" and "-"')
  return createHash('sha256').update(user).digest('hex')
}

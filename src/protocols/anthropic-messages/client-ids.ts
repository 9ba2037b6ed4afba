// Tool call ids of other services, in the alphabet of this dialect and back: Kimi's `functions.read:0` must return to it as
// it was, and what was kept of its turn is found by it.

import { conformingId } from './names.ts'

const prefix = 'toolx_'
const conforming = /^[a-zA-Z0-9_-]{1,64}$/

/** The id that a client of this dialect is given. What conforms stays as it is; too long an id is not found again. */
export function toClientId(id: string): string {
  if (conforming.test(id) && !id.startsWith(prefix)) return id
  const written = prefix + Buffer.from(id).toString('base64url')
  return conforming.test(written) ? written : conformingId(id)
}

/** The service's own id for what the client has sent back. */
export function fromClientId(id: string): string {
  if (!id.startsWith(prefix)) return id
  const own = Buffer.from(id.slice(prefix.length), 'base64url').toString('utf8')
  return own !== '' && toClientId(own) === id ? own : id
}

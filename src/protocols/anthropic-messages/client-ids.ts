// Encodes tool call ids of other services in the alphabet of this dialect, and decodes them. Kimi's `functions.read:0` must return to
// Kimi unchanged, and the kept data of its turn is found by that id.

import { conformingId } from './names.ts'

const prefix = 'toolx_'
const conforming = /^[a-zA-Z0-9_-]{1,64}$/

/** The id for a client of this dialect. A conforming id stays unchanged; an id that is too long cannot be decoded again. */
export function toClientId(id: string): string {
  if (conforming.test(id) && !id.startsWith(prefix)) return id
  const written = prefix + Buffer.from(id).toString('base64url')
  return conforming.test(written) ? written : conformingId(id)
}

/** The service's own id for an id that the client sent back. */
export function fromClientId(id: string): string {
  if (!id.startsWith(prefix)) return id
  const own = Buffer.from(id.slice(prefix.length), 'base64url').toString('utf8')
  return own !== '' && toClientId(own) === id ? own : id
}

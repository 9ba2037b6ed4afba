// Makes two recorded turns comparable: their ids and times differ. Each id becomes the number of its first occurrence, so texts are
// equal only if the same ids occur in the same places.

import type { ClientSide, Piece } from './client-side.ts'

/** Ids of services and of this gateway: a prefix for the kind, then a random part. */
const idPattern =
  /(?<![A-Za-z0-9_-])(?:turn|chatcmpl|msg|resp|req|rs|fc|ctc|item|call|toolu|srvtoolu|sess)[_-][A-Za-z0-9_-]{6,}/g
const uuidPattern =
  /(?<![A-Za-z0-9-])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![A-Za-z0-9-])/gi
const timePattern = /"(created|created_at|completed_at)":\d{10}/g

export function normalised(side: ClientSide): ClientSide {
  const numbers = new Map<string, string>()
  const name = (id: string) => {
    const known = numbers.get(id)
    if (known !== undefined) return known
    const given = `<id ${numbers.size + 1}>`
    numbers.set(id, given)
    return given
  }
  const clean = (piece: Piece): Piece => ({
    ...piece,
    text: piece.text
      .replace(idPattern, (id) => name(id))
      .replace(uuidPattern, (id) => name(id.toLowerCase()))
      .replace(timePattern, '"$1":<time>'),
  })
  return {
    ...side,
    request: side.request && clean(side.request),
    head: side.head && clean(side.head),
    writes: side.writes.map(clean),
  }
}

// How both answers were written on the wire: members left out of chunks, calls in pieces, the end of a stream.

import type { WireFact } from './joined-answer.ts'
import type { Row, Side } from './row.ts'

export function compareWire(
  client: readonly WireFact[],
  upstream: readonly WireFact[],
  sameDialect: boolean,
): Row[] {
  const ours = new Map(client.map((fact) => [fact.term, fact]))
  const theirs = new Map(upstream.map((fact) => [fact.term, fact]))
  return [...new Set([...theirs.keys(), ...ours.keys()])].flatMap((term): Row[] => {
    const [one, other] = [ours.get(term), theirs.get(term)]
    const about = { section: 'wire', label: term, terms: ['wire', term] }
    // Another dialect has its own events: only what is wrong in the upstream's own is of interest.
    const isPair = one && other && (sameDialect || term === 'how it came')
    if (isPair && one.value !== other.value)
      return [{ ...about, kind: 'changed', client: sideOf(one), upstream: sideOf(other) }]
    if (isPair) return [{ ...about, kind: 'same', client: sideOf(one), upstream: sideOf(other) }]
    return other?.isOdd ? [{ ...about, kind: 'dropped', upstream: sideOf(other) }] : []
  })
}

/** It has no place in the body. */
const sideOf = ({ value }: WireFact): Side => ({ paths: [], value })

// Finds what one side has as messages or tools, and the other inside of a longer text: a prompt that was written out.

import type { Row } from './row.ts'

/** Characters that are searched in all; a search in a text counts its whole length. */
const mostSearched = 64 * 1024 * 1024
const shortest = 3

/** Rows that only the client has become `moved` where the upstream has their words inside of a text. */
export function findInside(rows: readonly Row[]): Row[] {
  const texts = rows.flatMap(({ upstream, kind, section }) =>
    upstream && kind !== 'same' && typeof upstream.value === 'string' && section !== 'settings'
      ? [{ path: upstream.paths[0] ?? '', text: upstream.value }]
      : [],
  )
  const length = texts.reduce((sum, { text }) => sum + text.length, 0)
  let left = length === 0 ? 0 : Math.floor(mostSearched / length)
  return rows.map((row) => {
    const words = row.kind === 'dropped' && row.client && left > 0 ? wordsOf(row) : ''
    if (words.length < shortest) return row
    left--
    const found = texts.find(({ text }) => text.length > words.length && text.includes(words))
    return found ? { ...row, kind: 'moved', inside: found.path } : row
  })
}

function wordsOf({ client, section, label }: Row): string {
  if (section === 'settings') return ''
  if (section === 'tools') return label.startsWith('tool ') ? label.slice('tool '.length) : ''
  return typeof client?.value === 'string' ? client.value : ''
}

// The kinds of rows: each has a sign and a word, so that none is told by its colour alone.

import type { GroupName, RowKind, RowView } from '../../comparison/api.ts'

interface Shown {
  sign: string
  word: string
}

export const kinds: Record<RowKind, Shown> = {
  changed: { sign: '≠', word: 'changed' },
  dropped: { sign: '−', word: 'dropped' },
  added: { sign: '+', word: 'added' },
  renamed: { sign: '≈', word: 'renamed' },
  moved: { sign: '↷', word: 'moved' },
  kept: { sign: '·', word: 'sent earlier' },
  own: { sign: '·', word: 'dialect’s own' },
  same: { sign: '=', word: 'same' },
}

/** In the order in which they are counted. */
export const kindNames = Object.keys(kinds) as RowKind[]

const folded: readonly RowKind[] = ['same', 'own', 'kept']

/** What "only differences" shows: a row with a note says something, whatever its kind. */
export const isShown = ({ kind, notes }: RowView): boolean => !folded.includes(kind) || notes !== undefined
export const isFolded = (kind: RowKind): boolean => folded.includes(kind)

export const sectionName = (group: GroupName, section: string): string =>
  group === 'answer' && section === 'settings' ? 'Facts' : (sections[section] ?? section)

const sections: Record<string, string> = {
  system: 'System',
  messages: 'Messages',
  tools: 'Tools',
  settings: 'Settings',
  wire: 'On the wire',
  'request headers': 'Of the request',
  'answer headers': 'Of the answer',
}

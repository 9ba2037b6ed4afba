// The notes of a turn as a header of its answer.

import type { Notes } from '../core/notes.ts'
import type { AnswerHead } from '../http/answer-head.ts'

const longestNotes = 2_000

/** Only before the answer starts: later notes travel in the stream, where the dialect has a place for them. */
export function addNotes({ head, notes }: { head: AnswerHead; notes: Notes }): void {
  if (notes.isEmpty) return
  const text = notes
    .take()
    .join('; ')
    // Header values are plain ASCII.
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`)
    .slice(0, longestNotes)
  if (text !== '') head.set('x-dragoman-notes', text)
}

// The part of a text that differs from the other side's.

export interface Excerpt {
  /** The beginning was left out. */
  isLate: boolean
  before: string
  changed: string
  after: string
}

/** Characters of context. */
const context = 60
const longest = 600

export function changedPart(text: string, other: string | undefined): Excerpt {
  if (other === undefined) return { isLate: false, before: text.slice(0, longest), changed: '', after: '' }
  const most = Math.min(text.length, other.length)
  let start = 0
  while (start < most && text[start] === other[start]) start++
  let end = 0
  while (end < most - start && text[text.length - 1 - end] === other[other.length - 1 - end]) end++
  const from = start > 2 * context ? start - context : 0
  return {
    isLate: from > 0,
    before: text.slice(from, start),
    changed: text.slice(start, Math.min(text.length - end, start + longest)),
    after: text.slice(text.length - end, text.length - end + context),
  }
}

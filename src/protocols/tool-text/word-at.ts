// Lookups in a text that is still growing.

/** The longest of the words at `at`; `more` if the text ends inside one. */
export function wordAt(text: string, at: number, words: readonly string[]): string | 'more' | undefined {
  let found: string | undefined
  for (const word of words) {
    if (text.startsWith(word, at)) {
      if (found === undefined || word.length > found.length) found = word
    } else if (text.length - at < word.length && word.startsWith(text.slice(at))) return 'more'
  }
  return found
}

export function skipSpace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charCodeAt(at) <= 0x20) at++
  return at
}

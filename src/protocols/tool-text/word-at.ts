// Looking at a text that goes on: what stands at a place, if enough of it has come.

/** Which of the words stands at `at`; `more` where the text ends in the middle of one. */
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

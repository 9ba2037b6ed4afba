// Conditions on untrusted text in linear time, where a single regular expression would take longer.

export interface Words {
  test(text: string): boolean
}

/** `then` after `first` in the same line, or between two separators. Only the first match of `first` is tried: all others come later. */
export const followedBy = (first: RegExp, then: RegExp, separator = '\n'): Words => ({
  test: (text) =>
    text.split(separator).some((line) => {
      const found = first.exec(line)
      return found !== null && then.test(line.slice(found.index + found[0].length))
    }),
})

export const oneOf = (...all: readonly Words[]): Words => ({
  test: (text) => all.some((words) => words.test(text)),
})

// Conditions on texts from outside that a single pattern could only check in more than linear time.

export interface Words {
  test(text: string): boolean
}

/** One thing behind another in the same line, or between the same separators. The first place of the one is enough: all others are behind it. */
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

// Glob patterns as ripgrep and the clients' own tools read them: `*`, `?`, `**`, `[a-z]`, `{a,b}`. Matched without
// regular expressions, so that no pattern can take long.

/** A pattern without a slash matches the last part of a path, wherever it is. */
export function matchesGlob(path: string, pattern: string): boolean {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  return expandBraces(pattern).some((one) => {
    const globs = one.split('/').filter((part) => part !== '' && part !== '.')
    return globs.length === 1 && !one.includes('/') && globs[0] !== '**'
      ? matchesPart(parts.at(-1) ?? '', globs[0] as string)
      : matchesParts(parts, globs)
  })
}

const maxAlternatives = 64

/** `a.{ts,js}` → `a.ts`, `a.js`. */
function expandBraces(pattern: string): string[] {
  const done: string[] = []
  const open = [pattern]
  while (open.length > 0 && done.length + open.length <= maxAlternatives) {
    const next = open.pop() as string
    // The innermost braces: their alternatives hold no others.
    const found = /\{([^{}]*)\}/.exec(next)
    if (found === null) done.push(next)
    else
      for (const alternative of (found[1] ?? '').split(','))
        open.push(next.slice(0, found.index) + alternative + next.slice(found.index + found[0].length))
  }
  return [...done, ...open]
}

/** `**` stands for any number of parts. */
function matchesParts(parts: readonly string[], globs: readonly string[]): boolean {
  // How many of the parts the globs up to here can have used up.
  let reached = new Set([0])
  for (const glob of globs) {
    const next = new Set<number>()
    for (const used of reached) {
      if (glob === '**') for (let more = used; more <= parts.length; more++) next.add(more)
      else if (used < parts.length && matchesPart(parts[used] as string, glob)) next.add(used + 1)
    }
    reached = next
  }
  return reached.has(parts.length)
}

type Token = '*' | ((char: string) => boolean)

function matchesPart(text: string, glob: string): boolean {
  const tokens = tokensOf(glob)
  const chars = [...text]
  let at = 0
  let token = 0
  let star: { token: number; at: number } | undefined
  while (at < chars.length) {
    const current = tokens[token]
    if (current === '*') star = { token: ++token, at }
    else if (current?.(chars[at] as string)) {
      at++
      token++
    } else if (star !== undefined) {
      // The last star takes one more; earlier ones need never change.
      star.at++
      at = star.at
      token = star.token
    } else return false
  }
  return tokens.slice(token).every((rest) => rest === '*')
}

function tokensOf(glob: string): Token[] {
  const tokens: Token[] = []
  const pattern = /\*+|\?|\[(!|\^)?(\]?[^\]]*)\]|\\?(.)/gsu
  for (const [whole, negated, set, literal] of glob.matchAll(pattern)) {
    if (whole.startsWith('*')) tokens.push('*')
    else if (whole === '?') tokens.push(() => true)
    else if (set !== undefined) tokens.push((char) => isInSet(char, set) === (negated === undefined))
    else tokens.push((char) => char === literal)
  }
  return tokens
}

function isInSet(char: string, set: string): boolean {
  const ranges = set.matchAll(/(.)-(.)|(.)/gsu)
  for (const [, from, to, single] of ranges) {
    if (single === undefined ? char >= (from as string) && char <= (to as string) : char === single)
      return true
  }
  return false
}

// Escaping: text from users and tools must not pass for markup, so the first character of every marker in it is written as an
// entity. Arguments that the model copies from such text are unescaped.

export interface Escaper {
  escape(text: string): string
  /** For earlier answers of the model. Escaped spellings in them are copies of text that was escaped for it. */
  escapeAnswer(text: string): string
  /** For JSON text: uses JSON's own escapes, so the value stays the same. */
  escapeJson(json: string): string
  /** Text other than JSON was changed. */
  wasNeeded(): boolean
  /**
   * The inverse, for a string in the model's arguments. It acts only on spellings that the model was shown in escaped form,
   * and never on those that some text had before escaping: there the entity may be meant literally.
   */
  unescape(text: string): string
}

/** `taught`: markers that the model is told to escape in arguments; they are unescaped even if it was shown none. */
export function createEscaper(markers: readonly string[], taught: readonly string[] = []): Escaper {
  const patterns = patternsOf(markers)
  if (patterns === undefined) return idle
  const { plain, escaped } = patterns
  const shown = new Set(taught.map(keyOf))
  const literal = new Set<string>()
  let needed = false

  function noteLiterals(text: string): void {
    if (text.search(escaped) === -1) return
    for (const match of text.matchAll(escaped)) literal.add(keyIn(match))
  }

  function escapeAnswer(text: string): string {
    return text.replace(plain, (first, ...found) => {
      needed = true
      shown.add(keyIn([first, ...found]))
      return entityOf(first)
    })
  }

  return {
    escapeAnswer,
    escape(text) {
      noteLiterals(text)
      return escapeAnswer(text)
    },
    escapeJson(json) {
      noteLiterals(json)
      return json.replace(plain, jsonEscapeOf)
    },
    wasNeeded: () => needed,
    unescape(text) {
      if (shown.size === 0) return text
      return text.replace(escaped, (entity, ...found) => {
        const key = keyIn([entity, ...found])
        return shown.has(key) && !literal.has(key) ? characterOf(entity) : entity
      })
    },
  }
}

const same = (text: string) => text
const idle: Escaper = {
  escape: same,
  escapeAnswer: same,
  escapeJson: same,
  wasNeeded: () => false,
  unescape: same,
}

interface Patterns {
  plain: RegExp
  escaped: RegExp
}

/** A cache: compiling takes longer than matching, and there is one list for each configured tag. */
const knownPatterns = new Map<string, Patterns | undefined>()
const maxKnown = 32

function patternsOf(markers: readonly string[]): Patterns | undefined {
  const key = JSON.stringify(markers)
  if (knownPatterns.has(key)) return knownPatterns.get(key)
  const spellings = withoutLonger(markers)
  const patterns =
    spellings.length === 0
      ? undefined
      : {
          plain: patternOf(spellings, quoted),
          escaped: patternOf(spellings, (character) => quoted(entityOf(character))),
        }
  if (knownPatterns.size >= maxKnown) knownPatterns.clear()
  knownPatterns.set(key, patterns)
  return patterns
}

/** Drops markers that begin with another marker: the shorter one matches at the same place. */
function withoutLonger(markers: readonly string[]): string[] {
  const kept: string[] = []
  for (const marker of [...markers].sort((a, b) => a.length - b.length)) {
    const key = marker.toLowerCase()
    if (key !== '' && !kept.some((shorter) => key.startsWith(shorter))) kept.push(key)
  }
  return kept
}

/**
 * Matches the first character of each marker, as `write` spells it, with a lookahead for the rest, because markers may
 * overlap. Case and white space before the last bracket do not matter, because they do not matter to a model.
 */
function patternOf(markers: readonly string[], write: (character: string) => string): RegExp {
  const firsts = new Set(markers.map((marker) => marker.charAt(0)))
  const alternatives = [...firsts].map((first) => {
    const rests = markers.filter((marker) => marker.startsWith(first)).map((marker) => marker.slice(1))
    return `${write(first)}(?=(${rests.map((rest) => spell(rest, firsts, write)).join('|')}))`
  })
  return new RegExp(alternatives.join('|'), 'gi')
}

/** A marker inside this one is escaped too, so both spellings of its first character match. */
function spell(rest: string, firsts: ReadonlySet<string>, write: (character: string) => string): string {
  const characters = rest.split('').map((character) => {
    const plain = quoted(character)
    return firsts.has(character) && write(character) !== plain ? `(?:${plain}|${write(character)})` : plain
  })
  if (rest.endsWith('>')) characters.splice(-1, 0, '\\s*')
  return characters.join('')
}

/** The marker of a match, normalised: the matched character and the group that matched. */
function keyIn([first = '', ...groups]: readonly unknown[]): string {
  const rest = groups.find((group) => typeof group === 'string') as string
  return keyOf(characterOf(String(first)) + rest)
}

const keyOf = (spelling: string) => spelling.toLowerCase().replace(/\s+/g, '').replace(entity, characterOf)

const entity = /&lt;|&#(\d+);/gi

const entityOf = (character: string) => (character === '<' ? '&lt;' : `&#${character.charCodeAt(0)};`)

function characterOf(spelling: string): string {
  if (!spelling.startsWith('&')) return spelling
  return spelling.toLowerCase() === '&lt;' ? '<' : String.fromCharCode(Number(spelling.slice(2, -1)))
}

const jsonEscapeOf = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

const quoted = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

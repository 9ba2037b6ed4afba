import { parseJson } from '../../base/json.ts'

/**
 * The text of each member's value of a JSON object, as it stands there: large numbers, 1.0 and the inside of strings survive.
 * `text` is known to be valid JSON; of members with the same name, the last counts.
 */
export function topLevelText(text: string): Map<string, string> {
  const members = new Map<string, string>()
  let at = skip(text, 0)
  if (text[at] !== '{') return members
  at = skip(text, at + 1)
  while (text[at] === '"') {
    const keyEnd = stringEnd(text, at)
    const key = parseJson(text.slice(at, keyEnd))
    const from = skip(text, skip(text, keyEnd) + 1)
    const to = valueEnd(text, from)
    if (typeof key !== 'string' || to === from) return members
    members.set(key, text.slice(from, to))
    at = skip(text, skip(text, to) + 1)
  }
  return members
}

/** The same for the elements of a JSON array. */
export function elementTexts(text: string): string[] {
  const elements: string[] = []
  let at = skip(text, 0)
  if (text[at] !== '[') return elements
  at = skip(text, at + 1)
  while (at < text.length && text[at] !== ']') {
    const to = valueEnd(text, at)
    if (to === at) return elements
    elements.push(text.slice(at, to))
    at = skip(text, to)
    if (text[at] === ',') at = skip(text, at + 1)
  }
  return elements
}

function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; ) {
    const char = text[at] as string
    if (char === '"') at = stringEnd(text, at)
    else {
      if (char === '{' || char === '[') depth++
      else if (char === '}' || char === ']') depth--
      else if (depth === 0 && (char === ',' || isBlank(char))) return at
      if (depth < 0) return at
      at++
    }
    if (depth === 0 && (char === '"' || char === '}' || char === ']')) return at
  }
  return text.length
}

/** Behind the closing quote. */
export function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]
    if (char === '\\') at++
    else if (char === '"') return at + 1
  }
  return text.length
}

function skip(text: string, from: number): number {
  let at = from
  while (at < text.length && isBlank(text[at] as string)) at++
  return at
}

const isBlank = (char: string) => char === ' ' || char === '\n' || char === '\t' || char === '\r'

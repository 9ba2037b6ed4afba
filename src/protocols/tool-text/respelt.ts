import { parseJson } from '../../base/json.ts'
import { stringEnd } from './top-level-text.ts'

/** The text of JSON with its strings spelt anew; numbers keep their digits, and everything else its bytes. */
export function respelt(json: string, spell: (text: string) => string): string {
  if (!json.includes('&')) return json
  const parts: string[] = []
  let at = 0
  for (let from = json.indexOf('"'); from >= 0; from = json.indexOf('"', at)) {
    const end = stringEnd(json, from)
    const literal = json.slice(from, end)
    const text = parseJson(literal)
    const spelling = typeof text === 'string' ? spell(text) : text
    parts.push(json.slice(at, from), spelling === text ? literal : JSON.stringify(spelling))
    at = end
  }
  return parts.join('') + json.slice(at)
}

export const sameJson = (a: string, b: string) =>
  a === b || JSON.stringify(parseJson(a)) === JSON.stringify(parseJson(b))

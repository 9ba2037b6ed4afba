// Makes untrusted text safe to read. Control characters move a terminal's cursor or change colours, bidi marks reorder text, and
// zero-width characters hide: all are shown as escapes.

/** A zero-width joiner between two pictographs makes one emoji: it stays. */
const joiner =
  '(?<=[\\p{Extended_Pictographic}\\u{fe0f}\\u{1f3fb}-\\u{1f3ff}])\\u200d(?=\\p{Extended_Pictographic})'
const unseen = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]'
const inText = new RegExp(`(?!${joiner})(?![\\n\\t])${unseen}`, 'gu')
const inLine = new RegExp(`(?!${joiner})${unseen}`, 'gu')
const inJson = new RegExp(`(?![\\x00-\\x1f])${unseen}`, 'gu')

const shown = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`

/** For a terminal; line ends and tabs stay. */
export const visible = (text: string): string => text.replace(inText, shown)

/** For a text that must stay on one line. */
export const visibleLine = (text: string): string => text.replace(inLine, shown)

const beyondAscii = /[^\n -~]/

/** For JSON; its meaning does not change. JSON.stringify escapes nothing beyond U+001F. */
export const asciiControls = (json: string): string => (beyondAscii.test(json) ? escapedJson(json) : json)

const escapedJson = (json: string): string =>
  json.replace(inJson, (char) =>
    Array.from({ length: char.length }, (_, at) => char.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )

// Texts of others where a person reads them: control characters move a terminal's cursor and colours, bidi marks reorder what is
// read, and what has no width hides. All of them are shown as escapes.

/** Between two pictures, a joiner makes one of them. */
const joiner =
  '(?<=[\\p{Extended_Pictographic}\\u{fe0f}\\u{1f3fb}-\\u{1f3ff}])\\u200d(?=\\p{Extended_Pictographic})'
const unseen = '[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}]'
const inText = new RegExp(`(?!${joiner})(?![\\n\\t])${unseen}`, 'gu')
const inLine = new RegExp(`(?!${joiner})${unseen}`, 'gu')
const inJson = new RegExp(`(?![\\x00-\\x1f])${unseen}`, 'gu')

const shown = (char: string) => `\\u{${char.codePointAt(0)?.toString(16)}}`

/** For a terminal; lines and tabs stay. */
export const visible = (text: string): string => text.replace(inText, shown)

/** The same for a text that is to stay on its line. */
export const visibleLine = (text: string): string => text.replace(inLine, shown)

const beyondAscii = /[^\n -~]/

/** Of JSON, whose meaning stays: JSON.stringify escapes nothing beyond U+001F. */
export const asciiControls = (json: string): string => (beyondAscii.test(json) ? escapedJson(json) : json)

const escapedJson = (json: string): string =>
  json.replace(inJson, (char) =>
    Array.from({ length: char.length }, (_, at) => char.charCodeAt(at))
      .map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`)
      .join(''),
  )

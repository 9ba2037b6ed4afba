// Addresses of web pages in texts. Each is taken whole, from its scheme to the character that ends it: what follows must not become a
// part of it, and a model must not choose where it ends. Otherwise an address in a text could carry away the text beside it.

/**
 * The characters of RFC 3986 except the apostrophe, and letters, marks and digits beyond ASCII. All others end an address: blanks,
 * quotes, `<`, `>`, backslash, control characters, and CJK punctuation.
 */
const address = /^https?:\/\/[\w\-.~:/?#[\]@!$&()*+,;=%\p{L}\p{M}\p{N}]+/iu
/** The same anywhere in a text, which may be JSON: `\/` and `\u0026` are characters there. */
const found = /https?:(?:\\?\/){2}(?:[\w\-.~:/?#[\]@!$&()*+,;=%\p{L}\p{M}\p{N}]|\\\/|\\u[\da-f]{4})+/giu

const closers = new Map([
  [')', '('],
  [']', '['],
])
const punctuation = '.,:;!?*_~'

/** Whether the text is one address and nothing else. */
export const isAddress = (text: string): boolean => text !== '' && addressAt(text) === text

/** Whether the text has the address. The fragment does not count: it is not sent. */
export function namesAddress(text: string, url: string): boolean {
  const asked = sentOf(url)
  if (asked === undefined) return false
  for (const [escaped] of text.matchAll(found)) {
    const whole = addressAt(unescaped(escaped))
    // A full stop at the end belongs to the sentence, or to the address.
    const bare = withoutPunctuation(whole)
    if (sentOf(whole) === asked || (bare !== whole && sentOf(bare) === asked)) return true
  }
  return false
}

/** The same page at an address that is one wherever it stands; undefined if there is none. */
export function asAddress(url: string): string | undefined {
  if (isAddress(url)) return url
  if (!URL.canParse(url)) return undefined
  const { origin, pathname, search, hash } = new URL(url)
  const escaped = `${origin}${`${pathname}${search}${hash}`.replace(/[^\w\-.~:/?#@!$&*+,;=%]/g, percent)}`
  return isAddress(escaped) ? escaped : undefined
}

const percent = (character: string) =>
  `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`

/** The address at the beginning of the text, as Markdown cuts it: a bracket that closes none of its own ends it. */
function addressAt(text: string): string {
  const [whole] = address.exec(text) ?? ['']
  const open = new Map<string, number>()
  for (let at = 0; at < whole.length; at++) {
    const character = whole.charAt(at)
    const opener = closers.get(character) ?? character
    const count = open.get(opener) ?? 0
    if (opener === character) open.set(character, count + 1)
    else if (count === 0) return whole.slice(0, at)
    else open.set(opener, count - 1)
  }
  return whole
}

function withoutPunctuation(text: string): string {
  let end = text.length
  while (punctuation.includes(text.charAt(end - 1)) && end > 0) end--
  return text.slice(0, end)
}

const unescaped = (text: string): string =>
  text.replace(/\\(?:\/|u([\da-f]{4}))/gi, (_escape, code: string | undefined) =>
    code === undefined ? '/' : String.fromCharCode(Number.parseInt(code, 16)),
  )

/** What a server gets of the address, so that two spellings of it are one. */
function sentOf(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const sent = new URL(url)
  sent.hash = ''
  return sent.href
}

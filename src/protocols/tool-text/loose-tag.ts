// Careless spellings of tags: in capitals, with white space before the bracket, with attributes.

const longestAttributes = 128
const pattern = new RegExp(`<(/?)([\\w:-]+)( [^<>\\n]{0,${longestAttributes}})?(>)?`, 'y')

/** The tag at `at` if it has one of these names, which are in lower case; `more` if the text ends inside it. */
export function looseTagAt(
  text: string,
  at: number,
  names: readonly string[],
  kind: 'opening' | 'closing',
): { name: string; length: number } | 'more' | undefined {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  if (!found || (found[1] === '/') !== (kind === 'closing')) return undefined
  const [tag, , written = '', attributes = '', bracket] = found
  const name = written.toLowerCase()
  if (attributes !== '' && kind === 'closing' && attributes.trim() !== '') return undefined
  if (bracket === undefined) {
    const mayGoOn = attributes === '' ? names.some((one) => one.startsWith(name)) : names.includes(name)
    const isOpen = at + tag.length >= text.length && attributes.length <= longestAttributes
    return mayGoOn && isOpen ? 'more' : undefined
  }
  return names.includes(name) && !attributes.endsWith('/') ? { name, length: tag.length } : undefined
}

// The text of a web page that arrives in place of an API's answer: its title, or else its body text. One pass over the page.

const isPage = (text: string) => /^\s*<(?:!doctype|html|head|body|script|!--)/i.test(text)

/** Elements whose content is not visible text. */
const invisible = new Set(['script', 'style', 'svg', 'noscript', 'template'])

const entities = new Map(
  Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", '#39': "'", nbsp: ' ' }),
)

/** Undefined if the text is not a web page. */
export function pageText(text: string): string | undefined {
  if (!isPage(text)) return undefined
  const title: string[] = []
  const words: string[] = []
  /** The current element, if it is the title or an invisible one. */
  let inside: string | undefined
  for (const piece of text.split('<')) {
    const end = piece.indexOf('>')
    const tag = tagName(piece)
    if (tag.startsWith('/') ? tag.slice(1) === inside : false) inside = undefined
    else if (inside === undefined && (tag === 'title' || invisible.has(tag))) inside = tag
    const content = end < 0 ? '' : piece.slice(end + 1)
    if (inside === 'title') title.push(content)
    else if (inside === undefined) words.push(content)
  }
  return tidy(title) || tidy(words)
}

const tagName = (piece: string) => (/^\/?[a-z][a-z0-9]*/i.exec(piece)?.[0] ?? '').toLowerCase()

const tidy = (pieces: readonly string[]) =>
  pieces
    .join(' ')
    .replace(/&(#?\w{1,8});/g, (whole, name: string) => entities.get(name.toLowerCase()) ?? whole)
    .replace(/\s+/g, ' ')
    .trim()

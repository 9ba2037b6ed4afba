// HTML → text, roughly as a reader sees it. One pass without a tree; bad markup gives odd text, never more than the input.

const unseen = new Set(['script', 'style', 'noscript', 'template', 'svg', 'iframe', 'object', 'title'])
const breaks = new Set(
  'address article aside blockquote br dd div dl dt fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
)

export function htmlToText(html: string): string {
  const title = /<title[^>]{0,200}>([^<]{0,500})/i.exec(html)?.[1]
  const body = decodeEntities(strip(html))
  // Line by line: one expression over the whole text is quadratic on a page of white space.
  const lines = body.split('\n').map((line) => line.trimEnd())
  const text = lines
    .filter((line, index) => line !== '' || lines[index - 1] !== '')
    .join('\n')
    .trim()
  return title === undefined ? text : `${decodeEntities(title).trim()}\n\n${text}`.trim()
}

function strip(html: string): string {
  const out: string[] = []
  let preformatted = 0
  let at = 0
  const add = (text: string) => out.push(preformatted > 0 ? text : text.replace(/\s+/g, ' '))
  while (at < html.length) {
    const open = html.indexOf('<', at)
    if (open === -1) {
      add(html.slice(at))
      break
    }
    add(html.slice(at, open))
    const tag = tagAt(html, open)
    at = tag.end
    if (tag.name === 'pre') preformatted = Math.max(0, preformatted + (tag.closing ? -1 : 1))
    if (!tag.closing && unseen.has(tag.name)) at = endOf(html, tag.name, at)
    else if (breaks.has(tag.name)) out.push(tag.name === 'li' && !tag.closing ? '\n- ' : '\n')
    else if (tag.name === 'td' || tag.name === 'th') out.push(' ')
    else if (tag.name === '') add(html.slice(open, at))
  }
  return out.join('')
}

interface Tag {
  /** Empty if the "<" is no tag. */
  name: string
  closing: boolean
  end: number
}

function tagAt(html: string, open: number): Tag {
  if (html.startsWith('<!--', open)) return skipTo(html, '-->', open + 4)
  const isMarkup = /[a-z/!?]/i.test(html[open + 1] ?? '')
  if (!isMarkup) return { name: '', closing: false, end: open + 1 }
  const tag = skipTo(html, '>', open + 1)
  const closing = html[open + 1] === '/'
  const start = open + (closing ? 2 : 1)
  const name = /^[a-z][a-z0-9]*/i.exec(html.slice(start, start + 12))?.[0].toLowerCase()
  return { ...tag, name: name ?? tag.name, closing }
}

function skipTo(html: string, end: string, from: number): Tag {
  const found = html.indexOf(end, from)
  return { name: '!', closing: false, end: found === -1 ? html.length : found + end.length }
}

/** The position after the closing tag; without one the rest is hidden, as in a browser. */
function endOf(html: string, name: string, from: number): number {
  for (let at = html.indexOf('</', from); at !== -1; at = html.indexOf('</', at + 2)) {
    if (html.slice(at + 2, at + 2 + name.length).toLowerCase() === name) return skipTo(html, '>', at).end
  }
  return html.length
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  copy: '©',
  laquo: '«',
  raquo: '»',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bull: '•',
  middot: '·',
  rarr: '→',
  larr: '←',
  times: '×',
}

const decodeEntities = (text: string) =>
  text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? (named[name] as string) : whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    const isCharacter = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff)
    return isCharacter ? String.fromCodePoint(code) : '\ufffd'
  })

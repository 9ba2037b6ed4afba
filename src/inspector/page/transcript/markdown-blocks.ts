// The blocks of a Markdown text. Everything that is not known here stays text; HTML is text. The time is linear in the length of the
// text: each line is looked at once for each level of quotes and lists, and levels are few.

export type Block =
  | { type: 'paragraph'; text: string }
  | { type: 'heading'; level: number; text: string }
  | { type: 'code'; language: string; text: string }
  | { type: 'quote'; blocks: Block[] }
  | { type: 'list'; isOrdered: boolean; start: number; items: Block[][] }
  | { type: 'table'; head: string[]; rows: string[][] }
  | { type: 'rule' }

const deepest = 6
const mostColumns = 30
const longestLanguage = 40

export const parseMarkdown = (text: string): Block[] =>
  parseLines(text.replace(/\r\n?/g, '\n').split('\n'), 0)

function parseLines(lines: readonly string[], depth: number): Block[] {
  const reader = new LineReader(lines)
  const blocks: Block[] = []
  while (!reader.isAtEnd) {
    if (reader.line.trim() === '') reader.next()
    else blocks.push(parseBlock(reader, depth))
  }
  return blocks
}

class LineReader {
  readonly #lines: readonly string[]
  #at = 0

  constructor(lines: readonly string[]) {
    this.#lines = lines
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#lines.length
  }

  get line(): string {
    return this.#lines[this.#at] ?? ''
  }

  get following(): string {
    return this.#lines[this.#at + 1] ?? ''
  }

  next(): string {
    return this.#lines[this.#at++] ?? ''
  }
}

function parseBlock(reader: LineReader, depth: number): Block {
  const { line } = reader
  const fence = fenceOf(line)
  if (fence) return parseCode(reader, fence)
  const level = headingLevel(line)
  if (level > 0) {
    const text = reader.next().trim().slice(level).trim()
    return { type: 'heading', level, text: text.replace(/(?<=^|[ \t])#+$/, '').trimEnd() }
  }
  if (isRule(line)) {
    reader.next()
    return { type: 'rule' }
  }
  if (depth < deepest) {
    if (isQuote(line)) return parseQuote(reader, depth)
    const marker = markerOf(line)
    if (marker) return parseList(reader, marker, depth)
  }
  if (isTable(line, reader.following)) return parseTable(reader)
  return parseParagraph(reader, depth)
}

const indentOf = (line: string) => line.length - line.trimStart().length

interface Fence {
  mark: string
  length: number
  language: string
}

function fenceOf(line: string): Fence | undefined {
  const text = line.trimStart()
  const [mark = ''] = text
  if ((mark !== '`' && mark !== '~') || !text.startsWith(mark.repeat(3))) return undefined
  let length = 3
  while (text[length] === mark) length++
  const language = text.slice(length).trim()
  return mark === '`' && language.includes('`') ? undefined : { mark, length, language }
}

/** To the closing fence, or to the end: the text may be cut. */
function parseCode(reader: LineReader, { mark, length, language }: Fence): Block {
  const indent = indentOf(reader.next())
  const lines: string[] = []
  while (!reader.isAtEnd) {
    const line = reader.next()
    const end = fenceOf(line)
    if (end?.mark === mark && end.length >= length && end.language === '') break
    lines.push(line.slice(Math.min(indent, indentOf(line))))
  }
  return { type: 'code', language: language.slice(0, longestLanguage), text: lines.join('\n') }
}

function headingLevel(line: string): number {
  const text = line.trimStart()
  let level = 0
  while (level < 7 && text[level] === '#') level++
  const isHeading = level > 0 && level < 7 && (text[level] === ' ' || text[level] === '\t')
  return isHeading ? level : 0
}

function isRule(line: string): boolean {
  const bare = line.replace(/[ \t]/g, '')
  const [mark = ''] = bare
  return bare.length >= 3 && '-*_'.includes(mark) && bare === mark.repeat(bare.length)
}

const isQuote = (line: string) => line.trimStart().startsWith('>')

function parseQuote(reader: LineReader, depth: number): Block {
  const lines: string[] = []
  while (!reader.isAtEnd && isQuote(reader.line)) lines.push(reader.next().trimStart().replace(/^> ?/, ''))
  return { type: 'quote', blocks: parseLines(lines, depth + 1) }
}

interface Marker {
  indent: number
  /** Where the text begins. */
  width: number
  isOrdered: boolean
  start: number
}

function markerOf(line: string): Marker | undefined {
  const found = /^([ \t]*)(?:[-*+]|(\d{1,9})[.)])(?:[ \t]{1,4}(?=\S)|[ \t]*$)/.exec(line)
  if (!found) return undefined
  const [all, space = '', number] = found
  return {
    indent: space.length,
    width: all.length,
    isOrdered: number !== undefined,
    start: Number(number ?? 1),
  }
}

function parseList(reader: LineReader, first: Marker, depth: number): Block {
  const items: string[][] = []
  while (!reader.isAtEnd) {
    const { line } = reader
    const marker = markerOf(line)
    const indent = indentOf(line)
    if (marker && marker.indent <= first.indent) {
      if (marker.isOrdered !== first.isOrdered || isRule(line)) break
      items.push([reader.next().slice(marker.width)])
    } else if (line.trim() === '') {
      // A list ends at a blank line that nothing of it follows.
      if (!isOfList(reader.following, first)) break
      items.at(-1)?.push(reader.next())
    } else if (indent > first.indent) items.at(-1)?.push(reader.next().slice(Math.min(indent, first.width)))
    else break
  }
  return {
    type: 'list',
    isOrdered: first.isOrdered,
    start: first.start,
    items: items.map((lines) => parseLines(lines, depth + 1)),
  }
}

function isOfList(line: string, { indent, isOrdered }: Marker): boolean {
  if (line.trim() === '') return false
  return indentOf(line) > indent || markerOf(line)?.isOrdered === isOrdered
}

/** A row with a line of dashes below it. */
function isTable(line: string, following: string): boolean {
  if (!line.includes('|') || !following.includes('-') || !following.includes('|')) return false
  return /^[ \t:|-]+$/.test(following)
}

function parseTable(reader: LineReader): Block {
  const head = cellsOf(reader.next())
  reader.next()
  const rows: string[][] = []
  while (!reader.isAtEnd && reader.line.includes('|')) {
    const cells = cellsOf(reader.next())
    rows.push(head.map((_, column) => cells[column] ?? ''))
  }
  return { type: 'table', head, rows }
}

function cellsOf(line: string): string[] {
  const text = line.trim().replace(/^\|/, '')
  const cells = text.split(/(?<!\\)\|/).map((cell) => cell.replaceAll('\\|', '|').trim())
  if (cells.at(-1) === '') cells.pop()
  return cells.slice(0, mostColumns)
}

function parseParagraph(reader: LineReader, depth: number): Block {
  const lines = [reader.next()]
  while (!reader.isAtEnd && !endsParagraph(reader, depth)) lines.push(reader.next())
  return { type: 'paragraph', text: lines.join('\n').trimEnd() }
}

function endsParagraph({ line, following }: LineReader, depth: number): boolean {
  if (line.trim() === '' || fenceOf(line) || headingLevel(line) > 0 || isRule(line)) return true
  if (isTable(line, following)) return true
  const marker = markerOf(line)
  // A number at the beginning of a line is seldom a list, unless it is the first.
  return depth < deepest && (isQuote(line) || (marker !== undefined && marker.start === 1))
}

// The formats in which the clients of agent-rows.ts show a file. See file-formats.ts.

import { type FileFormat, type Numbering, numberings, takeNumbered } from './file-formats.ts'
import { countLines } from './read-file.ts'

const lineCount = (total: string | undefined) => (total === undefined ? {} : { totalLines: Number(total) })

/** Cline's CLI: ` 1 | `, padded to the width of the last number. It shows neither the final newline nor carriage returns. */
export const clineCliFile: FileFormat = (text, { firstLine, limit }) => {
  if (text === '') return { content: '', firstLine, toEnd: firstLine === 1 }
  const { lines, rest } = takeNumbered(text, numberings.spacedBar, firstLine)
  const tail = /^(?:\n\[Showing lines \d+-\d+ of (\d+)\.[^\n]*\])?$/.exec(rest.join('\n'))
  if (lines.length === 0 || tail === null) return undefined
  const isCut = lines.some((line) => line.endsWith(' [line truncated]'))
  return {
    content: `${lines.join('\n')}\n`,
    firstLine,
    toEnd: tail[1] === undefined && !isCut && lines.length !== limit,
    ...lineCount(tail[1]),
    untold: ['final-newline', 'line-endings'],
  }
}

/** Continue's CLI: one line before the content. A file that is too large is an error. */
export const continueFile: FileFormat = (text) => {
  const head = /^Content of [^\n]*:\n/.exec(text)
  return head === null ? undefined : { content: text.slice(head[0].length), firstLine: 1, toEnd: true }
}

/** Copilot shows the file as it is, or a sentence in its place. It does not say whether more lines follow. */
export const copilotFile: FileFormat = (text, { firstLine, limit }) =>
  /^(?:File too large to read at once|Path [^\n]{1,1000} does not exist\. Please provide)/.test(text)
    ? undefined
    : { content: text, firstLine, toEnd: limit === undefined || countLines(text) < limit }

/** Grok CLI: `1: ` on every line, also on the empty one after the final newline. */
export const grokCliFile: FileFormat = (text, { firstLine, limit }) => {
  const head = /^(?:Contents|Lines \d+-\d+) of [^\n]*:\n/.exec(text)
  if (head === null) return undefined
  const { lines, rest } = takeNumbered(text.slice(head[0].length), numberings.colon, firstLine)
  const more = /^(?:\.\.\. \+(\d+) lines)?$/.exec(rest.join('\n'))
  if (lines.length === 0 || more === null) return undefined
  return {
    content: lines.join('\n'),
    firstLine,
    toEnd: rest.length === 0 && lines.length !== limit,
  }
}

/** Grok Build shows no more lines, whatever the limit, and does not say so. */
const grokBuildLimit = 1000

/** Grok Build: `1→` on the first line and on every tenth. It drops carriage returns. */
export const grokBuildFile: FileFormat = (text, { firstLine, limit }) => {
  if (text === 'File is empty.') return { content: '', firstLine, toEnd: true }
  const numbering: Numbering = (line, due) => {
    if (due !== firstLine && due % 10 !== 0) return 0
    const expected = `${due}→`
    return line.startsWith(expected) ? expected.length : undefined
  }
  const { lines, rest } = takeNumbered(text, numbering, firstLine)
  if (lines.length === 0 || rest.length > 0) return undefined
  const isCapped = lines.length === Math.min(limit ?? grokBuildLimit, grokBuildLimit)
  return { content: lines.join('\n'), firstLine, toEnd: !isCapped, untold: ['line-endings'] }
}

/** Kimi: `1⇥`, then a line in tags. It shows neither the final newline nor uniform carriage returns; others are shown as `\r`. */
export const kimiFile: FileFormat = (text, { firstLine }) => {
  const body = text.replace(/^<system>Tool output is empty\.<\/system>\n/, '')
  const { lines, rest } = takeNumbered(body, numberings.tab, firstLine)
  const [status = '', ...others] = rest
  const count = /^<system>(\d+|No) lines? read from file\b/.exec(status)?.[1]
  const total = /\bTotal lines in file: (\d+)\./.exec(status)?.[1]
  if (count === undefined || total === undefined || !status.endsWith('</system>')) return undefined
  if (others.length > 0 || lines.length !== (count === 'No' ? 0 : Number(count))) return undefined
  const toEnd = status.includes('. End of file reached.') && !status.includes(' shown as \\r.')
  return {
    content: lines.map((line) => `${line}\n`).join(''),
    firstLine,
    toEnd,
    ...lineCount(total),
    untold: ['final-newline', 'line-endings', 'byte-order-mark'],
  }
}

const piMore = /\n\n\[(?:Showing lines \d+-\d+ of (\d+)\b[^\]\n]*|\d+ more lines in file\. [^\]\n]*)\]$/
/** An image, a folder, or a line that is too long. */
const piStandIn =
  /^(?:EISDIR: illegal operation on a directory, read$|\[Line \d+ is [^\n,]*, exceeds [^\n]*\]$|Read image file \[)/

/** pi shows the file as it is, with a remark if there is more. On Chat, it says of an empty file that an image is attached. */
export const piFile: FileFormat = (text, { firstLine }) => {
  if (text === '(see attached image)' || text === '')
    return { content: '', firstLine, toEnd: firstLine === 1 }
  if (piStandIn.test(text)) return undefined
  const more = piMore.exec(text.slice(-300))
  const content = more === null ? text : text.slice(0, text.length - more[0].length)
  return { content, firstLine, toEnd: more === null, ...lineCount(more?.[1]) }
}

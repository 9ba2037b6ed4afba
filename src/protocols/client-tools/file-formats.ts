// The formats in which clients show a file. Each returns the plain lines, or undefined for a text that is not exactly of its
// shape. Line numbers are removed only if every line has the expected one, so a file that itself looks numbered or wrapped
// stays intact.

import type { Untold } from './job.ts'

export interface Shown {
  content: string
  firstLine: number
  /** The file ends here, and no line was cut. */
  toEnd: boolean
  totalLines?: number
  untold?: readonly Untold[]
}

interface Wanted {
  /** The first requested line. */
  firstLine: number
  /** The limit that was sent to the client. */
  limit?: number
}

export type FileFormat = (text: string, wanted: Wanted) => Shown | undefined

/** The length of the expected number at the beginning of a line. */
export type Numbering = (line: string, due: number) => number | undefined

const prefixed =
  (prefix: (due: number) => string): Numbering =>
  (line, due) => {
    const expected = prefix(due)
    return line.startsWith(expected) ? expected.length : undefined
  }

export const numberings = {
  colon: prefixed((due) => `${due}: `),
  bar: prefixed((due) => `${String(due).padStart(5, '0')}| `),
  arrow: prefixed((due) => `${String(due).padStart(6)}→`),
  tab: prefixed((due) => `${due}\t`),
  paddedTab: prefixed((due) => `${String(due).padStart(6)}\t`),
  /** Padded to the width of the last number. */
  spacedBar: (line: string, due: number) => {
    const found = /^ *(\d+) \| /.exec(line)
    return found !== null && Number(found[1]) === due ? found[0].length : undefined
  },
  lineL: prefixed((due) => `L${due}: `),
} satisfies Record<string, Numbering>

interface Numbered {
  lines: string[]
  /** The lines after the last numbered one. */
  rest: string[]
}

export function takeNumbered(text: string, numbering: Numbering, firstLine: number): Numbered {
  const all = text.split('\n')
  const lines: string[] = []
  for (const line of all) {
    const width = numbering(line, firstLine + lines.length)
    if (width === undefined) break
    lines.push(line.slice(width))
  }
  return { lines, rest: all.slice(lines.length) }
}

/** Every line has the expected number in some notation: the file's own numbers, or the tool's. */
function isNumbered(text: string, firstLine: number): boolean {
  const lines = text.trimEnd().split('\n')
  return Object.values(numberings).some((numbering) =>
    lines.every((line, at) => numbering(line, firstLine + at) !== undefined),
  )
}

const reminders = /^\s*(?:<system-reminder>[\s\S]*<\/system-reminder>\s*)?$/

/** OpenCode cuts longer lines, and only newer versions say so. */
const openCodeLineLimit = 2000

/**
 * OpenCode: `<path>…<type>file</type><content>` with `1: `, earlier `<file>` with `00001| `. It drops carriage returns, the
 * byte order mark and the final newline. One is added: nearly all files have it, and a surplus newline does less harm than a
 * missing one.
 */
export const openCodeFile: FileFormat = (text, { firstLine }) => {
  const head = /^(?:<path>[^\n]*<\/path>\n<type>file<\/type>\n<content>\n|<file>\n)/.exec(text)
  if (head === null) return undefined
  const numbering = head[0] === '<file>\n' ? numberings.bar : numberings.colon
  const { lines, rest } = takeNumbered(text.slice(head[0].length), numbering, firstLine)
  const tail = /^\n{0,2}(?:\(([^\n]*)\)\n)?<\/(?:content|file)>([\s\S]*)$/.exec(rest.join('\n'))
  if (tail === null || !reminders.test(tail[2] ?? '')) return undefined
  const notice = tail[1] ?? 'End of file'
  const atEnd = notice.startsWith('End of file')
  const total = /total (\d+) lines|of (\d+)\b/.exec(notice)
  const cut = lines.some((line) => line.length > openCodeLineLimit)
  return {
    content: lines.join('\n') + (atEnd && lines.length > 0 ? '\n' : ''),
    firstLine,
    toEnd: atEnd && !cut,
    ...(total === null ? {} : { totalLines: Number(total[1] ?? total[2]) }),
    untold: ['final-newline', 'line-endings', 'byte-order-mark'],
  }
}

/** Up to 2.0, Claude Code silently showed at most this many lines, and cut lines at this length. */
const claudeLimit = 2000

/** Claude Code: `1⇥`, earlier `     1→`. After a final newline there is one more number with an empty line. */
export const claudeFile: FileFormat = (text, { firstLine, limit }) => {
  const empty = /^<system-reminder>Warning: the file exists but (the contents are empty|is shorter)/.exec(
    text,
  )
  if (empty !== null) {
    const total = /The file has (\d+) lines/.exec(text)
    const isEmpty = empty[1] === 'the contents are empty'
    const totalLines = isEmpty ? 0 : Number(total?.[1])
    return {
      content: '',
      firstLine,
      toEnd: isEmpty,
      ...(Number.isNaN(totalLines) ? {} : { totalLines }),
    }
  }
  for (const name of ['tab', 'arrow', 'paddedTab'] as const) {
    const { lines, rest } = takeNumbered(text, numberings[name], firstLine)
    if (lines.length === 0) continue
    if (!reminders.test(rest.join('\n'))) return undefined
    const cut = name !== 'tab' && lines.some((line) => line.length >= claudeLimit)
    const capped = lines.length === claudeLimit || lines.length === limit
    return {
      content: lines.join('\n'),
      firstLine,
      toEnd: !capped && !cut,
      untold: ['line-endings', 'byte-order-mark'],
    }
  }
  return undefined
}

const partHeads: readonly RegExp[] = [
  /^Showing lines (\d+)-(\d+) of (?:at least )?(\d+) total lines\.\n\n---\n\n/,
  /^\nIMPORTANT: The file content has been truncated\.\nStatus: Showing lines (\d+)-(\d+) of (\d+) total lines\.\n[\s\S]*?\n--- FILE CONTENT \(truncated\) ---\n/,
  /^\[File content truncated: showing lines (\d+)-(\d+) of (\d+) total lines[^\]\n]*\]\n/,
]

/** A remark in place of a file or before it, or a reference to output that was too large. */
const standIn =
  /^(?:\[File [^\n]* unchanged since last read in this session|<persisted-output>\n|Output too large(?: \(|\. Showing )|Tool output was too large|<system-reminder>)/

/** Rules and skills that the file triggered follow it. They are not removed, because a file may end like this itself. */
const isReminded = (text: string) => text.trimEnd().endsWith('</system-reminder>')

/**
 * Qwen Code and Gemini CLI: the bare content, with a preamble if it is a part. Qwen Code strips spaces from line ends. Other
 * programs have tools with the same names, and number the lines.
 */
export const bareFile: FileFormat = (text, { firstLine }) => {
  const untold: Untold[] = ['line-endings', 'byte-order-mark', 'trailing-blanks']
  if (text === '(read_file completed with no output)')
    return { content: '', firstLine, toEnd: true, untold: ['final-newline', ...untold] }
  if (standIn.test(text)) return undefined
  for (const head of partHeads) {
    const found = head.exec(text)
    if (found === null) continue
    // Never complete, whatever the numbers: Qwen Code counts a cut line as shown.
    return {
      content: text.slice(found[0].length),
      firstLine: Number(found[1]),
      toEnd: false,
      totalLines: Number(found[3]),
      untold,
    }
  }
  if (isReminded(text) || isNumbered(text, firstLine)) return undefined
  return { content: text, firstLine: 1, toEnd: true, untold }
}

const clineHead =
  /^(?:<files>\n?)?(?:<file><path>[^\n]*<\/path>\n<content(?: lines="\d+-\d+")?>\n|File: [^\n]*\n(?:Lines? [^\n]*:\n)?)/
/** For a trimmed text. */
const clineTail =
  /^(?:<\/content>\s*<\/file>(?:\s*<\/files>)?|[([]?File has (\d+) lines total[^\n]*|[([]?(Showing lines) [^\n]*)?$/
const rooPart =
  /^IMPORTANT: File content truncated\.\n\s*Status: Showing lines (\d+)-\d+ of (\d+)(?!\d)[^\n]*\n[^\n]*\n\t\n\t/

/**
 * Cline and Roo Code number lines with ` | `. The lines are bare, after `File: …`, or in tags, with a remark before or after
 * them. Neither shows the final newline. Earlier Cline shows the bare content.
 */
export const clineFile: FileFormat = (text, wanted) => {
  const head = clineHead.exec(text)
  const body = head === null ? text : text.slice(head[0].length)
  if (head !== null && body.startsWith('Note: File is empty'))
    return { content: '', firstLine: 1, toEnd: true }
  const part = rooPart.exec(body)
  const firstLine = part === null ? wanted.firstLine : Number(part[1])
  const { lines, rest } = takeNumbered(body.slice(part?.[0].length ?? 0), numberings.spacedBar, firstLine)
  if (lines.length === 0) return head === null ? unmarkedFile(text, wanted) : undefined
  const tail = clineTail.exec(rest.join('\n').trim())
  const total = part?.[2] ?? tail?.[1]
  return {
    content: `${lines.join('\n')}${lines.at(-1) === '' ? '' : '\n'}`,
    firstLine,
    toEnd: tail !== null && tail[2] === undefined && part === null && lines.length !== wanted.limit,
    ...(total === undefined ? {} : { totalLines: Number(total) }),
    untold: ['final-newline', 'line-endings', 'byte-order-mark'],
  }
}

const doubtful: readonly RegExp[] = [
  // Numbers on every line may be the file's own, or the tool's.
  /^\s*(?:(?:L|Line )?1\s?[:|→\t]|0{2,}1[:|]|[[(<]?1[\])>.]?[ \t][^\n]*\n\s*[[(<]?2[\])>.]?[ \t])/i,
  // Remarks about the file.
  /^[[(][^\n]*\blines?\b[^\n]*[\])]:?\s*$/im,
  /^(?:(?:file|path|filename)(?::| contents?\b)|contents? of\b|(?:reading|showing)\b[^\n]*\d)[^\n]*\n/i,
  /^(?:<(?:file|path|content|result|output|document)\b|```|\{\s*"(?:content|success|path|file|error|result))/i,
  /(?:truncat|omitted|more lines|lines? remaining|\[\.\.\.\]|…\s*$)/i,
]

/** An unknown tool: bare content is the file, unless something about it is suspicious. */
export const unmarkedFile: FileFormat = (text) => {
  const edges = text.length <= 600 ? text : `${text.slice(0, 300)}\n${text.slice(-300)}`
  const suspicious =
    doubtful.some((doubt) => doubt.test(edges)) || (text.length > 0 && text.length % 1000 === 0)
  return { content: text, firstLine: 1, toEnd: !suspicious }
}

/** Codex's experimental `read_file`: `L1: `. */
export const codexFile: FileFormat = (text, { firstLine, limit }) => {
  const { lines, rest } = takeNumbered(text, numberings.lineL, firstLine)
  if (lines.length === 0 || rest.join('') !== '') return undefined
  return {
    content: `${lines.join('\n')}\n`,
    firstLine,
    toEnd: lines.length !== (limit ?? 2000) && !lines.some((line) => line.length >= 500),
    untold: ['final-newline', 'line-endings'],
  }
}

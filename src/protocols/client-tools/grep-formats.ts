// The formats in which clients show matches.

import type { GrepMatch } from './job.ts'

/** The part of the request that changes the shape of the result. */
export interface GrepText {
  mode: 'content' | 'files' | 'count'
  /** The searched path: some tools do not name the file if they search only one. */
  path?: string
}

export interface Found {
  found: GrepMatch[]
  /** Some lines could not be understood. */
  uncertain: boolean
}

/** Undefined for a text of no known shape. */
export function parseGrep(lines: readonly string[], asked: GrepText): Found | undefined {
  const body = /^Found (?:at least )?\d+ /.test(lines[0] ?? '') ? lines.slice(1) : lines
  if (asked.mode === 'files') return { found: body.map((file) => ({ file })), uncertain: false }
  if (asked.mode === 'count') return parseCounts(body)
  return (
    parseGrouped(body, openCodeGroups) ??
    parseGrouped(body, qwenGroups) ??
    parseGrouped(body, rooGroups) ??
    parseGrouped(body, headedGroups) ??
    parseLines(body, asked.path)
  )
}

function parseCounts(lines: readonly string[]): Found {
  const found: GrepMatch[] = []
  let uncertain = false
  for (const line of lines) {
    const [, file, count] = /^(.+):(\d+)$/.exec(line) ?? []
    if (file !== undefined) found.push({ file, count: Number(count) })
    else uncertain ||= !/^Found \d+ total occurrences/.test(line)
  }
  return { found, uncertain }
}

interface Groups {
  file: RegExp
  match: RegExp
  context?: RegExp
  aside: RegExp
}

/** `/a/b.ts:` and `  Line 3: text`. */
const openCodeGroups: Groups = { file: /^(\S.*):$/, match: /^ {2}Line (\d+): ?(.*)$/, aside: /^$/ }
/** `File: b.ts` and `L3: text`, with context `L4- text`. */
const qwenGroups: Groups = {
  file: /^File: (.*)$/,
  match: /^L(\d+): (.*)$/,
  context: /^L(\d+)- (.*)$/,
  aside: /^---$/,
}
/** `# b.ts` and `  3 | text`. */
const rooGroups: Groups = { file: /^# (.*)$/, match: /^\s*(\d+) \| ?(.*)$/, aside: /^-{2,}$/ }

/** ripgrep with headings: `/w/b.ts`, then `3:text` and context `4-text`. */
const headedGroups: Groups = {
  file: /^(\/(?!.*:\d+:).*)$/,
  match: /^(\d+):(.*)$/,
  context: /^(\d+)-(.*)$/,
  aside: /^(?:--)?$/,
}

function parseGrouped(lines: readonly string[], { file, match, context, aside }: Groups): Found | undefined {
  const found: GrepMatch[] = []
  let current: string | undefined
  let uncertain = false
  for (const line of lines) {
    const hit = match.exec(line)
    const shown = hit ?? context?.exec(line)
    if (shown && current !== undefined) {
      const one: GrepMatch = { file: current, line: Number(shown[1]), text: shown[2] ?? '' }
      found.push(hit === null ? { ...one, context: true } : one)
    } else if (file.test(line)) current = file.exec(line)?.[1] ?? line
    else if (current === undefined && !aside.test(line)) return undefined
    else uncertain ||= !aside.test(line)
  }
  return found.length > 0 ? { found, uncertain } : undefined
}

/** ripgrep and grep: `file:3:text`, context `file-4-text`, and `3:text` if only one file was searched. */
function parseLines(lines: readonly string[], path?: string): Found | undefined {
  const files = lines.map((line) => /^(.+?):\d+:/.exec(line)?.[1])
  const ahead = files.slice()
  for (let at = ahead.length - 2; at >= 0; at--) ahead[at] ??= ahead[at + 1]
  // A file name can begin with a number and a hyphen: only a match has the colon.
  const bare =
    path !== undefined &&
    lines.some((line) => /^\d+:/.test(line)) &&
    lines.every((line) => /^\d+[:-]/.test(line) || line === '--')
  const found: GrepMatch[] = []
  let uncertain = false
  let behind: string | undefined
  for (const [at, line] of lines.entries()) {
    if (/^-{2,3}$/.test(line)) continue
    const match = bare
      ? toBare(line, path)
      : (toMatch(line) ?? toContext(line, behind) ?? toContext(line, ahead[at]))
    behind = files[at] ?? behind
    if (match !== undefined) found.push(match)
    else uncertain = true
  }
  return found.length > 0 ? { found, uncertain } : undefined
}

function toBare(line: string, file: string): GrepMatch | undefined {
  const [, number, kind, text = ''] = /^(\d+)([:-])(.*)$/.exec(line) ?? []
  if (number === undefined) return undefined
  return { file, line: Number(number), text, ...(kind === '-' ? { context: true } : {}) }
}

function toMatch(line: string): GrepMatch | undefined {
  const [head = '', file, number] = /^(.+?):(\d+):/.exec(line) ?? []
  const text = line.slice(head.length)
  return file === undefined || /[\r\u2028\u2029]/.test(text)
    ? undefined
    : { file, line: Number(number), text }
}

/** A file name can contain `-3-`: only the file of the match before or after is accepted. */
function toContext(line: string, file: string | undefined): GrepMatch | undefined {
  if (file === undefined || !line.startsWith(file)) return undefined
  const place = /-(\d+)-/y
  place.lastIndex = file.length
  const number = place.exec(line)?.[1]
  if (number === undefined) return undefined
  return { file, line: Number(number), text: line.slice(place.lastIndex), context: true }
}

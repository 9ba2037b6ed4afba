// Readers for results of the clients' list, glob and grep tools. Wording differs by client, but there are few shapes, so
// results are distinguished by shape.

import { isObject, parseJson, textOf } from '../../base/json.ts'
import { failed, refusal, saysFailed } from './failure.ts'
import { compileGlob, compileGlobs } from './glob-pattern.ts'
import { type GrepText, parseGrep } from './grep-formats.ts'
import type { ClientResult, GrepMatch, JobOf, ListEntry, Outcome } from './job.ts'

const nothing =
  /^\(?(?:No (?:files|(?:non-sensitive )?matches|results|entries|items)\b|Found 0 \w+|Directory .{0,1000} is empty|0 results)/i

/** Sentences before a listing. */
const head =
  /^(?:(?:Found|Listed) \d+ (?:file\(s\)|files?|items?|item\(s\))[^\n]*:?\n(?:---\n)?|Directory listing for [^\n]*:\n|Contents of directory:\n+)/

/** Notices that there is more. */
const moreNotice =
  /^(?:\((?:.*\b(?:truncated|showing \d+|more (?:are|files|entries|results)|use offset)\b.*)\)|\[\d+ \w+ truncated\] ?\.\.\.|\[Showing results with pagination.*\]|(?:File list|Results?|Output) truncated.*)$/i
const asideNotice = /^(?:---|\(\d+ (?:entries|git-ignored|[\w-]+ ignored).*\)|NOTE: .*)$/

const maxNoticeLength = 500

/** The lines of the listing; `truncated`: the client says that there are more. */
function listingLines(text: string): { lines: string[]; truncated: boolean } {
  if (nothing.test(text)) return { lines: [], truncated: false }
  const lines = text
    .replace(
      /^Tool output was too large and has been truncated\.\n[\s\S]*?\n\nTruncated part of the output:\n/,
      '',
    )
    .replace(head, '')
    .split('\n')
  let truncated = text.startsWith('Tool output was too large') || /^Found at least \d/.test(text)
  // Notices come at the end, after an empty line or two.
  for (let last = lines.at(-1); last !== undefined; last = lines.at(-1)) {
    if (last.length > maxNoticeLength) break
    if (moreNotice.test(last)) truncated = true
    else if (last.trim() !== '' && !asideNotice.test(last)) break
    lines.pop()
  }
  return { lines: lines.filter((line) => line.trim() !== ''), truncated }
}

export function readGlobResult(_job: JobOf<'glob'>, result: ClientResult): Outcome {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  if (!nothing.test(result.text) && saysFailed(result.text)) return failed(result.text)
  const listed = fromJsonList(result.text)
  if (listed !== undefined) return { kind: 'glob', files: listed.map(({ path }) => path), truncated: false }
  const { lines, truncated } = listingLines(result.text)
  return { kind: 'glob', files: lines, truncated }
}

export function readListResult(job: JobOf<'list'>, result: ClientResult): Outcome {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  if (!nothing.test(result.text) && saysFailed(result.text)) return failed(result.text)
  const listed = fromJsonList(result.text)
  const { entries, truncated } =
    listed === undefined ? fromListing(result.text) : { entries: listed, truncated: false }
  const isIgnored = compileGlobs(job.ignore ?? [])
  const relative = entries.map((entry) => ({ ...entry, path: relativeTo(job.path, entry.path) }))
  return {
    kind: 'list',
    entries: relative.filter(({ path }) => path !== '' && !isIgnored(path)),
    truncated,
  }
}

function fromListing(text: string): { entries: ListEntry[]; truncated: boolean } {
  // OpenCode's read of a directory.
  const wrapped = /^<path>[^\n]*<\/path>\n<type>directory<\/type>\n<entries>\n([\s\S]*?)\n<\/entries>/.exec(
    text,
  )
  const { lines, truncated } = listingLines(wrapped?.[1] ?? text)
  if (
    /^(?:- )?\/?[^\n]*\/$/.test(lines[0] ?? '') &&
    lines.slice(1).every((line) => /^ +/.test(line)) &&
    lines.length > 1
  )
    return { entries: fromTree(lines.slice(1)), truncated }
  return { entries: lines.map(toEntry), truncated }
}

/** `[DIR] src`, `src/`, `[FILE] a.ts`. */
function toEntry(line: string): ListEntry {
  const marked = /^\[(DIR|FILE)\] (.*)$/.exec(line)
  const path = (marked?.[2] ?? line).replace(/^\.\//, '')
  const directory = marked?.[1] === 'DIR' || path.endsWith('/')
  return { path: path.replace(/(?<!\/)\/+$/, ''), directory }
}

/** Earlier OpenCode and Claude Code: names indented by two spaces for each directory. */
function fromTree(lines: readonly string[]): ListEntry[] {
  const parents: string[] = []
  return lines.map((line) => {
    const [, blanks = '', name = ''] = /^( *)(?:- )?([\s\S]*)$/.exec(line) ?? []
    const depth = Math.max(0, Math.floor(blanks.length / 2) - 1)
    parents.length = Math.min(parents.length, depth)
    const entry = toEntry(name)
    const path = [...parents, entry.path].join('/')
    if (entry.directory) parents[depth] = entry.path
    return { path, directory: entry.directory }
  })
}

function fromJsonList(text: string): ListEntry[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined
  const value = parseJson(text)
  const list = Array.isArray(value)
    ? value
    : isObject(value)
      ? [value.files, value.entries, value.items].find(Array.isArray)
      : undefined
  if (list === undefined) return undefined
  const entries: ListEntry[] = []
  for (const item of list) {
    if (typeof item === 'string') entries.push(toEntry(item))
    else if (isObject(item) && typeof (item.path ?? item.name) === 'string') {
      const entry = toEntry(textOf(item.path ?? item.name))
      const kinds = [item.type, item.kind]
      entries.push({
        ...entry,
        directory:
          entry.directory ||
          kinds.includes('directory') ||
          kinds.includes('dir') ||
          item.isDirectory === true,
      })
    } else return undefined
  }
  return entries
}

function relativeTo(directory: string, path: string): string {
  const base = directory.replace(/(?<!\/)\/+$/, '')
  if (path === base) return ''
  return base !== '' && path.startsWith(`${base}/`) ? path.slice(base.length + 1) : path
}

interface GrepCall {
  job: JobOf<'grep'>
  /** What the tool was asked for. */
  asked: GrepText
  /** The tool has no parameter for the glob. */
  filterGlob: boolean
  /** The tool ignores case, and the job does not. */
  filterCase?: boolean
}

export function readGrepResult(call: GrepCall, result: ClientResult): Outcome {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const { text } = result
  if (nothing.test(text)) return { kind: 'grep', matches: [], truncated: false }
  if (saysFailed(text)) return failed(text)
  const { lines, truncated } = listingLines(text)
  const matches = parseGrep(lines, call.asked) ?? asText(lines, call.job)
  return finishGrep(call, matches.found, truncated || matches.uncertain)
}

/** An unknown shape is passed on as text. */
const asText = (lines: string[], job: JobOf<'grep'>) => ({
  found: lines.map((text): GrepMatch => ({ file: job.path ?? '.', text })),
  uncertain: true,
})

export function finishGrep(call: GrepCall, found: GrepMatch[], truncated: boolean): Outcome {
  const { job } = call
  const hasCase = call.filterCase ? caseFilter(job.pattern) : () => true
  const isNamed = call.filterGlob ? compileGlob(job.glob ?? '**') : () => true
  const kept = found.filter(
    ({ file, text, context }) =>
      isWithin(file, job.path) && isNamed(file) && (text === undefined || context === true || hasCase(text)),
  )
  const matches = byMode(kept, job.mode)
  const limited = job.limit === undefined || job.limit <= 0 ? matches : matches.slice(0, job.limit)
  return { kind: 'grep', matches: limited, truncated: truncated || limited.length < matches.length }
}

/** Each `?` or `|` may double the number of attempts. */
const maxChoices = 8
/** The budget for all lines of one result. */
const maxSteps = 50_000_000

/** Runs only patterns that cannot take long; for any other it keeps all lines. */
function caseFilter(pattern: string): (text: string) => boolean {
  if (pattern.length > 500) return () => true
  const choices = (pattern.match(/[?|]/g) ?? []).length
  const quick =
    !/\)[*+?{]/.test(pattern) && (pattern.match(/[*+{]/g) ?? []).length <= 1 && choices <= maxChoices
  if (!quick) return () => true
  let steps = 0
  try {
    const expression = new RegExp(pattern)
    return (text) => {
      if (text.length > 500 || steps > maxSteps) return true
      steps += text.length * text.length * 2 ** choices
      return expression.test(text)
    }
  } catch {
    return () => true
  }
}

/** If the path is a file, OpenCode searches its directory. */
function isWithin(file: string, path: string | undefined): boolean {
  if (path === undefined || !path.startsWith('/') || !file.startsWith('/')) return true
  const base = path.replace(/(?<!\/)\/+$/, '')
  return file === base || file.startsWith(`${base}/`)
}

function byMode(matches: GrepMatch[], mode: JobOf<'grep'>['mode']): GrepMatch[] {
  if (mode === 'content') return matches
  const counts = new Map<string, number>()
  for (const { file, count, context } of matches)
    if (context !== true) counts.set(file, (counts.get(file) ?? 0) + (count ?? 1))
  return [...counts].map(([file, count]) => (mode === 'count' ? { file, count } : { file }))
}

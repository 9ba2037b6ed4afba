// Outcomes ↔ result texts. A text is made for models, and is parsed back to the same outcome. A first line in brackets (the
// head) holds facts besides the content. Without such facts there is no head, unless the content looks like one.

import { parseJson } from '../../base/json.ts'
import type {
  ClientResult,
  GrepMatch,
  Job,
  JobOf,
  ListEntry,
  Outcome,
  OutcomeOf,
} from '../client-tools/job.ts'
import { countLines } from '../client-tools/read-file.ts'

export function toResultText(outcome: Outcome): ClientResult {
  switch (outcome.kind) {
    case 'failed': {
      const word = outcome.denied ? 'Refused' : outcome.notFound ? 'Not found' : 'Failed'
      return { text: `${word}: ${outcome.error}`, isError: true }
    }
    case 'read':
      return outcome.notFound
        ? { text: 'Not found: there is no such file', isError: true }
        : ok(writeRead(outcome))
    case 'write':
      return ok('Written.')
    case 'delete':
      return ok('Deleted.')
    case 'list': {
      const named = outcome.entries.map(({ path, directory }) =>
        directory ? `${quoted(path)}/` : quoted(path),
      )
      return ok(writeLines(named, outcome.truncated, 'empty'))
    }
    case 'glob':
      return ok(writeLines(outcome.files.map(quoted), outcome.truncated, 'no file matches'))
    case 'grep':
      return ok(writeGrep(outcome))
    case 'shell':
      return ok(writeShell(outcome))
    case 'fetch':
      return ok(writeFetch(outcome))
    case 'diagnostics':
      return ok(outcome.text)
  }
}

const ok = (text: string): ClientResult => ({ text, isError: false })

/** The outcome of this job from its result text. */
export function fromResultText(job: Job, { text, isError }: ClientResult): Outcome {
  if (isError) return readFailure(text)
  switch (job.kind) {
    case 'read':
      return readRead(text)
    case 'list':
      return readList(text)
    case 'glob':
      return { kind: 'glob', files: linesOf(text).map(unquoted), truncated: isCut(text) }
    case 'grep':
      return readGrep(job, text)
    case 'shell':
      return readShell(text)
    case 'fetch':
      return readFetch(text)
    case 'diagnostics':
      return { kind: 'diagnostics', text }
    default:
      return { kind: job.kind }
  }
}

function readFailure(text: string): Outcome {
  const found = /^(Refused|Not found|Failed): ([\s\S]*)$/.exec(text)
  const error = found?.[2] ?? text
  if (found?.[1] === 'Refused') return { kind: 'failed', error, denied: true }
  return found?.[1] === 'Not found' ? { kind: 'failed', error, notFound: true } : { kind: 'failed', error }
}

/** The first line is a head, or looks like one. */
const hasHead = (text: string) => heads.test(text)
const heads =
  /^\[(?:all|part of the file|part of the page|an empty page|an empty file|empty|no file matches|no match|no output|there is more|exit code|output cut|\d+ characters of output)\b/

function withHead(head: string | undefined, content: string): string {
  return head === undefined && content !== '' && !hasHead(content)
    ? content
    : `[${head ?? 'all'}]\n${content}`
}

function splitHead(text: string): { head: string; content: string } {
  if (!hasHead(text)) return { head: '', content: text }
  const end = text.indexOf('\n')
  return end < 0 ? { head: text, content: '' } : { head: text.slice(0, end), content: text.slice(end + 1) }
}

const linesOf = (text: string) => {
  const { content } = splitHead(text)
  return content === '' ? [] : content.split('\n')
}

const cut = 'there is more'
const isCut = (text: string) => splitHead(text).head.endsWith(`${cut}]`)

function writeLines(lines: readonly string[], truncated: boolean, none: string): string {
  if (lines.length === 0) return withHead(truncated ? `${none}; ${cut}` : none, '')
  return withHead(truncated ? cut : undefined, lines.join('\n'))
}

/** File names can contain anything but "/" and NUL, even line ends. */
const plainName = /^(?!["\s[]|\d+(?:[:-]|$))[^\p{Cc}]*[^\p{Cc}\s/]$/u
const quoted = (name: string) => (plainName.test(name) ? name : JSON.stringify(name))
const unquoted = (written: string) => {
  const name = written.startsWith('"') ? parseJson(written) : written
  return typeof name === 'string' ? name : written
}

function writeRead({ content, complete, totalLines }: OutcomeOf<'read'>): string {
  if (complete) return withHead(content === '' ? 'an empty file' : undefined, content)
  return withHead(
    `part of the file${totalLines === undefined ? '' : `, which has ${totalLines} ${totalLines === 1 ? 'line' : 'lines'}`}`,
    content,
  )
}

function readRead(text: string): Outcome {
  const { head, content } = splitHead(text)
  const part = /^\[part of the file(?:, which has (\d+) lines?)?\]$/.exec(head)
  if (part === null) return { kind: 'read', content, complete: true, totalLines: countLines(content) }
  const totalLines = part[1] === undefined ? {} : { totalLines: Number(part[1]) }
  return { kind: 'read', content, complete: false, ...totalLines }
}

const partOfPage = 'part of the page'

function writeFetch({ content, truncated }: OutcomeOf<'fetch'>): string {
  if (truncated) return withHead(partOfPage, content)
  return withHead(content === '' ? 'an empty page' : undefined, content)
}

function readFetch(text: string): Outcome {
  const { head, content } = splitHead(text)
  return { kind: 'fetch', content, ...(head === `[${partOfPage}]` ? { truncated: true } : {}) }
}

function readList(text: string): Outcome {
  const entries = linesOf(text).map((line): ListEntry => {
    const directory = line.endsWith('/')
    return { path: unquoted(directory ? line.slice(0, -1) : line), directory }
  })
  return { kind: 'list', entries, truncated: isCut(text) }
}

/** Matches below the names of their files: `12:` is a match, `13-` a context line, a bare number a count. */
function writeGrep({ matches, truncated }: OutcomeOf<'grep'>): string {
  const written: string[] = []
  let file: string | undefined
  for (const match of matches) {
    if (match.file !== file) written.push(quoted(match.file))
    file = match.file
    if (match.count !== undefined) written.push(`${match.count}`)
    else if (match.line !== undefined) written.push(...writeLine(match))
  }
  return writeLines(written, truncated, 'no match')
}

/** A match that spans lines becomes several lines. */
function writeLine({ line = 0, text = '', context }: GrepMatch): string[] {
  const mark = context ? '-' : ':'
  return text.split('\n').map((one, at) => `${line + at}${mark}${one}`)
}

function readGrep({ mode }: JobOf<'grep'>, text: string): Outcome {
  const matches: GrepMatch[] = []
  let file = ''
  for (const written of linesOf(text)) {
    const line = /^(\d+)([:-])(.*)$/su.exec(written)
    if (line) {
      const context = line[2] === '-' ? { context: true } : {}
      matches.push({ file, line: Number(line[1]), text: line[3] ?? '', ...context })
    } else if (mode === 'count' && /^\d+$/.test(written)) matches.push({ file, count: Number(written) })
    else {
      file = unquoted(written)
      if (mode === 'files') matches.push({ file })
    }
  }
  return { kind: 'grep', matches, truncated: isCut(text) }
}

function writeShell({ stdout, stderr, exitCode, timedOut, truncated }: OutcomeOf<'shell'>): string {
  const facts = [
    ...(exitCode === 0 && !timedOut ? [] : [`exit code ${exitCode}`]),
    ...(timedOut ? ['stopped: out of time'] : []),
    ...(truncated ? ['output cut'] : []),
    ...(stderr === '' ? [] : [`${stdout.length} characters of output, then errors`]),
  ]
  const silent = stdout === '' && stderr === '' ? ['no output'] : []
  const head = [...facts, ...silent].join('; ')
  return withHead(head === '' ? undefined : head, `${stdout}${stderr}`)
}

function readShell(text: string): Outcome {
  const { head, content } = splitHead(text)
  const length = /(?<!\d)(\d+) characters of output, then errors[\];]/.exec(head)?.[1]
  const split = length === undefined ? content.length : Number(length)
  return {
    kind: 'shell',
    stdout: content.slice(0, split),
    stderr: content.slice(split),
    exitCode: Number(/^\[exit code (-?\d+)/.exec(head)?.[1] ?? 0),
    ...(head.includes('stopped: out of time') ? { timedOut: true } : {}),
    truncated: head.includes('output cut'),
  }
}

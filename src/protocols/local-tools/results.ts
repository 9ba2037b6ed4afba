// What came of a job, as a text that a model reads well and that reads back to the same outcome. Whatever others wrote
// (files, output, names) stands behind a first line of ours, or between quotes: it cannot pass for anything else.

import type {
  ClientResult,
  GrepMatch,
  Job,
  JobOf,
  ListEntry,
  Outcome,
  OutcomeOf,
} from '../client-tools/job.ts'
import { parseJson } from '../json.ts'

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
    case 'list':
      return ok(
        lines(
          counted(outcome.entries.length, 'entry', 'entries', outcome.truncated),
          outcome.entries.map(({ path, directory }) => (directory ? `${quoted(path)}/` : quoted(path))),
        ),
      )
    case 'glob':
      return ok(
        lines(counted(outcome.files.length, 'file', 'files', outcome.truncated), outcome.files.map(quoted)),
      )
    case 'grep':
      return ok(writeGrep(outcome))
    case 'shell':
      return ok(writeShell(outcome))
    case 'fetch':
      return ok(outcome.content)
    case 'diagnostics':
      return ok(outcome.text)
  }
}

const ok = (text: string): ClientResult => ({ text, isError: false })

/** The outcome of this job, from the text that was made of it. */
export function fromResultText(job: Job, { text, isError }: ClientResult): Outcome {
  if (isError) return readFailure(text)
  switch (job.kind) {
    case 'read':
      return readRead(text)
    case 'list':
      return readList(text)
    case 'glob':
      return { kind: 'glob', files: rest(text).map(unquoted), truncated: isCut(text) }
    case 'grep':
      return readGrep(job, text)
    case 'shell':
      return readShell(text)
    case 'fetch':
      return { kind: 'fetch', content: text }
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

const head = (text: string) => text.slice(0, text.indexOf('\n') < 0 ? undefined : text.indexOf('\n'))
const body = (text: string) => (text.includes('\n') ? text.slice(text.indexOf('\n') + 1) : '')
const rest = (text: string) => (body(text) === '' ? [] : body(text).split('\n'))
const lines = (first: string, others: readonly string[]) => [first, ...others].join('\n')

const cut = '; there is more'
const isCut = (text: string) => head(text).endsWith(`${cut}]`)
const counted = (count: number, one: string, many: string, truncated: boolean) =>
  `[${count} ${count === 1 ? one : many}${truncated ? cut : ''}]`

/** Names may hold anything but "/" and NUL, line ends too. */
const plainName = /^(?!["\s[]|\d+(?:[:-]|$))[^\p{Cc}]*[^\p{Cc}\s/]$/u
const quoted = (name: string) => (plainName.test(name) ? name : JSON.stringify(name))
const unquoted = (written: string) => {
  const name = written.startsWith('"') ? parseJson(written) : written
  return typeof name === 'string' ? name : written
}

function writeRead({ content, complete, totalLines }: OutcomeOf<'read'>): string {
  const size = totalLines === undefined ? '' : `${totalLines} ${totalLines === 1 ? 'line' : 'lines'}`
  if (complete) return `[whole file${size && `, ${size}`}]\n${content}`
  return `[part of the file${size && `, which has ${size}`}]\n${content}`
}

function readRead(text: string): Outcome {
  const found = /^\[(whole|part)[^\]\n]*?(?: (\d+) lines?)?\]$/.exec(head(text))
  const totalLines = found?.[2] === undefined ? {} : { totalLines: Number(found[2]) }
  return { kind: 'read', content: body(text), complete: found?.[1] === 'whole', ...totalLines }
}

function readList(text: string): Outcome {
  const entries = rest(text).map((line): ListEntry => {
    const directory = line.endsWith('/')
    return { path: unquoted(directory ? line.slice(0, -1) : line), directory }
  })
  return { kind: 'list', entries, truncated: isCut(text) }
}

/** Matches under the names of their files: `12:` is a match, `13-` a line around one, a bare number a count. */
function writeGrep({ matches, truncated }: OutcomeOf<'grep'>): string {
  const found = matches.filter(({ context }) => !context).length
  const written: string[] = []
  let file: string | undefined
  for (const match of matches) {
    if (match.file !== file) written.push(quoted(match.file))
    file = match.file
    if (match.count !== undefined) written.push(`${match.count}`)
    else if (match.line !== undefined) written.push(...writeLine(match))
  }
  return lines(counted(found, 'match', 'matches', truncated), written)
}

/** A match over several lines is several lines. */
function writeLine({ line = 0, text = '', context }: GrepMatch): string[] {
  const mark = context ? '-' : ':'
  return text.split('\n').map((one, at) => `${line + at}${mark}${one}`)
}

function readGrep({ mode }: JobOf<'grep'>, text: string): Outcome {
  const matches: GrepMatch[] = []
  let file = ''
  for (const written of rest(text)) {
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
    `exit code ${exitCode}`,
    ...(timedOut ? ['stopped: out of time'] : []),
    ...(truncated ? ['output cut'] : []),
    ...(stderr === '' ? [] : [`${stdout.length} characters of output, then errors`]),
  ]
  return `[${facts.join('; ')}]\n${stdout}${stderr}`
}

function readShell(text: string): Outcome {
  const first = head(text)
  const all = body(text)
  const length = /(\d+) characters of output, then errors\]$/.exec(first)?.[1]
  const split = length === undefined ? all.length : Number(length)
  return {
    kind: 'shell',
    stdout: all.slice(0, split),
    stderr: all.slice(split),
    exitCode: Number(/^\[exit code (-?\d+)/.exec(first)?.[1] ?? 1),
    ...(first.includes('; stopped: out of time') ? { timedOut: true } : {}),
    truncated: first.includes('; output cut'),
  }
}

// Jobs that a client has no tool of its own for, done by its shell. Most clients trim, merge and cap what a command
// prints, and some do not tell how it ended: so the commands print that themselves, as their last line.

import { Buffer } from 'node:buffer'
import { failed } from './failure.ts'
import { matchesGlob } from './glob-pattern.ts'
import { parseGrep } from './grep-formats.ts'
import type { Job, JobOf, ListEntry, Outcome } from './job.ts'
import { quote, quotePath } from './quote.ts'
import { countLines } from './read-file.ts'
import { finishGrep, isIgnored } from './read-search.ts'
import type { ShellOutcome } from './read-shell.ts'

export interface ShellPlan {
  command: string
  /** For the clients that show one. */
  description: string
  read(ran: ShellOutcome): Outcome
}

/** The whole command is one argument of one process, and Linux allows 128 KiB for it. */
const maxCommandBytes = 100_000

export function planInShell(job: Job): ShellPlan | undefined {
  const plan = planOf(job)
  return plan !== undefined && Buffer.byteLength(plan.command) <= maxCommandBytes ? plan : undefined
}

function planOf(job: Job): ShellPlan | undefined {
  switch (job.kind) {
    case 'read':
      return planRead(job)
    case 'write':
      return planWrite(job)
    case 'delete':
      return planDelete(job)
    case 'list':
      return planList(job)
    case 'grep':
      return planGrep(job)
    case 'glob':
      return planGlob(job)
    default:
      return undefined
  }
}

interface Ended {
  output: string
  exitCode: number
  /** What the command counted. */
  count?: number
}

const ending = 'echo "exit $?"'

/** Undefined when the last line is not there: the client cut it off. */
function ended(stdout: string): Ended | undefined {
  const end = /exit (\d+)(?:[ \t]+(\d+))?\s*$/.exec(stdout)
  if (end === null) return undefined
  return {
    output: stdout.slice(0, end.index),
    exitCode: Number(end[1]),
    ...(end[2] === undefined ? {} : { count: Number(end[2]) }),
  }
}

/** Bytes are counted where the file is: equal numbers prove that nothing was lost on the way. */
function planRead(job: JobOf<'read'>): ShellPlan | undefined {
  const path = quotePath(job.path)
  if (path === undefined) return undefined
  const whole = job.offset === undefined && job.limit === undefined
  const first = job.offset ?? 1
  const last = job.limit === undefined ? '$' : String(first + job.limit - 1)
  const tail = `tail -n ${-first} -- ${path}${job.limit === undefined ? '' : ` | head -n ${job.limit}`}`
  const show = whole ? `cat -- ${path}` : first < 0 ? tail : `sed -n '${first},${last}p' -- ${path}`
  const count = whole ? `wc -c < ${path}` : `wc -l < ${path}`
  return {
    command: `echo begin; ${show}; echo "exit $? $(${count})"`,
    description: 'Show a file',
    read(ran) {
      if (ran.kind === 'failed') return ran
      const start = ran.stdout.indexOf('begin\n')
      const shown = start < 0 ? undefined : ran.stdout.slice(start + 'begin\n'.length)
      const end = shown === undefined ? undefined : ended(shown)
      if (end === undefined) return { kind: 'read', content: shown ?? ran.stdout, complete: false }
      if (end.exitCode !== 0) return failed(end.output || ran.stderr)
      const complete = whole && !ran.truncated && Buffer.byteLength(end.output) === end.count
      const totalLines = whole ? (complete ? countLines(end.output) : undefined) : end.count
      return {
        kind: 'read',
        content: end.output,
        complete,
        ...(totalLines === undefined ? {} : { totalLines }),
      }
    },
  }
}

function planWrite({ path, content }: JobOf<'write'>): ShellPlan | undefined {
  const target = quotePath(path)
  const text = quote(content)
  const directory = /^(.*)\/[^/]+$/.exec(path)?.[1]
  const parent = directory ? quotePath(directory) : undefined
  if (target === undefined || text === undefined) return undefined
  const makeParent = parent === undefined ? '' : `mkdir -p -- ${parent} && `
  return {
    command: `${makeParent}printf '%s' ${text} > ${target}; ${ending}`,
    description: 'Write a file',
    read(ran) {
      if (ran.kind === 'failed') return ran
      const end = ended(ran.stdout)
      return end?.exitCode === 0 ? { kind: 'write' } : failed(end?.output || ran.stderr || ran.stdout)
    },
  }
}

/** Silent when it works, so it needs no last line of its own. */
function planDelete({ path }: JobOf<'delete'>): ShellPlan | undefined {
  const target = quotePath(path)
  if (target === undefined) return undefined
  return {
    command: `rm -- ${target}`,
    description: 'Delete a file',
    read(ran) {
      if (ran.kind === 'failed') return ran
      const said = `${ran.stdout}${ran.stderr}`
      const complaint =
        /\brm: |cannot remove|no such file|not permitted|permission denied|is a directory|command not found/i
      return ran.exitCode === 0 && !complaint.test(said) ? { kind: 'delete' } : failed(said)
    },
  }
}

function planList({ path, ignore }: JobOf<'list'>): ShellPlan | undefined {
  // The slash makes it fail for what is not a directory.
  const directory = quotePath(path.endsWith('/') ? path : `${path === '' ? '.' : path}/`)
  if (directory === undefined) return undefined
  return {
    command: `ls -1Ap -- ${directory}; ${ending}`,
    description: 'List a directory',
    read(ran) {
      if (ran.kind === 'failed') return ran
      const end = ended(ran.stdout)
      if (end !== undefined && end.exitCode !== 0) return failed(end.output || ran.stderr)
      const entries = (end?.output ?? ran.stdout)
        .split('\n')
        .filter((line) => line !== '')
        .map((line): ListEntry => ({ path: line.replace(/\/$/, ''), directory: line.endsWith('/') }))
      return {
        kind: 'list',
        entries: entries.filter((entry) => !isIgnored(entry.path, ignore)),
        truncated: end === undefined || ran.truncated,
      }
    },
  }
}

/** ripgrep where it is, since the pattern is written for it; else the system's grep, for what that can do. */
function planGrep(job: JobOf<'grep'>): ShellPlan | undefined {
  const words = [
    quote(job.pattern),
    quotePath(job.path ?? '.'),
    quote(job.glob ?? ''),
    quote(job.fileType ?? ''),
  ]
  const [pattern, path, glob, fileType] = words
  if (pattern === undefined || path === undefined || glob === undefined || fileType === undefined)
    return undefined
  const shared = [
    ...(job.caseInsensitive ? ['-i'] : []),
    ...(job.mode === 'files' ? ['-l'] : job.mode === 'count' ? ['-c'] : ['-n']),
    ...(job.mode === 'content' && job.before ? [`-B ${job.before}`] : []),
    ...(job.mode === 'content' && job.after ? [`-A ${job.after}`] : []),
  ]
  const rg = [
    'rg --color=never --no-heading -H --no-messages',
    ...shared,
    ...(job.multiline ? ['-U --multiline-dotall'] : []),
    ...(job.glob ? [`-g ${glob}`] : []),
    ...(job.fileType ? [`-t ${fileType}`] : []),
    `-e ${pattern} -- ${path}`,
  ].join(' ')
  const grep = [
    'grep -rEHIs',
    ...shared,
    ...(job.glob ? [`--include=${glob}`] : []),
    `-e ${pattern} -- ${path}`,
  ].join(' ')
  const needsRipgrep = job.multiline || job.fileType !== undefined || (job.glob?.includes('/') ?? false)
  const command = needsRipgrep ? rg : `if command -v rg >/dev/null; then ${rg}; else ${grep}; fi`
  return {
    command: `${command}; ${ending}`,
    description: 'Search in files',
    read: (ran) => readGrep(job, ran),
  }
}

function readGrep(job: JobOf<'grep'>, ran: ShellOutcome): Outcome {
  if (ran.kind === 'failed') return ran
  const end = ended(ran.stdout)
  // 1: nothing found. 2 and more: it did not work, or not everywhere.
  if (end !== undefined && end.exitCode > 1 && !/^[^\n]+:\d+/.test(end.output))
    return failed(end.output || ran.stderr)
  const lines = (end?.output ?? ran.stdout).split('\n').filter((line) => line !== '')
  const found = parseGrep(lines, { mode: job.mode })?.found ?? []
  const counted = job.mode === 'count' ? found.filter(({ count }) => count !== 0) : found
  return finishGrep(
    { job, asked: { mode: job.mode }, filterGlob: false },
    counted,
    end === undefined || ran.truncated,
  )
}

function planGlob({ pattern, path }: JobOf<'glob'>): ShellPlan | undefined {
  const directory = quotePath(path ?? '.')
  const glob = quote(pattern)
  // `find` knows no `**` and no braces: it narrows, and what it finds is matched here.
  const last = quote((pattern.split('/').at(-1) ?? '').replace(/\{.*\}|\*\*/g, '*') || '*')
  if (directory === undefined || glob === undefined || last === undefined) return undefined
  const find = `find . -type f -name ${last} -not -path '*/.git/*' -not -path '*/node_modules/*'`
  return {
    command: `(cd -- ${directory} && if command -v rg >/dev/null; then rg --files --hidden -g '!.git' -g ${glob}; else ${find}; fi); ${ending}`,
    description: 'Find files by name',
    read(ran) {
      if (ran.kind === 'failed') return ran
      const end = ended(ran.stdout)
      const lines = (end?.output ?? ran.stdout).split('\n').filter((line) => line !== '')
      if (end !== undefined && end.exitCode !== 0 && lines.length > 0) return failed(end.output)
      const base = path === undefined ? '' : `${path.replace(/\/+$/, '')}/`
      const files = lines
        .map((line) => line.replace(/^\.\//, ''))
        .filter((file) => matchesGlob(file, pattern))
      return {
        kind: 'glob',
        files: files.map((file) => `${base}${file}`),
        truncated: end === undefined || ran.truncated,
      }
    },
  }
}

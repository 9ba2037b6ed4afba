// Searches in a client's shell.

import { failed } from './failure.ts'
import { compileGlob } from './glob-pattern.ts'
import { parseGrep } from './grep-formats.ts'
import type { JobOf, Outcome } from './job.ts'
import { quote, quotePath } from './quote.ts'
import { finishGrep } from './read-search.ts'
import type { ShellOutcome } from './read-shell.ts'
import { ended, ending, type ShellPlan, silent } from './shell-plan.ts'

/** Uses ripgrep if it is installed, because the pattern has its syntax; otherwise grep, if that has all it takes. */
export function planGrep(job: JobOf<'grep'>): ShellPlan | undefined {
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
  if (ran.stdout === '') return failed(ran.stderr || silent)
  const end = ended(ran.stdout)
  // 1: no match. 2 and more: failed, at least in part.
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

/** `find` has no `**` and no braces: it gets a wider pattern, and the gateway filters its result. */
function narrowed(name: string): string {
  const from = name.indexOf('{')
  const to = name.lastIndexOf('}')
  const hasBraces = from >= 0 && from < to
  const plain = hasBraces ? `${name.slice(0, from)}*${name.slice(to + 1)}` : name
  return plain.replace(/\*{2,}/g, '*')
}

export function planGlob({ pattern, path }: JobOf<'glob'>): ShellPlan | undefined {
  const directory = quotePath(path ?? '.')
  const glob = quote(pattern)
  const last = quote(narrowed(pattern.split('/').at(-1) ?? '') || '*')
  if (directory === undefined || glob === undefined || last === undefined) return undefined
  const find = `find . -type f -name ${last} -not -path '*/.git/*' -not -path '*/node_modules/*'`
  return {
    command: `(cd -- ${directory} && if command -v rg >/dev/null; then rg --files --hidden -g '!.git' -g ${glob}; else ${find}; fi); ${ending}`,
    description: 'Find files by name',
    read(ran) {
      if (ran.kind === 'failed') return ran
      if (ran.stdout === '') return failed(ran.stderr || silent)
      const end = ended(ran.stdout)
      const lines = (end?.output ?? ran.stdout).split('\n').filter((line) => line !== '')
      if (end !== undefined && end.exitCode !== 0 && lines.length > 0) return failed(end.output)
      const base = path === undefined ? '' : `${path.replace(/(?<!\/)\/+$/, '')}/`
      const files = lines.map((line) => line.replace(/^\.\//, '')).filter(compileGlob(pattern))
      return {
        kind: 'glob',
        files: files.map((file) => `${base}${file}`),
        truncated: end === undefined || ran.truncated,
      }
    },
  }
}

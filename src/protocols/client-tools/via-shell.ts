// Shell commands for jobs that a client has no tool for.

import { Buffer } from 'node:buffer'
import { failed } from './failure.ts'
import { compileGlobs } from './glob-pattern.ts'
import type { Job, JobOf, ListEntry } from './job.ts'
import { quote, quotePath } from './quote.ts'
import { countLines, isChanged } from './read-file.ts'
import { ended, ending, type ShellPlan, silent } from './shell-plan.ts'
import { planGlob, planGrep } from './via-shell-search.ts'

/** The whole command is one argument of a process, which Linux limits to 128 KiB. */
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

/** The command counts the bytes of the file: an equal count proves that nothing was lost. */
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
      if (ran.stdout === '') return failed(ran.stderr || silent)
      const start = ran.stdout.indexOf('begin\n')
      const shown = start < 0 ? undefined : ran.stdout.slice(start + 'begin\n'.length)
      const end = shown === undefined ? undefined : ended(shown)
      if (end === undefined) return { kind: 'read', content: shown ?? ran.stdout, complete: false }
      if (end.exitCode !== 0) return failed(end.output || ran.stderr)
      const complete =
        whole && !ran.truncated && Buffer.byteLength(end.output) === end.count && !isChanged(end.output)
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
      return end?.exitCode === 0
        ? { kind: 'write' }
        : failed(end?.output || ran.stderr || ran.stdout || silent)
    },
  }
}

/** `rm` prints nothing on success, so the command needs no last line. */
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
  // With the slash, `ls` fails for anything but a directory.
  const directory = quotePath(path.endsWith('/') ? path : `${path === '' ? '.' : path}/`)
  if (directory === undefined) return undefined
  return {
    command: `ls -1Ap -- ${directory}; ${ending}`,
    description: 'List a directory',
    read(ran) {
      if (ran.kind === 'failed') return ran
      const end = ended(ran.stdout)
      if (ran.stdout === '') return failed(ran.stderr || silent)
      if (end !== undefined && end.exitCode !== 0) return failed(end.output || ran.stderr)
      const entries = (end?.output ?? ran.stdout)
        .split('\n')
        .filter((line) => line !== '')
        .map((line): ListEntry => ({ path: line.replace(/\/$/, ''), directory: line.endsWith('/') }))
      const isIgnored = compileGlobs(ignore ?? [])
      return {
        kind: 'list',
        entries: entries.filter((entry) => !isIgnored(entry.path)),
        truncated: end === undefined || ran.truncated,
      }
    },
  }
}

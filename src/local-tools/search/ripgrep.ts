// Ripgrep as a help: in which files is there a match at all? It opens files by their names, where a swap could lead it
// astray; so nothing that it has read is used, and each file it names is opened and searched here.

import { once } from 'node:events'
import type { JobOf } from '../../protocols/client-tools/job.ts'
import { checkNotStopped, type FileLimits } from '../files/limits.ts'
import type { TreeWalk } from './walk-tree.ts'

const fixed = [
  '--files-with-matches',
  '--null',
  '--no-config',
  '--no-messages',
  '--color=never',
  '--hidden',
  '--no-ignore',
]

/** Undefined: look everywhere. There is no ripgrep, or it does not take the pattern. */
export async function filesByRipgrep(
  job: JobOf<'grep'>,
  limits: FileLimits,
  { names, skipped }: Pick<TreeWalk, 'names' | 'skipped'>,
): Promise<{ files: string[]; truncated: boolean } | undefined> {
  const { search } = limits
  if (search === undefined || job.pattern.includes('\0') || names.some((name) => skipped.has(name)))
    return undefined
  // Ripgrep 13 cannot look for CRLF line ends over several lines: it panics, or never ends.
  if (job.multiline && job.pattern.includes('$')) return undefined
  const ran = await untilStopped(
    limits,
    search([
      ...fixed,
      ...(job.caseInsensitive ? ['--ignore-case'] : []),
      ...(job.multiline ? ['--multiline', '--multiline-dotall'] : ['--crlf']),
      ...(job.glob && /^[^!/]+$/.test(job.glob) ? ['--glob', job.glob] : []),
      ...[...skipped].flatMap((name) => ['--glob', `!${name}`]),
      '--regexp',
      job.pattern,
      '--',
      `./${names.join('/')}`,
    ]),
  )
  if (ran === undefined) return undefined
  const { stdout, code } = ran
  if (code !== 0 && code !== 1) return undefined
  const files = stdout.split('\0')
  // Each name ends with NUL: what stands behind the last one was cut off.
  const rest = files.pop()
  return {
    files: files.map((file) => file.replace(/^\.\/+/, '')).sort(inTreeOrder),
    truncated: rest !== '',
  }
}

/** Undefined if it did not work. */
async function untilStopped<Result>(limits: FileLimits, work: Promise<Result>): Promise<Result | undefined> {
  const listening = new AbortController()
  const nothing = () => undefined
  const stopped = once(limits.signal, 'abort', { signal: listening.signal }).then(nothing, nothing)
  const result = await Promise.race([work.catch(nothing), stopped])
  listening.abort()
  checkNotStopped(limits)
  return result
}

/** A folder's files stand where the folder would. */
function inTreeOrder(one: string, other: string): number {
  const [left, right] = [one.replaceAll('/', '\0'), other.replaceAll('/', '\0')]
  return left < right ? -1 : left > right ? 1 : 0
}

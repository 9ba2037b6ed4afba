// Ripgrep as a filter: it finds the files that have a match. It opens files by name, where a swap could mislead it, so only the
// names are used, and the gateway opens and searches each file itself.

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

/** Undefined: search everywhere, because there is no ripgrep or it refuses the pattern. */
export async function filesByRipgrep(
  job: JobOf<'grep'>,
  limits: FileLimits,
  { names, skipped }: Pick<TreeWalk, 'names' | 'skipped'>,
): Promise<{ files: string[]; truncated: boolean } | undefined> {
  const { search } = limits
  if (search === undefined || job.pattern.includes('\0') || names.some((name) => skipped.has(name)))
    return undefined
  // Ripgrep 13 panics or hangs on multiline searches with CRLF line ends.
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
  // Each name ends with NUL: text after the last one is a truncated name.
  const rest = files.pop()
  return {
    files: files.map((file) => file.replace(/^\.\/+/, '')).sort(inTreeOrder),
    truncated: rest !== '',
  }
}

/** Undefined on failure. */
async function untilStopped<Result>(limits: FileLimits, work: Promise<Result>): Promise<Result | undefined> {
  const listening = new AbortController()
  const nothing = () => undefined
  const stopped = once(limits.signal, 'abort', { signal: listening.signal }).then(nothing, nothing)
  const result = await Promise.race([work.catch(nothing), stopped])
  listening.abort()
  checkNotStopped(limits)
  return result
}

/** Files are ordered at the position of their folder. */
function inTreeOrder(one: string, other: string): number {
  const [left, right] = [one.replaceAll('/', '\0'), other.replaceAll('/', '\0')]
  return left < right ? -1 : left > right ? 1 : 0
}

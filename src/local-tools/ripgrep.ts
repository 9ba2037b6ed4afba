// Ripgrep as a help: in which files is there a match at all? It opens files by their names, where a swap could lead it
// astray; so nothing that it has read is used, and each file it names is opened and searched here.

import type { JobOf } from '../protocols/client-tools/job.ts'
import { maxFileBytes } from './grep-run.ts'
import type { FileLimits } from './limits.ts'
import type { TreeWalk } from './walk-tree.ts'

const fixed = [
  '--files-with-matches',
  '--null',
  '--no-config',
  '--no-messages',
  '--color=never',
  '--hidden',
  '--no-ignore',
  '--crlf',
  `--max-filesize=${maxFileBytes}`,
]

/** Undefined: look everywhere. There is no ripgrep, or it does not take the pattern. */
export async function filesByRipgrep(
  job: JobOf<'grep'>,
  { search }: FileLimits,
  { names, skipped }: Pick<TreeWalk, 'names' | 'skipped'>,
): Promise<{ files: string[]; truncated: boolean } | undefined> {
  if (search === undefined || job.pattern.includes('\0') || names.some((name) => skipped.has(name)))
    return undefined
  const { stdout, code } = await search([
    ...fixed,
    ...(job.caseInsensitive ? ['--ignore-case'] : []),
    ...(job.multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(job.glob && /^[^!/]+$/.test(job.glob) ? ['--glob', job.glob] : []),
    ...[...skipped].flatMap((name) => ['--glob', `!${name}`]),
    '--regexp',
    job.pattern,
    '--',
    `./${names.join('/')}`,
  ])
  if (code !== 0 && code !== 1) return undefined
  const files = stdout.split('\0')
  // Each name ends with NUL: what stands behind the last one was cut off.
  const rest = files.pop()
  return {
    files: files.map((file) => file.replace(/^\.\/+/, '')).sort(inTreeOrder),
    truncated: rest !== '',
  }
}

/** A folder's files stand where the folder would. */
function inTreeOrder(one: string, other: string): number {
  const [left, right] = [one.replaceAll('/', '\0'), other.replaceAll('/', '\0')]
  return left < right ? -1 : left > right ? 1 : 0
}

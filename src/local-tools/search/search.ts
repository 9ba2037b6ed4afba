// Searches by name and by text inside the root. Results are paths from the root, which can be read as they are, wherever the
// search began.

import { compileGlob } from '../../protocols/client-tools/glob-pattern.ts'
import type { JobOf, OutcomeOf } from '../../protocols/client-tools/job.ts'
import type { ConfinedRoot } from '../files/confined-root.ts'
import { checkNotStopped, defaultMaxEntries, type FileLimits, TimeSlice } from '../files/limits.ts'
import { notFolder, notFound, notRegular, Refusal, shown } from '../files/refusal.ts'
import { withPlace } from '../files/walk-path.ts'
import { GrepRun } from './grep-run.ts'
import { filesByRipgrep } from './ripgrep.ts'
import { nameFilter } from './search-scope.ts'
import { eachFile, holdAlong, skippedFor, type TreeWalk } from './walk-tree.ts'

/** The pattern starts at the searched folder. */
export function glob(
  root: ConfinedRoot,
  { pattern, path = '.' }: JobOf<'glob'>,
  limits: FileLimits,
): Promise<OutcomeOf<'glob'>> {
  return withPlace(root, path, { lastLink: 'follow' }, async ({ names, held }) => {
    if (held === undefined) throw notFound(path)
    if (!held.stat.isDirectory()) throw notFolder(path)
    checkNotStopped(limits)
    const wanted = belowFolder(pattern, [root.path, ...names].join('/'))
    const fits = compileGlob(wanted)
    const files: string[] = []
    const scope = { root, start: held, names, skipped: skippedFor(wanted) }
    const leftOut = await eachFile(scope, limits, (file) => {
      if (fits(file.below)) files.push(file.path)
      return undefined
    })
    const kept = shortened(files.sort(), limits)
    return { kind: 'glob', files: kept, truncated: leftOut || kept.length < files.length }
  })
}

/** The pattern may also be an absolute path inside the folder. */
function belowFolder(pattern: string, folder: string): string {
  if (pattern === '') throw new Refusal('A search by name needs a pattern, such as "**/*.ts".')
  const below = pattern.startsWith(`${folder}/`) ? pattern.slice(folder.length + 1) : pattern
  if (below.startsWith('/') || below.split('/').includes('..'))
    throw new Refusal(
      `The pattern ${shown(pattern)} leads out of the folder that is searched. Name the folder as the path, and let the pattern begin there.`,
      'denied',
    )
  return below
}

function shortened(files: string[], limits: FileLimits): string[] {
  const maxEntries = limits.maxEntries ?? defaultMaxEntries
  let bytes = 0
  const end = files.findIndex((file, index) => {
    bytes += Buffer.byteLength(file) + 1
    return index >= maxEntries || bytes > limits.outputBytes
  })
  return end < 0 ? files : files.slice(0, end)
}

export async function grep(
  root: ConfinedRoot,
  job: JobOf<'grep'>,
  limits: FileLimits,
): Promise<OutcomeOf<'grep'>> {
  const { path = '.' } = job
  const run = new GrepRun(job, limits)
  return withPlace(root, path, { lastLink: 'follow' }, async ({ names, held }) => {
    if (held === undefined) throw notFound(path)
    checkNotStopped(limits)
    if (held.stat.isDirectory()) {
      const leftOut = await grepFolder(run, job, limits, {
        root,
        start: held,
        names,
        skipped: skippedFor(job.glob),
      })
      return run.finish(leftOut)
    }
    if (!held.stat.isFile()) throw notRegular(path)
    run.searchOnly(names.join('/'), held)
    return run.finish(false)
  })
}

async function grepFolder(
  run: GrepRun,
  job: JobOf<'grep'>,
  limits: FileLimits,
  scope: TreeWalk,
): Promise<boolean> {
  const isWanted = nameFilter(job, scope.root.path)
  const narrowed = await filesByRipgrep(job, limits, scope)
  if (narrowed === undefined)
    return eachFile(scope, limits, (file) => {
      if (isWanted(file)) run.search(file.path, file.hold)
      return run.hasEnough ? 'enough' : undefined
    })
  const slice = new TimeSlice(limits)
  for (const file of narrowed.files) {
    if (run.hasEnough) break
    if (!isWanted({ path: file, below: file.slice(scope.names.join('/').length).replace(/^\//, '') }))
      continue
    run.search(file, () => holdAlong(scope.root, file.split('/')))
    await slice.pauseIfDue()
  }
  return narrowed.truncated
}

// Runs one file job.

import type { JobOf, Outcome } from '../protocols/client-tools/job.ts'
import type { ConfinedRoot } from './files/confined-root.ts'
import { deleteFile, listFolder, readFile, writeFile } from './files/files.ts'
import { checkNotStopped, type FileLimits } from './files/limits.ts'
import { toFailure } from './files/refusal.ts'
import { glob, grep } from './search/search.ts'

export type FileJob = JobOf<'read' | 'write' | 'delete' | 'list' | 'glob' | 'grep'>

/** Never throws: a failure is an outcome. */
export async function runFileJob(root: ConfinedRoot, job: FileJob, limits: FileLimits): Promise<Outcome> {
  try {
    checkNotStopped(limits)
    return await run(root, job, limits)
  } catch (error) {
    return toFailure(error, job.path ?? '.')
  }
}

function run(root: ConfinedRoot, job: FileJob, limits: FileLimits): Promise<Outcome> {
  switch (job.kind) {
    case 'read':
      return readFile(root, job, limits)
    case 'write':
      return writeFile(root, job, limits)
    case 'delete':
      return deleteFile(root, job, limits)
    case 'list':
      return listFolder(root, job, limits)
    case 'glob':
      return glob(root, job, limits)
    case 'grep':
      return grep(root, job, limits)
  }
}

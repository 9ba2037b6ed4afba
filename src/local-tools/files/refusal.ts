// Refusals in words for a model: they say what it can do instead, and reveal nothing outside the root.

import { GlobError } from '../../protocols/client-tools/glob-pattern.ts'
import type { Failure } from '../../protocols/client-tools/job.ts'

export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly failure: Failure

  constructor(error: string, kind: 'failed' | 'not-found' | 'denied' = 'failed') {
    super(error)
    this.failure = {
      kind: 'failed',
      error,
      ...(kind === 'not-found' ? { notFound: true } : {}),
      ...(kind === 'denied' ? { denied: true } : {}),
    }
  }
}

const longestShown = 200

/** The path as the model wrote it: an error must not reveal more. */
export const shown = (path: string) =>
  JSON.stringify(path.length > longestShown ? `${path.slice(0, longestShown)}…` : path)

export const notFound = (path: string) =>
  new Refusal(`${shown(path)} does not exist. List the folder to see what there is.`, 'not-found')

export const isFolder = (path: string, advice: string) => new Refusal(`${shown(path)} is a folder. ${advice}`)

export const notFolder = (path: string) =>
  new Refusal(`${shown(path)} uses something as a folder that is none. List its parent to see what there is.`)

export const notRegular = (path: string) =>
  new Refusal(
    `${shown(path)} is not a regular file (a pipe, a socket or a device), so it is left alone.`,
    'denied',
  )

const ofCode: Record<string, (path: string) => Refusal> = {
  ENOENT: notFound,
  ENOTDIR: notFolder,
  EISDIR: (path) => isFolder(path, 'Name a file in it.'),
  EACCES: (path) => new Refusal(`The system does not permit this for ${shown(path)}.`),
  EPERM: (path) => new Refusal(`The system does not permit this for ${shown(path)}.`),
  EROFS: (path) => new Refusal(`${shown(path)} lies on a file system that is read-only.`),
  ENOSPC: () => new Refusal('The disk is full, so nothing was written.'),
  EDQUOT: () => new Refusal('The disk quota is used up, so nothing was written.'),
  EMFILE: () => new Refusal('Too many files are open at the moment. Try again.'),
  ENFILE: () => new Refusal('Too many files are open at the moment. Try again.'),
  ENAMETOOLONG: (path) => new Refusal(`${shown(path)} has a name that is too long.`),
}

/** System messages contain descriptors and real paths, so only their codes are used. */
export function toFailure(error: unknown, path: string): Failure {
  if (error instanceof Refusal) return error.failure
  if (error instanceof GlobError) return new Refusal(error.message).failure
  const code = codeOf(error)
  const known = code === undefined ? undefined : ofCode[code]
  return (known?.(path) ?? new Refusal(`This did not work for ${shown(path)} (${code ?? 'unknown error'}).`))
    .failure
}

export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  return typeof error.code === 'string' ? error.code : undefined
}

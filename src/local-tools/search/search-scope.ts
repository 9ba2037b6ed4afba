// Selects the files of a search by name.

import { compileGlob, compileGlobs, type Glob } from '../../protocols/client-tools/glob-pattern.ts'
import type { JobOf } from '../../protocols/client-tools/job.ts'
import { Refusal, shown } from '../files/refusal.ts'
import { globsOfType, knownFileTypes } from './file-types.ts'

interface NamedFile {
  path: string
  below: string
}

/** Globs match from the root, like ripgrep's, and from the searched folder, as models mean them. */
export function nameFilter(
  { glob, fileType }: Pick<JobOf<'grep'>, 'glob' | 'fileType'>,
  rootPath: string,
): (file: NamedFile) => boolean {
  const ofType = fileType ? globsOfType(fileType) : undefined
  if (fileType && ofType === undefined)
    throw new Refusal(
      `The file type ${shown(fileType)} is not known. Use a glob such as "*.ext" instead, or one of: ${knownFileTypes.join(', ')}.`,
    )
  const fitsType = ofType && compileGlobs(ofType)
  const isOfType = ({ below }: NamedFile) => fitsType?.(below) ?? true
  if (!glob) return isOfType
  const excluded = glob.startsWith('!')
  const pattern = (excluded ? glob.slice(1) : glob).replace(`${rootPath}/`, '')
  if (pattern.split('/').includes('..'))
    throw new Refusal(`The glob ${shown(glob)} leads out of the folder that is searched.`, 'denied')
  const fits = compileGlob(pattern)
  const isNamed = excluded
    ? ({ path, below }: NamedFile) => !isBelow(path, fits) && !isBelow(below, fits)
    : ({ path, below }: NamedFile) => fits(path) || fits(below)
  return (file) => isOfType(file) && isNamed(file)
}

/** An excluded folder excludes its content. */
function isBelow(path: string, fits: Glob): boolean {
  const names = path.split('/')
  return names.some((_name, index) => fits(names.slice(0, index + 1).join('/')))
}

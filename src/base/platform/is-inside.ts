// Whether a path is in a folder, or the folder itself. On Windows a path on another drive is not relative to the folder at all,
// and capital letters do not count.

import { pathsOf, type System, thisSystem } from './system.ts'

export function isInside(path: string, folder: string, system: System = thisSystem): boolean {
  const { relative, isAbsolute } = pathsOf(system)
  const way = relative(folder, path)
  return !isAbsolute(way) && !/^\.\.(?:[\\/]|$)/.test(way)
}

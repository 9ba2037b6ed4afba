// The package's own version and folder. package.json is in the folder above src/ (repository) or dist/src/ (package).

import { readFileSync } from 'node:fs'

/** The name on npm. The npm package `dragoman` belongs to another project. */
export const packageName = 'dragoman-gateway'

const own = (() => {
  for (const up of ['../../', '../../../']) {
    const folder = new URL(up, import.meta.url)
    try {
      const found = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
        name?: string
        version: string
      }
      if (found.name === packageName) return { version: found.version, folder }
    } catch {
      // Not at this level.
    }
  }
  return { version: '0.0.0', folder: undefined }
})()

export const { version } = own

/** The package's folder as a file URL without a trailing slash; undefined where no package.json of ours is found. */
export const packageUrl: string | undefined = own.folder?.href.replace(/\/$/, '')

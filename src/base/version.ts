// Who we are, by package.json, which stands above src/ in the repository and above dist/src/ in the package.

import { readFileSync } from 'node:fs'

const own = (() => {
  for (const up of ['../', '../../']) {
    const folder = new URL(up, import.meta.url)
    try {
      const found = JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as {
        name?: string
        version: string
      }
      if (found.name === 'dragoman') return { version: found.version, folder }
    } catch {
      // Not at this level.
    }
  }
  return { version: '0.0.0', folder: undefined }
})()

export const { version } = own

/** Where this package is, as a URL without a slash at its end; undefined where it is part of something else. */
export const packageUrl: string | undefined = own.folder?.href.replace(/\/$/, '')

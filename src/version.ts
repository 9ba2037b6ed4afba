import { readFileSync } from 'node:fs'

/** From package.json, which stands above src/ in the repository and above dist/src/ in the package. */
export const version: string = (() => {
  for (const up of ['../package.json', '../../package.json']) {
    try {
      const found = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as {
        name?: string
        version: string
      }
      if (found.name === 'dragoman') return found.version
    } catch {
      // Not at this level.
    }
  }
  return '0.0.0'
})()

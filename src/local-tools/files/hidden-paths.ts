// Files and folders inside the root that are invisible to the tools: the gateway's configuration, keys and credentials. They
// are matched by path and by identity, so another name (a hard link, a renamed parent, a case-insensitive file system) does
// not reveal them.

import { realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const identity = ({ dev, ino }: Stats) => `${dev}:${ino}`

export class HiddenPaths {
  readonly #identities = new Map<string, string>()
  readonly #paths: ReadonlySet<string>

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths.flatMap((path) => [resolve(path), realPath(resolve(path))]))
    this.refresh()
  }

  /** A file that is replaced gets a new identity; a missing one keeps its last identity. */
  refresh(): void {
    for (const path of this.#paths) {
      const stat = statIfThere(path)
      if (stat !== undefined) this.#identities.set(path, identity(stat))
    }
  }

  has(path: string, stat?: Stats): boolean {
    if (this.#paths.size === 0) return false
    if (this.#paths.has(path)) return true
    if (stat === undefined) return false
    const id = identity(stat)
    for (const known of this.#identities.values()) if (known === id) return true
    return false
  }
}

function statIfThere(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}

/** For a file that may not exist yet. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

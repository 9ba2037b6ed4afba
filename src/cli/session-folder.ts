// The folder of one session of a client: its files and links, for the owner alone, removed at the end.

import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import type { Session } from '../setup/session.ts'

export class SessionFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'dragoman-launch-'))

  constructor() {
    // Also if the process is ended in between.
    process.once('exit', this.remove)
  }

  write({ files = {}, mirrors = [] }: Session): void {
    for (const [name, text] of Object.entries(files)) {
      const path = join(this.path, name)
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
      writeFileSync(path, text, { mode: 0o600 })
    }
    for (const { of, at } of mirrors) linkAll(resolve(of), join(this.path, at))
  }

  /** Links are removed, not what they point at. */
  readonly remove = (): void => {
    process.off('exit', this.remove)
    rmSync(this.path, { recursive: true, force: true })
  }
}

/** Sockets of running programs stay out: the client would talk to one that has the user's settings. */
function linkAll(from: string, to: string): void {
  const own = new Set(readdirSync(to))
  for (const entry of entriesOf(from)) {
    const isFolder = entry.isDirectory()
    if (own.has(entry.name) || !(isFolder || entry.isFile() || entry.isSymbolicLink())) continue
    symlinkSync(join(from, entry.name), join(to, entry.name), isFolder ? 'junction' : 'file')
  }
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

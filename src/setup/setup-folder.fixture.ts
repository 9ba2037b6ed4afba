// A temporary folder with files and a journal, for the tests of applying and undoing a setup.

import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach } from 'vitest'
import { applyChange, undoEntry } from './apply.ts'
import { openJournal } from './journal.ts'

let folder: string

/** A new folder for each test. Every test file calls it: test files share loaded modules, so hooks set at import run in one file only. */
export function useSetupFolder(): void {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'dragoman-setup-'))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))
}

export const at = (...parts: string[]) => join(folder, ...parts)
export const journalOf = () => openJournal(at('data'))
export const read = (path: string) => readFileSync(path, 'utf8')
export const occasion = { client: 'x', project: undefined, secret: 'dgm_secret', now: new Date(0) }

export function file(name: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(at(name)), { recursive: true })
  writeFileSync(at(name), text)
  chmodSync(at(name), mode)
  return at(name)
}

export const write = (path: string, after: string) =>
  applyChange(journalOf(), { path, before: existsSync(path) ? read(path) : undefined, after }, occasion)

export function undo() {
  const entry = journalOf().entries().at(-1)
  if (!entry) throw new Error('nothing was written')
  return { entry, ...undoEntry(journalOf(), entry) }
}

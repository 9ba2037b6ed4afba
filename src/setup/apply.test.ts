// Files are written atomically and restored byte for byte, with their modes and through links; changes by others are kept.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { applyChange, ChangedMeanwhile, standing, undoEntry } from './apply.ts'
import type { Journal } from './journal.ts'
import { at, file, journalOf, occasion, read, undo, useSetupFolder, write } from './setup-folder.fixture.ts'
import { modeOf, readBytes, targetOf } from './write-file.ts'

useSetupFolder()

describe('a file that was there', () => {
  it('is changed and restored, with its mode', () => {
    const path = file('config.json', 'before\r\n', 0o640)
    write(path, 'after\n')
    expect(read(path)).toBe('after\n')
    expect(modeOf(path)).toBe(0o640)
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before\r\n')
    expect(modeOf(path)).toBe(0o640)
    expect(journalOf().entries()).toEqual([])
    expect(readdirSync(at()).sort()).toEqual(['config.json', 'data'])
    expect(readdirSync(at('data', 'setup'))).toEqual([])
  })

  it('is closed to others while it holds a key', () => {
    const path = file('config.json', 'before')
    write(path, 'with dgm_secret')
    expect(modeOf(path)).toBe(0o600)
    undo()
    expect(modeOf(path)).toBe(0o644)
  })

  it('is closed to others if it holds the key with escapes', () => {
    const secret = 'quote"and\\slash'
    const path = file('config.json', '{}')
    const change = { path, before: '{}', after: JSON.stringify({ key: secret }) }
    applyChange(journalOf(), change, { ...occasion, secret })
    expect(modeOf(path)).toBe(0o600)
  })

  it('stays unchanged if it is read-only', () => {
    const path = file('config.json', 'before', 0o444)
    expect(() => write(path, 'after')).toThrow('is read-only')
    expect(read(path)).toBe('before')
    expect(journalOf().entries()).toEqual([])
    expect(readdirSync(at()).sort()).toEqual(['config.json', 'data'])
  })

  it.runIf(process.getuid?.() === 0)('keeps its owner when root writes it', () => {
    const path = file('config.json', 'before')
    chownSync(path, 1234, 2345)
    write(path, 'after')
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 })
    undo()
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 })
  })

  it('is found through links, which are kept', () => {
    const target = file('dotfiles/config.json', 'before')
    symlinkSync('dotfiles/config.json', at('link'))
    symlinkSync(at('link'), at('link-of-link'))
    write(at('link-of-link'), 'after')
    expect(read(target)).toBe('after')
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
    undo()
    expect(read(target)).toBe('before')
  })

  it('is restored to its state before the first of two setups', () => {
    const path = file('config.json', 'before')
    write(path, 'one')
    write(path, 'two')
    expect(journalOf().entries()).toHaveLength(1)
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before')
  })

  it('is restored to its state before the first of two setups if the second failed', () => {
    const path = file('config.json', 'before')
    write(path, 'one')
    chmodSync(path, 0o400)
    expect(() => write(path, 'two')).toThrow('is read-only')
    chmodSync(path, 0o600)
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before')
  })

  it('is restored to its state before the first of two setups if the second was interrupted', () => {
    const path = file('config.json', 'before')
    write(path, 'one')
    const cutOff = (after: string) => {
      const journal = journalOf()
      const dying: Journal = { ...journal, drop: () => undefined }
      applyChange(dying, { path, before: read(path), after }, occasion)
    }
    // With and without its last step.
    for (const last of ['two', 'one']) {
      cutOff('two')
      file('config.json', last)
      const entry = standing(journalOf(), { ...occasion, path, now: readFileSync(path) })
      if (!entry) throw new Error('no entry stands for it')
      expect(undoEntry(journalOf(), entry).outcome).toBe('restored')
      expect(read(path)).toBe('before')
      write(path, 'one')
    }
  })

  it('is not written if it changes during the backup', () => {
    const path = file('config.json', 'before')
    const journal = journalOf()
    const slow: Journal = {
      ...journal,
      keep(entry, texts) {
        file('config.json', 'theirs')
        return journal.keep(entry, texts)
      },
    }
    expect(() => applyChange(slow, { path, before: 'before', after: 'x' }, occasion)).toThrow(
      ChangedMeanwhile,
    )
    expect(read(path)).toBe('theirs')
    expect(journalOf().entries()).toEqual([])
    expect(readdirSync(at()).sort()).toEqual(['config.json', 'data'])
  })

  it('has a separate entry for each client and folder', () => {
    const path = file('config.json', 'before')
    write(path, 'one')
    applyChange(journalOf(), { path, before: 'one', after: 'two' }, { ...occasion, project: '/p' })
    expect(journalOf().entries()).toHaveLength(2)
    expect(undo().outcome).toBe('restored')
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before')
  })

  it('is not written if it changed after it was shown', () => {
    const path = file('config.json', 'now')
    expect(() => applyChange(journalOf(), { path, before: 'then', after: 'x' }, occasion)).toThrow(
      ChangedMeanwhile,
    )
    expect(read(path)).toBe('now')
    expect(journalOf().entries()).toEqual([])
  })
})

it('a file that cannot be written gives a message and leaves no draft', () => {
  file('a', 'no folder')
  expect(() =>
    applyChange(journalOf(), { path: at('a', 'b'), before: undefined, after: 'x' }, occasion),
  ).toThrow('cannot be written (')
  expect(readdirSync(at()).sort()).toEqual(['a', 'data'])
})

it('pipes and devices are neither read nor replaced', () => {
  execFileSync('mkfifo', [at('pipe')])
  symlinkSync('/dev/null', at('null'))
  for (const name of ['pipe', 'null']) expect(() => readBytes(at(name))).toThrow('is no plain file')
})

describe('a name', () => {
  it('of a missing file is the same once the file exists', () => {
    mkdirSync(at('dotfiles'))
    symlinkSync('dotfiles', at('folder'))
    symlinkSync('none', at('dangling'))
    const before = ['folder/new', 'dangling/new'].map((name) => targetOf(at(name)))
    write(at('folder', 'new'), 'x')
    write(at('dangling', 'new'), 'x')
    expect(['folder/new', 'dangling/new'].map((name) => targetOf(at(name)))).toEqual(before)
    write(at('folder', 'new'), 'y')
    expect(journalOf().entries()).toHaveLength(2)
  })

  it('is the same from every folder', () => {
    expect(targetOf('not/there')).toBe(join(process.cwd(), 'not', 'there'))
  })
})

describe('a file that was not there', () => {
  it('is removed again, with the folders created for it', () => {
    write(at('a', 'b', 'config.json'), 'x')
    expect(undo().outcome).toBe('removed')
    expect(existsSync(at('a'))).toBe(false)
  })

  it('leaves a folder that holds something else', () => {
    write(at('a', 'b', 'config.json'), 'x')
    file('a/other', 'y')
    undo()
    expect(readdirSync(at('a'))).toEqual(['other'])
  })

  it('is readable by its user only if it holds a key', () => {
    write(at('with'), 'dgm_secret')
    write(at('without'), 'x')
    expect(modeOf(at('with'))).toBe(0o600)
    expect(modeOf(at('without'))).toBe(0o666 & ~process.umask())
  })

  it('is not created through circular links', () => {
    symlinkSync(at('two'), at('one'))
    symlinkSync(at('one'), at('two'))
    expect(() =>
      applyChange(journalOf(), { path: at('one'), before: undefined, after: 'x' }, occasion),
    ).toThrow('leads nowhere (ELOOP)')
  })

  it('is created at the target of a dangling link', () => {
    symlinkSync(at('there'), at('link'))
    write(at('link'), 'x')
    expect(read(at('there'))).toBe('x')
    undo()
    expect(existsSync(at('there'))).toBe(false)
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
  })
})

// Files are written whole, and come back to the byte, with their modes, through links; what others changed is not lost.

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { applyChange, ChangedMeanwhile, finishMerge, standing, undoEntry } from './apply.ts'
import { DamagedJournal, type Journal, openJournal } from './journal.ts'
import { modeOf, readBytes, targetOf } from './write-file.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'dragoman-setup-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const at = (...parts: string[]) => join(folder, ...parts)
const journalOf = () => openJournal(at('data'))
const read = (path: string) => readFileSync(path, 'utf8')
const occasion = { client: 'x', project: undefined, secret: 'dgm_secret', now: new Date(0) }

function file(name: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(at(name)), { recursive: true })
  writeFileSync(at(name), text)
  chmodSync(at(name), mode)
  return at(name)
}

const write = (path: string, after: string) =>
  applyChange(journalOf(), { path, before: existsSync(path) ? read(path) : undefined, after }, occasion)

function undo() {
  const entry = journalOf().entries().at(-1)
  if (!entry) throw new Error('nothing was written')
  return { entry, ...undoEntry(journalOf(), entry) }
}

describe('a file that was there', () => {
  it('is changed and comes back, with its mode', () => {
    const path = file('config.json', 'before\r\n', 0o640)
    write(path, 'after\n')
    expect(read(path)).toBe('after\n')
    expect(modeOf(path)).toBe(0o640)
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before\r\n')
    expect(modeOf(path)).toBe(0o640)
    expect(journalOf().entries()).toEqual([])
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'data'])
    expect(readdirSync(at('data', 'setup'))).toEqual([])
  })

  it('is closed to others while a key stands in it', () => {
    const path = file('config.json', 'before')
    write(path, 'with dgm_secret')
    expect(modeOf(path)).toBe(0o600)
    undo()
    expect(modeOf(path)).toBe(0o644)
  })

  it('is closed to others also where the key is written with escapes', () => {
    const secret = 'quote"and\\slash'
    const path = file('config.json', '{}')
    const change = { path, before: '{}', after: JSON.stringify({ key: secret }) }
    applyChange(journalOf(), change, { ...occasion, secret })
    expect(modeOf(path)).toBe(0o600)
  })

  it('that is read-only stays as it is', () => {
    const path = file('config.json', 'before', 0o444)
    expect(() => write(path, 'after')).toThrow('is read-only')
    expect(read(path)).toBe('before')
    expect(journalOf().entries()).toEqual([])
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'data'])
  })

  it.runIf(process.getuid?.() === 0)('stays that of its user when root writes it', () => {
    const path = file('config.json', 'before')
    chownSync(path, 1234, 2345)
    write(path, 'after')
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 })
    undo()
    expect(statSync(path)).toMatchObject({ uid: 1234, gid: 2345 })
  })

  it('is found through links, which stay', () => {
    const target = file('dotfiles/config.json', 'before')
    symlinkSync('dotfiles/config.json', at('link'))
    symlinkSync(at('link'), at('link-of-link'))
    write(at('link-of-link'), 'after')
    expect(read(target)).toBe('after')
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
    undo()
    expect(read(target)).toBe('before')
  })

  it('comes back as it was before the first of two', () => {
    const path = file('config.json', 'before')
    write(path, 'one')
    write(path, 'two')
    expect(journalOf().entries()).toHaveLength(1)
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before')
  })

  it('comes back as it was before the first of two also if the second failed', () => {
    const path = file('config.json', 'before')
    write(path, 'one')
    chmodSync(path, 0o400)
    expect(() => write(path, 'two')).toThrow('is read-only')
    chmodSync(path, 0o600)
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before')
  })

  it('comes back as it was before the first of two also if the second was cut off', () => {
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

  it('is not written when it changes while the backup is made', () => {
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
    expect(readdirSync(folder).sort()).toEqual(['config.json', 'data'])
  })

  it('belongs to whom it was set up for: another client or folder has an entry of its own', () => {
    const path = file('config.json', 'before')
    write(path, 'one')
    applyChange(journalOf(), { path, before: 'one', after: 'two' }, { ...occasion, project: '/p' })
    expect(journalOf().entries()).toHaveLength(2)
    expect(undo().outcome).toBe('restored')
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('before')
  })

  it('is not written when it was changed after it was shown', () => {
    const path = file('config.json', 'now')
    expect(() => applyChange(journalOf(), { path, before: 'then', after: 'x' }, occasion)).toThrow(
      ChangedMeanwhile,
    )
    expect(read(path)).toBe('now')
    expect(journalOf().entries()).toEqual([])
  })
})

it('what cannot be written is a message, and leaves nothing behind', () => {
  file('a', 'no folder')
  expect(() =>
    applyChange(journalOf(), { path: at('a', 'b'), before: undefined, after: 'x' }, occasion),
  ).toThrow('cannot be written (')
  expect(readdirSync(folder).sort()).toEqual(['a', 'data'])
})

it('what is no file is neither waited for nor replaced', () => {
  execFileSync('mkfifo', [at('pipe')])
  symlinkSync('/dev/null', at('null'))
  for (const name of ['pipe', 'null']) expect(() => readBytes(at(name))).toThrow('is no plain file')
})

describe('a name', () => {
  it('of what is not there yet is the one that it has later', () => {
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
  it('is gone again, with the folders that were made for it', () => {
    write(at('a', 'b', 'config.json'), 'x')
    expect(undo().outcome).toBe('removed')
    expect(existsSync(at('a'))).toBe(false)
  })

  it('leaves a folder in which something else is', () => {
    write(at('a', 'b', 'config.json'), 'x')
    file('a/other', 'y')
    undo()
    expect(readdirSync(at('a'))).toEqual(['other'])
  })

  it('is for its user alone if a key stands in it', () => {
    write(at('with'), 'dgm_secret')
    write(at('without'), 'x')
    expect(modeOf(at('with'))).toBe(0o600)
    expect(modeOf(at('without'))).toBe(0o666 & ~process.umask())
  })

  it('is not made where links lead in a circle', () => {
    symlinkSync(at('two'), at('one'))
    symlinkSync(at('one'), at('two'))
    expect(() =>
      applyChange(journalOf(), { path: at('one'), before: undefined, after: 'x' }, occasion),
    ).toThrow('leads nowhere (ELOOP)')
  })

  it('is made where a link to nowhere points', () => {
    symlinkSync(at('there'), at('link'))
    write(at('link'), 'x')
    expect(read(at('there'))).toBe('x')
    undo()
    expect(existsSync(at('there'))).toBe(false)
    expect(lstatSync(at('link')).isSymbolicLink()).toBe(true)
  })
})

describe('a file that was changed since', () => {
  it('loses what was added and keeps the rest, once that is agreed to', () => {
    const path = file('config', 'a\nb\n')
    write(path, 'a\nours\nb\n')
    file('config', 'a\nours\nb\ntheirs\n')
    const undone = undo()
    expect(undone).toMatchObject({ outcome: 'merged', without: 'a\nb\ntheirs\n' })
    expect(read(path)).toBe('a\nours\nb\ntheirs\n')
    if (undone.outcome !== 'merged') return
    finishMerge(journalOf(), undone.entry, undone)
    expect(read(path)).toBe('a\nb\ntheirs\n')
    expect(journalOf().entries()).toEqual([])
  })

  it('is left alone where both changed the same; what was before is kept', () => {
    const path = file('config', 'a\nb\n')
    write(path, 'a\nours\nb\n')
    file('config', 'a\nOURS!\nb\n')
    const { entry, outcome } = undo()
    expect(outcome).toBe('refused')
    expect(read(path)).toBe('a\nOURS!\nb\n')
    expect(read(journalOf().backupOf(entry))).toBe('a\nb\n')
  })

  it('is left alone where the rest could not be read', () => {
    const path = file('config.json', '{\n  "a": 1,\n}\n')
    write(path, '{\n  "a": 1,\n  "ours": {\n  },\n}\n')
    file('config.json', '{\n  "a": 1,\n  "ours": {\n  },\n  "b": {}\n}\n')
    expect(undo()).toMatchObject({ outcome: 'merged', without: '{\n  "a": 1,\n  "b": {}\n}\n' })
    file('config.json', '{\n  "a": 1,\n  "ours": {\n  },\n  half\n}\n')
    expect(undo().outcome).toBe('refused')
  })

  it('is left alone if it is gone', () => {
    const path = file('config', 'a\n')
    write(path, 'b\n')
    rmSync(path)
    expect(undo().outcome).toBe('refused')
    expect(existsSync(path)).toBe(false)
  })

  it('has nothing to undo if it is again as it was', () => {
    const path = file('config', 'a\n')
    write(path, 'b\n')
    file('config', 'a\n')
    expect(undo().outcome).toBe('nothing')
    expect(journalOf().entries()).toEqual([])
  })

  it('and set up again comes back step by step', () => {
    const path = file('config', 'a\n')
    write(path, 'a\nours\n')
    file('config', 'mine\na\nours\n')
    write(path, 'mine\na\nours too\n')
    expect(undo().outcome).toBe('restored')
    expect(read(path)).toBe('mine\na\nours\n')
    expect(undo()).toMatchObject({ outcome: 'merged', without: 'mine\na\n' })
  })
})

describe('the journal', () => {
  it('keeps both of two that write at once', () => {
    const [one, two] = [journalOf(), journalOf()]
    const between: Journal = {
      ...one,
      keep(entry, texts) {
        applyChange(two, { path: at('b'), before: undefined, after: 'x' }, occasion)
        return one.keep(entry, texts)
      },
    }
    applyChange(between, { path: at('a'), before: undefined, after: 'x' }, occasion)
    expect(
      journalOf()
        .entries()
        .map(({ path }) => path)
        .sort(),
    ).toEqual([at('a'), at('b')])
  })

  it('counts on beyond ten', () => {
    const path = file('config', '0\n')
    for (let n = 1; n <= 12; n++) {
      file('config', `${n}\n`)
      write(path, `${n}\nours\n`)
    }
    for (let n = 12; n >= 1; n--) {
      expect(undo().outcome).toBe('restored')
      expect(read(path)).toBe(`${n}\n`)
      file('config', `${n - 1}\nours\n`)
    }
  })

  it('is for its user alone', () => {
    write(file('config', 'dgm_old'), 'dgm_secret')
    for (const name of readdirSync(at('data', 'setup'))) expect(modeOf(at('data', 'setup', name))).toBe(0o600)
  })

  it('that is damaged is not guessed at', () => {
    write(file('config', 'a'), 'b')
    const [entry] = journalOf().entries()
    writeFileSync(at('data', 'setup', `${entry?.id}-entry.json`), '{}')
    expect(() => undo()).toThrow(DamagedJournal)
    expect(() => write(at('config'), 'c')).toThrow(DamagedJournal)
    expect(read(at('config'))).toBe('b')
  })

  it('misses what was taken from it', () => {
    write(file('config', 'a'), 'b')
    const [entry] = journalOf().entries()
    if (entry) rmSync(journalOf().backupOf(entry))
    expect(() => undo()).toThrow(DamagedJournal)
    expect(read(at('config'))).toBe('b')
    // Which does not keep it from being set up again.
    write(at('config'), 'c')
    expect(undo().outcome).toBe('restored')
    expect(read(at('config'))).toBe('b')
  })
})

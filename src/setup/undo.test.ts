import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { applyChange, finishMerge } from './apply.ts'
import { DamagedJournal, type Journal } from './journal.ts'
import { at, file, journalOf, occasion, read, undo, useSetupFolder, write } from './setup-folder.fixture.ts'
import { modeOf } from './write-file.ts'

useSetupFolder()

describe('a file that was changed since', () => {
  it('loses what setup added and keeps the rest, after consent', () => {
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

  it('is left alone if both changed the same lines; the backup is kept', () => {
    const path = file('config', 'a\nb\n')
    write(path, 'a\nours\nb\n')
    file('config', 'a\nOURS!\nb\n')
    const { entry, outcome } = undo()
    expect(outcome).toBe('refused')
    expect(read(path)).toBe('a\nOURS!\nb\n')
    expect(read(journalOf().backupOf(entry))).toBe('a\nb\n')
  })

  it('is left alone if the rest cannot be parsed', () => {
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

  it('has nothing to undo if it has its old content again', () => {
    const path = file('config', 'a\n')
    write(path, 'b\n')
    file('config', 'a\n')
    expect(undo().outcome).toBe('nothing')
    expect(journalOf().entries()).toEqual([])
  })

  it('is restored step by step after a second setup', () => {
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
  it('keeps both of two concurrent setups', () => {
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

  it('sorts numerically beyond ten entries', () => {
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

  it('is readable by its user only', () => {
    write(file('config', 'dgm_old'), 'dgm_secret')
    for (const name of readdirSync(at('data', 'setup'))) expect(modeOf(at('data', 'setup', name))).toBe(0o600)
  })

  it('is refused if it is damaged', () => {
    write(file('config', 'a'), 'b')
    const [entry] = journalOf().entries()
    writeFileSync(at('data', 'setup', `${entry?.id}-entry.json`), '{}')
    expect(() => undo()).toThrow(DamagedJournal)
    expect(() => write(at('config'), 'c')).toThrow(DamagedJournal)
    expect(read(at('config'))).toBe('b')
  })

  it('notices missing entries', () => {
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

import { mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isNightly } from '../../test/depth.ts'
import { Scrubber } from '../observe/scrub.ts'
import { Recorder, type RecorderOptions } from './recorder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorder-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function recorder(options: Partial<RecorderOptions> = {}) {
  const errors: unknown[] = []
  const made = new Recorder({
    ...{ folder, record: 'all', maxBytes: 1_000_000, keepBytes: 1_000_000, scrubber: new Scrubber() },
    onError: (error) => errors.push(error),
    ...options,
  })
  return { errors, made }
}

function record(by: Recorder, id: string, characters = 100): void {
  const tape = by.begin({ turnId: `turn_${id}`, asked: false })
  tape?.add({ side: 'client', do: 'write', text: 'x'.repeat(characters) })
  tape?.add({ side: 'client', do: 'end' })
  tape?.add({ side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 })
}

const turnsIn = async () =>
  (await readdir(folder)).sort().map((name) => name.replace(/^.*-turn_|\.jsonl$/g, ''))

describe('Recorder', () => {
  it('has written tapes that were added during a flush when the flush resolves', async () => {
    const { made } = recorder({ onWritten: (path) => path.includes('first') && record(made, 'second') })
    record(made, 'first')
    await made.flush()
    expect(await turnsIn()).toEqual(['first', 'second'])
  })

  it('makes room while other processes do the same', async () => {
    const recorders = Array.from({ length: 4 }, () => recorder({ keepBytes: 4_000 }))
    for (let nth = 0; nth < 20; nth++)
      for (const [whose, { made }] of recorders.entries()) record(made, `${nth}of${whose}`, 1_000)
    await Promise.all(recorders.map(({ made }) => made.flush()))
    expect(recorders.flatMap(({ errors }) => errors)).toEqual([])
    const left = (await readdir(folder)).length
    expect(left).toBeGreaterThan(0)
    expect(left).toBeLessThan(12)
  })

  it('keeps the newest tape, whatever the clock says', async () => {
    await writeFile(join(folder, '29990101T000000000Z-turn_future.jsonl'), 'x'.repeat(5_000))
    const { made } = recorder({ keepBytes: 2_000 })
    record(made, 'now')
    await made.flush()
    expect(await turnsIn()).toEqual(['now'])
  })

  it('leaves other files alone, and removes stale drafts', async () => {
    const [old, young] = ['20200101T000000000Z-turn_old', '20200101T000000000Z-turn_young']
    for (const name of [`.${old}.jsonl.draft`, `.${young}.jsonl.draft`, 'notes.jsonl'])
      await writeFile(join(folder, name), 'x'.repeat(5_000))
    await utimes(join(folder, `.${old}.jsonl.draft`), 1, 1)
    await symlink('/nowhere', join(folder, `${young}.jsonl`))
    const { errors, made } = recorder({ keepBytes: 2_000 })
    record(made, 'now')
    await made.flush()
    expect(errors).toEqual([])
    const names = await readdir(folder)
    expect(names).toContain('notes.jsonl')
    expect(names).toContain(`.${young}.jsonl.draft`)
    expect(names).not.toContain(`.${old}.jsonl.draft`)
  })

  it.runIf(isNightly)('drops tapes while the disk is too slow, reports that once, and recovers', async () => {
    const { errors, made } = recorder({ maxBytes: 50_000_000, keepBytes: 1_000_000_000 })
    for (const id of ['a', 'b', 'c', 'd', 'e']) record(made, id, 40_000_000)
    await made.flush()
    expect(await turnsIn()).toEqual(['a', 'b'])
    expect(errors).toEqual([
      expect.objectContaining({ message: expect.stringContaining('tapes are dropped') }),
    ])
    record(made, 'f')
    await made.flush()
    expect(await turnsIn()).toEqual(['a', 'b', 'f'])
  })

  it('fails no turn if the folder cannot be written', async () => {
    await writeFile(join(folder, 'file'), 'kept')
    const { errors, made } = recorder({ folder: join(folder, 'file') })
    record(made, 'a')
    await made.flush()
    expect(errors).toHaveLength(1)
    expect(await readFile(join(folder, 'file'), 'utf8')).toBe('kept')
  })
})

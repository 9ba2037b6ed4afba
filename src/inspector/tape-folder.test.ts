import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Scrubber } from '../observe/scrub.ts'
import { Summaries } from './summaries.ts'
import { TapeFolder } from './tape-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapes-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const tape = (turn: string, said = 'hello', head: object = {}) =>
  [
    { tape: 1, dragoman: '0', recordedAt: '2026-11-16T04:38:29.152Z', origin: 'recorded', ...head },
    { side: 'gateway', do: 'begin', door: 'openai-chat', model: 'm', stream: true, key: 'me', createdAt: 1 },
    {
      side: 'client',
      do: 'request',
      method: 'POST',
      path: '/v1/chat/completions',
      headers: {},
      body: asked(said),
    },
    { side: 'client', do: 'write', text: `data: {"choices":[{"delta":{"content":"${said} back"}}]}\n\n` },
    { side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 2 },
  ]
    .map((line) => `${JSON.stringify('tape' in line ? line : { at: 5, turn, ...line })}\n`)
    .join('')

const asked = (said: string) => JSON.stringify({ messages: [{ role: 'user', content: said }] })

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)

async function read(path = folder) {
  const shelf = new TapeFolder(path)
  const summaries = new Summaries(100, (text) => new Scrubber().scrub(text))
  await shelf.read((kept) => void summaries.of(kept))
  return { shelf, summaries: shelf.all().map((kept) => summaries.of(kept)) }
}

describe('a folder of tapes', () => {
  it('is a shelf of finished turns', async () => {
    write('a.jsonl', tape('turn_a', 'first'))
    write('b.jsonl', tape('turn_b', 'second') + tape('turn_c', 'third', { cut: true }))
    write('notes.txt', 'not a tape')
    const { summaries, shelf } = await read()
    expect(summaries.map(({ id, title, cut }) => [id, title, cut])).toEqual([
      ['turn_a', 'first', false],
      ['turn_b', 'second', false],
      ['turn_c', 'third', true],
    ])
    expect(summaries[0]).toMatchObject({ running: false, outcome: 'stop', milliseconds: 5, firstOutputMs: 5 })
    expect(shelf.get('turn_b')?.tape.segments).toMatchObject([{ kind: 'text', preview: 'second back' }])
    expect(shelf.get('turn_none')).toBeUndefined()
  })

  it('may be one file', async () => {
    write('one.jsonl', tape('turn_a'))
    expect((await read(join(folder, 'one.jsonl'))).summaries).toHaveLength(1)
  })

  it.each([
    ['is empty', '', 'is empty'],
    ['was cut off', tape('turn_a').slice(0, -20), 'is cut off'],
    ['is of a newer version', tape('turn_a', 'x', { tape: 2 }), 'update it'],
    ['is something else', '{"messages":[]}\n', 'a list of conversations'],
    ['is binary', 'a\0b', 'it is binary'],
  ])('says of a file that %s what is wrong', async (_name, text, words) => {
    write('bad.jsonl', text)
    write('good.jsonl', tape('turn_good'))
    const { summaries } = await read()
    expect(summaries).toHaveLength(2)
    expect(summaries[0]).toMatchObject({
      model: 'bad.jsonl',
      error: { code: 'unreadable-tape', message: expect.stringContaining(words) },
    })
  })

  it('says of a huge file what reads it', async () => {
    write('huge.jsonl', tape('turn_a'))
    truncateSync(join(folder, 'huge.jsonl'), 100 * 1024 * 1024)
    const [huge] = (await read()).summaries
    expect(huge?.error?.message).toContain('is 100 MiB long')
    expect(huge?.error?.message).toContain('dragoman tape show')
  })

  it('says that secrets are masked', async () => {
    write('leak.jsonl', tape('turn_a', `sk-ant-api03-${'k3yOfSomeone'.repeat(6)}`))
    const { shelf, summaries } = await read()
    expect(shelf.get('turn_a')?.remark).toMatch(/^\d+ places? that looked like a secret: masked\.$/)
    expect(JSON.stringify(summaries)).not.toContain('k3yOfSomeone')
  })

  it('gives the same turn of two files, and strange ones, names of their own', async () => {
    write('a.jsonl', tape('turn_a'))
    write('b.jsonl', tape('turn_a') + tape('../../etc'))
    expect((await read()).summaries.map(({ id }) => id)).toEqual(['turn_a', 'turn_ax2', 'turn_unnamed'])
  })

  it('survives a file that changes or goes while it is open', async () => {
    write('a.jsonl', tape('turn_a'))
    write('b.jsonl', tape('turn_b') + tape('turn_c'))
    const shelf = new TapeFolder(folder, { maxBytes: 0 })
    await shelf.read(() => undefined)
    expect(shelf.get('turn_a')?.tape.frames).toHaveLength(4)
    rmSync(join(folder, 'a.jsonl'))
    write('b.jsonl', tape('turn_b'))
    const ends = ['turn_a', 'turn_c'].map((id) => shelf.get(id)?.tape.frames.at(-1))
    expect(ends).toMatchObject([
      { error: { message: 'a.jsonl cannot be read (ENOENT).' } },
      { error: { message: 'b.jsonl has changed since it was opened.' } },
    ])
  })

  it('must exist', () => {
    expect(() => new TapeFolder(join(folder, 'none')).files()).toThrow('there is no such folder or file')
  })
})

// A turn in which the gateway ran tools of its own replays from the tape: nothing is run again.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { isNightly } from '../depth.ts'
import { user } from '../harness.ts'
import { expectEqual } from './equal.ts'
import { asked, recorded } from './recorded.ts'

const models = ['anthropic/claude-opus-5', 'openai/gpt-4o', 'text/text-demo', 'cursor/composer-2']
const rows = models
  .flatMap((model) => [true, false].map((stream) => [model, stream ? 'streamed' : 'whole'] as const))
  .filter((_row, at) => isNightly || at % 5 === 0)

it.each(rows)('%s, %s', async (model, how) => {
  const root = mkdtempSync(join(tmpdir(), 'dragoman-root-'))
  const file = join(root, 'notes.txt')
  try {
    writeFileSync(file, 'before')
    const prompt = 'Write "hello there" to notes.txt, then read notes.txt'
    const tapes = await recorded(
      async (bench) => {
        const body = { model, stream: how === 'streamed', messages: [user(prompt)] }
        await asked(bench, '/v1/chat/completions', body)
      },
      { settings: { exec: { enabled: true, root } } },
    )
    expect(readFileSync(file, 'utf8').trim()).toBe('hello there')
    writeFileSync(file, 'after')
    expect(tapes.map(({ head }) => head.replay)).toEqual(['yes'])
    expect(tapes[0]?.frames.filter(({ side }) => side === 'tool').map((frame) => frame.do)).toContain('end')
    await expectEqual(tapes)
    expect(readFileSync(file, 'utf8')).toBe('after')
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

it('without the results on the tape, it is refused', async () => {
  const root = mkdtempSync(join(tmpdir(), 'dragoman-root-'))
  try {
    const [tape] = await recorded(
      async (bench) => {
        const body = { model: 'openai/gpt-4o', messages: [user('Hello')] }
        await asked(bench, '/v1/chat/completions', body)
      },
      { settings: { exec: { enabled: true, root } } },
    )
    const frames = tape?.frames.filter(({ side }) => side !== 'tool') ?? []
    await expect(expectEqual(tape ? [{ ...tape, frames }] : [])).rejects.toThrow(
      "it used the gateway's local tools, whose results are not on the tape",
    )
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

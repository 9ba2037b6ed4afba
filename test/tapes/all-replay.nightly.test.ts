// The turns of the wire cases, of the fault cases and of the contracts replay as recorded, and the inspector's comparison shows what
// their notes say: another run of these tests records them.

import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { tallyOf } from './equal.ts'

const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
const root = fileURLToPath(new URL('../..', import.meta.url))

/** The reasons that a head may name. */
const reasons = [
  "no: it refers to an item of an earlier answer by the service's own id",
  'no: it continues an earlier answer of its WebSocket connection',
  'no: no backend was reached',
  'no: the model was unknown, and a tape does not hold the list of models',
  'no: part of the tape is missing: the turn was too long (raise "tapes.maxBytes"), or an earlier turn was not recorded',
  "no: the client's answer is missing",
]

/** The folders of the tests, at least so many turns, and whether the comparison must show all notes: answers that fail have no rows. */
const rows: [folders: string[], turns: number, isCompared: boolean][] = [
  [['test/wire-cases'], 2_000, true],
  [['test/faults', 'test/malformed-calls', 'test/clients'], 2_400, false],
]

/** All of them are among the replayed turns. */
const sides = [
  ...['openai-chat', 'openai-responses', 'anthropic-messages', 'gemini', 'ollama'].map(
    (door) => `door ${door}`,
  ),
  ...['anthropic', 'cursor', 'gemini', 'openai'].map((kind) => `kind ${kind}`),
]

/** It breaks rules of the gateway on purpose. */
const without = ['--exclude', '**/mutations.test.ts']

/** Of each row, chosen by the seed. */
const mostReplayed = 600

it.each(rows)('every turn of %s', async (folders, turns, isCompared) => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-tapes-'))
  try {
    const { NIGHTLY: _nightly, VITEST: _vitest, ...environment } = process.env
    const env = { ...environment, TAPES_OF_TESTS: folder }
    const run = spawnSync(process.execPath, [vitest, 'run', ...folders, ...without], {
      ...{ cwd: root, env, encoding: 'utf8' },
    })
    expect(run.status, run.stdout.slice(-500) + run.stderr.slice(0, 4_000)).toBe(0)
    const { tapes, noted, replayed, different, unseen, notReplayable } = await tallyOf(folder, mostReplayed)
    expect(different).toEqual([])
    if (isCompared) expect(unseen).toEqual([])
    expect(noted).toBeGreaterThan(200)
    expect(Object.keys(notReplayable).filter((reason) => !reasons.includes(reason))).toEqual([])
    expect(tapes).toBeGreaterThan(turns)
    expect(sides.filter((side) => !((replayed[side] ?? 0) > 3))).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

// The turns of the conformance cases, failures among them, replay as recorded, and the inspector's comparison shows what their notes
// say: 24 cases by day, all of them nightly.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allCases } from '../../src/judge/conform/cases/all.ts'
import { upstreamKinds } from '../../src/judge/conform/upstream/played.ts'
import { startJudged } from '../conform/judge.ts'
import { isNightly, spread } from '../depth.ts'
import { tallyOf } from './equal.ts'

const cases = spread(
  allCases.map(({ id }) => id),
  24,
)

const unknownModel = 'no: the model was unknown, and a tape does not hold the list of models'

/** So many turns have the cases at all doors. */
const turns: Record<string, number> = { openai: 700, anthropic: 700 }

it.each(spread(upstreamKinds, 1))(
  'every turn before a scripted %s upstream',
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-tapes-'))
    try {
      const judged = await startJudged(kind, { tapes: { record: 'all' } }, { tapeFolder: folder })
      await judged.judge(undefined, { only: cases }).finally(() => judged.close())
      const { tapes, noted, different, unseen, notReplayable } = await tallyOf(folder, 500)
      expect(different).toEqual([])
      expect(unseen).toEqual([])
      expect(Object.keys(notReplayable)).toEqual(isNightly ? [unknownModel] : [])
      expect(noted).toBeGreaterThan(isNightly ? 20 : 0)
      expect(tapes).toBeGreaterThan(isNightly ? (turns[kind] ?? 0) : 50)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  },
  600_000,
)

// Replays tapes, and tells which are not equal, and which notes the inspector's comparison does not show.

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { checkReplayable } from '../../src/replay/check-replayable.ts'
import { replay } from '../../src/replay/replay.ts'
import { withEarlier } from '../../src/tapes/earlier-turns.ts'
import { tapeFiles } from '../../src/tapes/folder.ts'
import { type ReadTape, readTapeFile, type TapeFile } from '../../src/tapes/read.ts'
import { gatewayFrames } from '../../src/tapes/summary.ts'
import { share } from '../depth.ts'
import { unseenNotes } from '../inspector/unseen-notes.ts'

/** No difference, and nothing that was otherwise upstream. */
export async function expectEqual(tapes: readonly ReadTape[]): Promise<void> {
  for (const tape of tapes) checkReplayable(tape, 'tape')
  const { turns, remarks } = await replay(tapes)
  expect({ differences: turns.flatMap(({ difference }) => difference ?? []), remarks }).toEqual({
    differences: [],
    remarks: [],
  })
  expect(turns.map(({ turn }) => turn)).toEqual(tapes.map(({ turn }) => turn))
}

export interface Tally {
  tapes: number
  /** Tapes with notes. */
  noted: number
  /** How many turns were replayed, by the door and by the kind of each backend. */
  replayed: Record<string, number>
  /** In words that a failed test shows. */
  different: string[]
  /** Notes that the comparison of both sides does not show. */
  unseen: string[]
  /** What the heads say: how many tapes for each reason. */
  notReplayable: Record<string, number>
}

/**
 * Looks at every tape of the folder and of its folders, and replays them, each with the tapes that it depends on: all, or `most` of
 * them, chosen by the seed of the run.
 */
export async function tallyOf(folder: string, most = Number.POSITIVE_INFINITY): Promise<Tally> {
  const tally: Tally = { tapes: 0, noted: 0, replayed: {}, different: [], unseen: [], notReplayable: {} }
  const { different, notReplayable } = tally
  const paths = [folder, ...foldersIn(folder)].flatMap((one) => tapeFiles(one))
  const chosen = new Set(share(paths, most))
  const unseen = new Set<string>()
  for (const path of paths) {
    const file = readTapeFile(path)
    tally.tapes += file.tapes.length
    for (const { head, turn, frames } of file.tapes) {
      if (head.replay !== 'yes')
        notReplayable[head.replay ?? 'unsaid'] = (notReplayable[head.replay ?? 'unsaid'] ?? 0) + 1
      else if (chosen.has(path)) {
        for (const name of sidesOf(frames)) tally.replayed[name] = (tally.replayed[name] ?? 0) + 1
        different.push(...(await differencesOf(file, turn)))
      }
      if (gatewayFrames(frames, 'note').length === 0) continue
      tally.noted++
      for (const problem of await unseenNotes(frames)) unseen.add(problem)
    }
  }
  tally.unseen.push(...unseen)
  return tally
}

const sidesOf = (frames: ReadTape['frames']) =>
  new Set([
    ...gatewayFrames(frames, 'begin').map(({ door }) => `door ${door}`),
    ...gatewayFrames(frames, 'target').map(({ kind }) => `kind ${kind}`),
  ])

const foldersIn = (folder: string) =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))

async function differencesOf(file: TapeFile, turn: string): Promise<string[]> {
  // A client may name an answer that never was.
  const { turns, remarks } = await replay(withEarlier(file, turn, { missing: 'left out' }))
  const different = turns.flatMap(({ difference }) =>
    difference ? [`${difference.one?.text} became ${difference.other?.text}`] : [],
  )
  return [...different, ...remarks].map((words) => `${nameOf(file, turn)}: ${words}`)
}

/** The model, which names the case in the conformance run. */
function nameOf({ path, tapes }: TapeFile, turn: string): string {
  const begin = tapes.find((tape) => tape.turn === turn)?.frames.find((frame) => frame.do === 'begin')
  return `${path.split('/').at(-1)} (${begin && 'model' in begin ? begin.model : ''})`
}

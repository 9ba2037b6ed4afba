import { out, outJson } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import { checkReplayable } from '../replay/check-replayable.ts'
import { type Replayed, type ReplayResult, replay as replayTapes } from '../replay/replay.ts'
import { withEarlier } from '../tapes/earlier-turns.ts'
import { plural } from '../tapes/format.ts'
import { tapesOf, withTapeErrors } from './tape.ts'
import { differenceWords } from './tape-diff.ts'

interface ReplayFlags {
  folder?: string
  speed?: number
  json?: boolean
}

export function replay(wanted: string, flags: ReplayFlags): Promise<void> {
  return withTapeErrors(async () => {
    const { file, turn } = tapesOf(wanted, flags.folder)
    const tapes = withEarlier(file, turn)
    for (const tape of tapes) checkReplayable(tape, file.path)
    const result = await withProgress('replaying', replayTapes(tapes, { speed: flags.speed ?? 0 }))
    if (flags.json) outJson({ ...result, turns: result.turns.map(({ frames: _frames, ...turn }) => turn) })
    else out(words(result))
    if (result.turns.some(({ difference }) => difference)) process.exitCode = 1
  })
}

function words({ turns, remarks }: ReplayResult): string {
  return [...turns.map(turnWords), ...remarks.map((remark) => `remark: ${remark}\n`)].join('')
}

function turnWords({ turn, bytes, writes, difference }: Replayed): string {
  return difference === undefined
    ? `${turn}: the client side is equal to the byte (${plural(bytes, 'byte')}, ${plural(writes, 'write')})\n`
    : `${turn}: ${differenceWords(difference, { one: 'recorded', other: 'now' })}`
}

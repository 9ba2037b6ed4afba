// `dragoman tape`: finds tapes and lists them; tape-show, tape-diff, tape-replay and tape-export have the other commands.

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { visibleLine } from '../base/visible-text.ts'
import { ConfigError } from '../config/config-error.ts'
import { readEnvironment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import { CommandError } from '../process/command-error.ts'
import { out, outJson } from '../process/output.ts'
import { findTape, tapeFiles, tapeFolder } from '../tapes/folder.ts'
import { duration, inLine, size, table } from '../tapes/format.ts'
import { type ReadTape, readTapeFile, TapeError, type TapeFile } from '../tapes/read.ts'
import { summaryOf, type TapeSummary } from '../tapes/summary.ts'

const badInput = 2

/** A bad tape is an error message, not a crash. The message may quote the tape, which can come from anyone. */
export async function withTapeErrors<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof TapeError ? new CommandError(error.message, badInput) : error
  }
}

/** The configured folder, else the default one. */
function usualFolder(): string {
  const environment = readEnvironment()
  try {
    return (
      loadConfig(undefined, environment, { unset: 'kept' }).config.tapes.folder ?? tapeFolder(environment)
    )
  } catch (error) {
    if (error instanceof ConfigError) return tapeFolder(environment)
    throw error
  }
}

/** The tapes in a file, or the tape of a turn. */
export function tapesOf(
  wanted: string,
  folder = usualFolder(),
): { file: TapeFile; tapes: ReadTape[]; turn?: string } {
  const file = findTape(wanted, folder)
  const own = file.tapes.filter((tape) => tape.turn === wanted)
  return own.length > 0 ? { file, tapes: own, turn: wanted } : { file, tapes: file.tapes }
}

interface Listed {
  path: string
  bytes?: number
  tapes: TapeSummary[]
  damaged?: string
}

export function list(folder: string | undefined, { json }: { json?: boolean }): Promise<void> {
  return withTapeErrors(() => {
    const where = resolve(folder ?? usualFolder())
    if (folder !== undefined && !existsSync(where)) throw new TapeError(where, 'there is no such folder')
    const found = tapeFiles(where).map(listed)
    if (json) return outJson({ folder: where, tapes: found })
    if (found.length === 0) return out(`no tapes in ${where}; \`dragoman serve --record\` makes some\n`)
    out(table([headings, ...found.flatMap(rowsOf)]))
  })
}

function listed(path: string): Listed {
  try {
    const { bytes, tapes } = readTapeFile(path)
    return { path, bytes, tapes: tapes.map(summaryOf) }
  } catch (error) {
    if (!(error instanceof TapeError)) throw error
    return { path, tapes: [], damaged: error.problem }
  }
}

const headings = ['TIME', 'TURN', 'DOOR', 'MODEL', 'OUTCOME', 'CALLS', 'TOOK', 'SIZE']

/** A tape that is cut cannot be replayed either. */
function outcomeOf({ outcome, cut, notReplayable }: TapeSummary): string {
  if (cut) return `${outcome} (cut)`
  return notReplayable === undefined ? outcome : `${outcome} (no replay)`
}

function rowsOf({ path, bytes = 0, tapes, damaged }: Listed): string[][] {
  if (damaged !== undefined) return [['damaged', visibleLine(path), '', '', inLine(damaged, 120)]]
  return tapes.map((tape, at) =>
    [
      tape.recordedAt.replace(/\.\d+Z$/, 'Z'),
      tape.turn,
      tape.door,
      tape.target === undefined || tape.target === tape.model ? tape.model : `${tape.model} → ${tape.target}`,
      outcomeOf(tape),
      String(tape.calls),
      duration(tape.milliseconds),
      at === 0 ? size(bytes) : '',
    ].map((cell) => inLine(cell, 120)),
  )
}

import { visibleLine } from '../base/visible-text.ts'
import { CommandError } from '../process/command-error.ts'
import { err, outData } from '../process/output.ts'
import { missingFrom, withEarlier } from '../tapes/earlier-turns.ts'
import { findSecrets, withoutSecrets } from '../tapes/find-secrets.ts'
import { plural, size } from '../tapes/format.ts'
import { linesOf, writeTapeFile } from '../tapes/tape-file.ts'
import { tapesOf, withTapeErrors } from './tape.ts'

interface ExportFlags {
  folder?: string
  output?: string
  scrub?: boolean
}

export function exportTape(wanted: string, flags: ExportFlags): Promise<void> {
  return withTapeErrors(() => {
    const { file, turn } = tapesOf(wanted, flags.folder)
    const tapes = withEarlier(file, turn, { missing: 'left out' })
    const found = tapes.flatMap((tape) =>
      findSecrets(tape).map(
        ({ line, place, what }) => `${tape.turn}, line ${line}, ${place}: looks like ${what}`,
      ),
    )
    if (found.length > 0 && !flags.scrub)
      throw new CommandError(
        `${file.path}: nothing was written, for secrets would be in it:\n  ${found.join('\n  ')}\n--scrub puts filler in their places.`,
      )
    const text = linesOf(found.length > 0 ? tapes.map(withoutSecrets) : tapes)
    for (const missing of missingFrom(tapes))
      err(`the tape of ${missing} is not there: this one can be shown, but not replayed\n`)
    if (flags.output === undefined) return outData(text)
    writeTapeFile(flags.output, text)
    const scrubbed = found.length > 0 ? `, ${plural(found.length, 'secret')} replaced` : ''
    err(
      `${visibleLine(flags.output)}: ${plural(tapes.length, 'turn')}, ${size(Buffer.byteLength(text))}${scrubbed}\n`,
    )
  })
}

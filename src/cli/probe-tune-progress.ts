// The progress of a tune: on a terminal one line that changes for each combination, elsewhere a line now and then.

import { duration, grouped } from '../judge/probe/card-text.ts'
import type { Figures } from '../judge/probe/tune/measure.ts'
import { err, overwrite } from '../process/output.ts'

/** Tasks between two lines, where lines stay. */
const everyTasks = 10

interface TuneProgress {
  /** A combination begins. */
  begin(name: string): void
  onFigures(figures: Figures): void
  /** The combination is over: the line that stays. */
  end(line: string): void
}

export function showTuneProgress(): TuneProgress {
  const isTerminal = process.stderr.isTTY === true
  let name = ''
  const show = (line: string) => {
    if (isTerminal) overwrite(`  …   ${line}`.slice(0, (process.stderr.columns || 80) - 1))
    else err(`  …   ${line}\n`)
  }
  return {
    begin(combination) {
      name = combination
      show(name)
    },
    onFigures(figures) {
      if (isTerminal || figures.total % everyTasks === 0) show(`${name}: ${soFar(figures)}`)
    },
    end(line) {
      overwrite('')
      err(`  ${line}\n`)
    },
  }
}

const soFar = ({
  total,
  planned,
  passed,
  atMost,
  inputTokens,
  outputTokens,
  milliseconds,
}: Figures): string =>
  `${total} of ${planned}, ${passed} passed, score at most ${atMost.toFixed(1)}, ${grouped(inputTokens + outputTokens)} tokens, ${duration(milliseconds / 1000)}`

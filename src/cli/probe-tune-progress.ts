// The progress of a tune: on a terminal one line that changes for each combination, elsewhere a line now and then.

import { visible } from '../base/visible-text.ts'
import { duration, grouped } from '../judge/probe/card-text.ts'
import type { Figures } from '../judge/probe/tune/measure.ts'

/** Tasks between two lines, where lines stay. */
const everyTasks = 10

export interface TuneProgress {
  /** A combination begins. */
  begin(name: string): void
  onFigures(figures: Figures): void
  /** The combination is over: the line that stays. */
  end(line: string): void
}

export function showTuneProgress(out: NodeJS.WriteStream = process.stderr): TuneProgress {
  const clear = out.isTTY ? '\r\x1b[2K' : ''
  let name = ''
  const show = (line: string) => {
    const text = `  …   ${line}`
    if (out.isTTY) out.write(`${clear}${visible(text).slice(0, (out.columns || 80) - 1)}`)
    else out.write(`${visible(text)}\n`)
  }
  return {
    begin(combination) {
      name = combination
      show(name)
    },
    onFigures(figures) {
      if (out.isTTY || figures.total % everyTasks === 0) show(`${name}: ${soFar(figures)}`)
    },
    end: (line) => void out.write(`${clear}  ${visible(line)}\n`),
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

// The gateway's own tools in a replay: nothing runs, the results are those of the tape.

import type { Tool } from '../core/request.ts'
import type { LocalRun, RunContext } from '../local-tools/executor.ts'
import type { LocalTools, ToolFrame } from '../local-tools/tools.ts'
import { localKindOf, localTools } from '../protocols/local-tools/definitions.ts'
import { toResultText } from '../protocols/local-tools/results.ts'
import type { ReadTape } from '../tapes/read.ts'

export class PlayedTools implements LocalTools {
  #frames: ToolFrame[] = []
  #runs = 0

  take({ frames }: ReadTape): void {
    this.#frames = frames.filter((frame) => frame.side === 'tool')
    this.#runs = 0
  }

  get settings(): LocalTools['settings'] {
    return this.#offer?.settings ?? { maxRuns: 0, progress: 'off', outputBytes: 0 }
  }

  /** None if the turn had none. */
  async tools(): Promise<readonly Tool[]> {
    return localTools((this.#offer?.tools ?? []).flatMap((name) => localKindOf(name) ?? []))
  }

  async root(): Promise<string> {
    return this.#offer?.root ?? '/'
  }

  async run(_call: unknown, { onBegin, onOutput }: RunContext): Promise<LocalRun> {
    const run = ++this.#runs
    for (const frame of this.#frames) {
      if (frame.do === 'offer' || frame.run !== run) continue
      if (frame.do === 'begin') onBegin?.(frame.job)
      else if (frame.do === 'output') onOutput?.(frame.text, frame.stream)
      else return { outcome: frame.outcome, result: toResultText(frame.outcome) }
    }
    const outcome = { kind: 'failed', error: 'there is no further run on the tape' } as const
    return { outcome, result: toResultText(outcome) }
  }

  get #offer(): Extract<ToolFrame, { do: 'offer' }> | undefined {
    return this.#frames.find((frame) => frame.do === 'offer')
  }
}

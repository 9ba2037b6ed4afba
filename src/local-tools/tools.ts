// The gateway's own tools, as a turn sees them: the executor's, those whose results a tape gets, or those of a tape.

import type { Tool } from '../core/request.ts'
import type { Outcome } from '../protocols/client-tools/job.ts'
import type { LocalJob } from '../protocols/local-tools/calls.ts'
import type { LocalRun, LocalSettings, RunContext } from './executor.ts'

export interface LocalTools {
  readonly settings: Pick<LocalSettings, 'maxRuns' | 'progress' | 'outputBytes'>
  /** Rejects if the root is unusable. */
  tools(): Promise<readonly Tool[]>
  root(): Promise<string>
  /** Never rejects: a failure is a result for the model. */
  run(call: { name: string; input: string }, context: RunContext): Promise<LocalRun>
}

/** What a tape gets of them. `run` counts the runs of a turn, from 1. */
export type ToolFrame =
  | { side: 'tool'; do: 'offer'; tools: string[]; root: string; settings: LocalTools['settings'] }
  | { side: 'tool'; do: 'begin'; run: number; job: LocalJob }
  | { side: 'tool'; do: 'output'; run: number; stream: 'stdout' | 'stderr'; text: string }
  | { side: 'tool'; do: 'end'; run: number; outcome: Outcome }

/** Tells the tape of a turn everything that it offers, runs and gets. */
export class TapedTools implements LocalTools {
  readonly settings: LocalTools['settings']
  readonly #tools: LocalTools
  readonly #tell: (frame: ToolFrame) => void
  #runs = 0

  constructor(tools: LocalTools, tell: (frame: ToolFrame) => void) {
    const { maxRuns, progress, outputBytes } = tools.settings
    this.settings = { maxRuns, progress, outputBytes }
    this.#tools = tools
    this.#tell = tell
  }

  async tools(): Promise<readonly Tool[]> {
    const [tools, root] = await Promise.all([this.#tools.tools(), this.#tools.root()])
    const names = tools.map(({ name }) => name)
    this.#tell({ side: 'tool', do: 'offer', tools: names, root, settings: this.settings })
    return tools
  }

  root(): Promise<string> {
    return this.#tools.root()
  }

  async run(call: { name: string; input: string }, context: RunContext): Promise<LocalRun> {
    const run = ++this.#runs
    const done = await this.#tools.run(call, {
      ...context,
      onBegin: (job) => {
        this.#tell({ side: 'tool', do: 'begin', run, job })
        context.onBegin?.(job)
      },
      onOutput: (text, stream) => {
        this.#tell({ side: 'tool', do: 'output', run, stream, text })
        context.onOutput?.(text, stream)
      },
    })
    this.#tell({ side: 'tool', do: 'end', run, outcome: done.outcome })
    return done
  }
}

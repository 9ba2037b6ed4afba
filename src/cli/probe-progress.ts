// The progress of a probe: on a terminal one line that changes, elsewhere a line for each finished task.

import { visible, visibleLine } from '../base/visible-text.ts'
import type { TaskRun } from '../judge/probe/run-task.ts'
import type { Task } from '../judge/probe/task.ts'

export interface Progress {
  onStart(task: Task): void
  onEnd(run: TaskRun): void
}

export function showProgress(total: number, out: NodeJS.WriteStream = process.stderr): Progress {
  let done = 0
  const clear = out.isTTY ? '\r\x1b[2K' : ''
  const place = (at: number) => `${at}/${total}`.padStart(String(total).length * 2 + 1)
  return {
    onStart({ id, title }) {
      if (out.isTTY)
        out.write(
          `${clear}  …   ${place(done + 1)}  ${id}: ${title}`.slice(
            0,
            (out.columns || 80) + clear.length - 1,
          ),
        )
    },
    onEnd(run) {
      done++
      if (run.outcome === 'stopped') return void out.write(clear)
      out.write(`${clear}${visible(`${marks[run.outcome]}  ${place(done)}  ${line(run)}`)}\n`)
    },
  }
}

const marks = { passed: 'ok  ', failed: 'FAIL' }
const longest = 200

function line({ task, attempt, requests, tookMs, failure }: TaskRun): string {
  const name = `${task.id}${attempt > 1 ? ` (run ${attempt})` : ''}`.padEnd(24)
  const took = `${requests} request${requests === 1 ? '' : 's'}, ${(tookMs / 1000).toFixed(1)} s`
  if (failure === undefined) return `${name}  ${took}`
  const why = visibleLine(`${failure.blame}: expected ${failure.expected}; came ${failure.came}`)
  return `${name}  ${took}  ${why.length > longest ? `${why.slice(0, longest)}…` : why}`
}

// A job as a command of a shell. Most clients trim, merge and cap what a command prints, and some do not tell how it
// ended: so the commands say that themselves, as their last line.

import type { Outcome } from './job.ts'
import type { ShellOutcome } from './read-shell.ts'

export interface ShellPlan {
  command: string
  /** For the clients that show one. */
  description: string
  read(ran: ShellOutcome): Outcome
}

export interface Ended {
  output: string
  exitCode: number
  /** What the command counted. */
  count?: number
}

export const ending = 'echo "exit $?"'

/** Qwen Code loses the output of a quick command now and then. */
export const silent = 'The client shows nothing of what its shell printed. Ask again.'

/** Undefined when the last line is not there: the client cut it off. */
export function ended(stdout: string): Ended | undefined {
  const end = /exit (\d+)(?:[ \t]+(\d+))?\s*$/.exec(stdout)
  if (end === null) return undefined
  return {
    output: stdout.slice(0, end.index),
    exitCode: Number(end[1]),
    ...(end[2] === undefined ? {} : { count: Number(end[2]) }),
  }
}

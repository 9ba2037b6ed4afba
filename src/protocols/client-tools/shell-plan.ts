// A job as a shell command. Most clients trim, merge and cap the output of a command, and some do not report its exit code:
// so the commands print it themselves, as their last line.

import type { Outcome } from './job.ts'
import type { ShellOutcome } from './read-shell.ts'

export interface ShellPlan {
  command: string
  /** For clients that show one. */
  description: string
  read(ran: ShellOutcome): Outcome
}

export interface Ended {
  output: string
  exitCode: number
  /** A count that the command printed. */
  count?: number
}

export const ending = 'echo "exit $?"'

/** Qwen Code sometimes loses the output of a quick command. */
export const silent = 'The client shows nothing of what its shell printed. Ask again.'

/** Undefined if the client cut the last line off. */
export function ended(stdout: string): Ended | undefined {
  const end = /exit (\d+)(?:[ \t]+(\d+))?\s*$/.exec(stdout)
  if (end === null) return undefined
  return {
    output: stdout.slice(0, end.index),
    exitCode: Number(end[1]),
    ...(end[2] === undefined ? {} : { count: Number(end[2]) }),
  }
}

// Says what a command waits for, if that takes longer than a second. Only on a terminal, and gone when the work is done.

import { overwrite } from './output.ts'

const everyMs = 1_000

export async function withProgress<Result>(what: string, work: Promise<Result>): Promise<Result> {
  if (!process.stderr.isTTY) return work
  let seconds = 0
  const timer = setInterval(() => overwrite(`${what} … ${++seconds} s`), everyMs)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (seconds > 0) overwrite('')
  }
}

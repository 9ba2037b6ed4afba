// Output that cannot be written is lost. It never ends a serving process: without a listener, a failed write would be an uncaught
// exception, and so would the log line about it.

import { err } from './output.ts'

export function guardStandardStreams(): void {
  process.stderr.on('error', () => undefined)
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // `dragoman … | head` closes the pipe early.
    if (error.code === 'EPIPE') return
    if (process.exitCode === undefined)
      err(`dragoman: standard output cannot be written (${error.code ?? error.message})\n`)
    process.exitCode = 1
  })
}

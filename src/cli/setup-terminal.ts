// The terminal of `setup`, `probe` and `conform`: output, and questions if it is interactive.

import { createInterface } from 'node:readline'
import { visible } from '../base/visible-text.ts'
import { CommandError } from '../process/command-error.ts'
import { err, out } from '../process/output.ts'

export interface Terminal {
  interactive: boolean
  ask(question: string): Promise<string>
  /** Results: the change, the text to copy. */
  out(text: string): void
  /** Messages about them. */
  err(text: string): void
}

export function ownTerminal(): Terminal {
  return {
    interactive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    ask: (question) =>
      new Promise((resolve, reject) => {
        // On stderr: standard output may be redirected to a file.
        const lines = createInterface({ input: process.stdin, output: process.stderr })
        // Ctrl-C or the end of input counts as no answer.
        lines.once('close', () => {
          err('\n')
          reject(new CommandError('Nothing was written.'))
        })
        lines.question(visible(question), (answer) => {
          lines.removeAllListeners('close').close()
          resolve(answer)
        })
      }),
    out,
    err,
  }
}

/** Any answer but yes ends the command. */
export async function consent(
  question: string,
  { yes, terminal }: { yes: boolean; terminal: Terminal },
): Promise<void> {
  if (yes) return
  if (!terminal.interactive)
    throw new CommandError('Nothing was written: there is no terminal to ask on. Confirm with --yes.', 2)
  if (!/^y(es)?$/i.test((await terminal.ask(`${question} [y/N] `)).trim()))
    throw new CommandError('Nothing was written.')
}

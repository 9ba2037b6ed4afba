// The terminal of `setup`, `probe` and `conform`: output, and questions if it is interactive.

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { visible } from '../base/visible-text.ts'
import { CommandError } from '../process/command-error.ts'
import { err, out } from '../process/output.ts'

export interface Terminal {
  interactive: boolean
  ask(question: string): Promise<string>
  /** What is typed is not shown. */
  askSecret(question: string): Promise<string>
  /** Results: the change, the text to copy. */
  out(text: string): void
  /** Messages about them. */
  err(text: string): void
}

export function ownTerminal(): Terminal {
  return {
    interactive: Boolean(process.stdin.isTTY && process.stderr.isTTY),
    // On stderr: standard output may be redirected to a file.
    ask: (question) => askOn({ input: process.stdin, output: process.stderr }, question),
    askSecret: (question) => askSecretOn({ input: process.stdin, output: process.stderr }, question),
    out,
    err,
  }
}

/** Ctrl-C or the end of input at a question. The message is that of commands that write. */
export class NoAnswer extends CommandError {
  constructor() {
    super('Nothing was written.')
  }
}

interface Streams {
  input: NodeJS.ReadableStream
  output: NodeJS.WritableStream
}

export function askOn(streams: Streams, question: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const lines = createInterface(streams)
    // Ctrl-C or the end of input counts as no answer.
    const onEnd = () => {
      streams.output.write('\n')
      reject(new NoAnswer())
    }
    lines.once('close', onEnd)
    lines.question(visible(question), (answer) => {
      // Only this listener: readline has its own, without which it would go on to echo what is typed at the next question.
      lines.off('close', onEnd).close()
      resolve(answer)
    })
  })
}

/** readline echoes to a stream that drops everything; only the question and the end of the line are shown. */
export async function askSecretOn({ input, output }: Streams, question: string): Promise<string> {
  const hidden = Object.assign(new Writable({ write: (_chunk, _encoding, done) => done() }), { isTTY: true })
  output.write(visible(question))
  try {
    return await askOn({ input, output: hidden }, '')
  } finally {
    output.write('\n')
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

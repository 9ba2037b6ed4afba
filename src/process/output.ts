// All output of commands to stdout and stderr. Text from outside (model names, file names, service messages) is made safe for
// terminals.

import { painted, type Span, wantsColours } from '../base/painted.ts'
import { asciiControls, visible } from '../base/visible-text.ts'
import { readEnvironment } from '../config/environment.ts'

export const out = (text: string): void => void process.stdout.write(visible(text))

/** A line with colours, where the terminal has them. */
export function outLine(spans: readonly Span[]): void {
  const isColoured = wantsColours(process.stdout, readEnvironment().variable)
  process.stdout.write(`${painted(spans, isColoured)}\n`)
}

/** Whether lines on stderr should have colours. */
export const isStderrColoured = (): boolean => wantsColours(process.stderr, readEnvironment().variable)

export const err = (text: string): void => void process.stderr.write(visible(text))

/** For `--json` and other output that programs read. */
export const outJson = (value: unknown, replacer?: (key: string, value: unknown) => unknown): void =>
  outData(`${JSON.stringify(value, replacer, 2)}\n`)

/** For text that is JSON already. */
export const outData = (json: string): void => void process.stdout.write(asciiControls(json))

/** Replaces the previous line; only if stderr is a terminal. */
export function overwrite(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${visible(line)}`)
}

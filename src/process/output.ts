// All output of commands to stdout and stderr. Text from outside (model names, file names, service messages) is made safe for
// terminals.

import { asciiControls, visible } from '../base/visible-text.ts'

export const out = (text: string): void => void process.stdout.write(visible(text))

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

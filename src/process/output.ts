// The one way of commands to standard output and standard error. Whatever is written may hold words of others: names of models and
// files, messages of services. None of them reaches a terminal as anything but text.

import { asciiControls, visible } from '../base/visible-text.ts'

export const out = (text: string): void => void process.stdout.write(visible(text))

export const err = (text: string): void => void process.stderr.write(visible(text))

/** `--json`, and everything else that programs read. */
export const outJson = (value: unknown, replacer?: (key: string, value: unknown) => unknown): void =>
  outData(`${JSON.stringify(value, replacer, 2)}\n`)

/** JSON that is text already. */
export const outData = (json: string): void => void process.stdout.write(asciiControls(json))

/** A line that is written over the one before it; only where standard error is a terminal. */
export function overwrite(line: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${visible(line)}`)
}

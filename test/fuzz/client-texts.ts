// Texts that hurt: pieces of every client's decoration, in any order.

import fc from 'fast-check'
import { anyCharacter } from './any-character.ts'

export const scraps = fc.constantFrom(
  '1: ',
  '2: ',
  '     1→',
  '1\t',
  '00001| ',
  '1 | ',
  'L1: ',
  '</content>',
  '1→',
  '<system>1 line read from file starting from line 1. Total lines in file: 1. End of file reached.</system>',
  '[3 more lines in file. Use offset=4 to continue.]',
  'Command exited with code 3',
  '<shellId: 0 completed with exit code 3>',
  'Content of x:',
  ' [line truncated]',
  '</file>',
  '(End of file - total 2 lines)',
  '<system-reminder>x</system-reminder>',
  'Showing lines 1-2 of 3 total lines.',
  '---',
  'exit 0',
  'begin',
  'Error: ',
  'Output:',
  'Exit Code: 1',
  '(no output)',
  "it's",
  '$(x)',
  '`',
  '\\',
  '"',
  '%s',
  '\t',
  ' ',
  'é😀',
)
export const line = fc.oneof(
  { weight: 3, arbitrary: fc.array(scraps, { maxLength: 3 }).map((parts) => parts.join('')) },
  fc.string({ unit: anyCharacter, maxLength: 20 }).map((text) => text.replace(/[\0\r\n\uFEFF]/g, '')),
)
export const text = fc
  .tuple(fc.array(line, { maxLength: 8 }), fc.boolean())
  .map(([lines, open]) => lines.join('\n') + (open || lines.length === 0 ? '' : '\n'))

export const ended = (content: string) =>
  content === '' || content.endsWith('\n') ? content : `${content}\n`

/** Cline's form of a result. */
export const inCline = (result: string, more = {}) =>
  JSON.stringify([{ query: 'q', result, success: true, ...more }])

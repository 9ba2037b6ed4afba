// Parse errors of JSON with comments, in words.

import { type ParseError, printParseErrorCode } from 'jsonc-parser'

const words = new Map([
  ['CloseBraceExpected', 'a } is missing'],
  ['CloseBracketExpected', 'a ] is missing'],
  ['ColonExpected', 'a : is missing'],
  ['CommaExpected', 'a comma is missing'],
  ['EndOfFileExpected', 'there is more after the end'],
  ['InvalidSymbol', 'a text without double quotes'],
  ['PropertyNameExpected', 'a name in double quotes is missing'],
  ['ValueExpected', 'a value is missing'],
  ['UnexpectedEndOfString', 'a text has no closing quote'],
])

/** The two parts of `line 3: a comma is missing`. */
export function jsonProblem(text: string, { error, offset }: ParseError): { line: number; what: string } {
  const code = printParseErrorCode(error)
  const plain = code.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
  return { line: text.slice(0, offset).split('\n').length, what: words.get(code) ?? plain }
}

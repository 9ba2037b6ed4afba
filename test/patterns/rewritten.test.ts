// Patterns that were rewritten to take linear time mean what they meant. `now` is looked up in the source, so that it is the one in use.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { followedBy } from '../../src/base/words.ts'
import { readPatterns } from './collect.ts'

interface Row {
  file: string
  before: RegExp
  now: RegExp
  alphabet: readonly string[]
}

const tools = 'src/protocols/client-tools'
const text = 'src/protocols/tool-text'
const rows: Row[] = [
  {
    file: 'src/protocols/anthropic-messages/messages-in.ts',
    before: /.+_tool_(use|result)$/,
    now: /._tool_(?:use|result)$/,
    alphabet: ['a', '_tool_use', '_tool_result', '_', '\n'],
  },
  {
    file: 'src/protocols/cursor-agent/errors.ts',
    before: /^\W*(error|unknown error|an error occurred)?\W*$/i,
    now: /^\W*(?:(?:error|unknown error|an error occurred)\W*)?$/i,
    alphabet: ['error', 'unknown ', 'an ', ' occurred', '!', ' ', 'a'],
  },
  {
    file: `${tools}/match-unknown.ts`,
    before: /^mcp_{1,2}(.+?)_{1,2}(.+)$/,
    now: /^mcp_{1,2}(.[^_\n\r\u2028\u2029]*)_{1,2}(.+)$/,
    alphabet: ['mcp', '_', '__', 'a', 'b', '\n', '\r'],
  },
  { file: `${tools}/route.ts`, before: /\/+$/, now: /(?<!\/)\/+$/, alphabet: ['/', 'a', '\n'] },
  {
    file: `${tools}/file-formats.ts`,
    before:
      /^IMPORTANT: File content truncated\.\n\s*Status: Showing lines (\d+)-\d+ of (\d+)[^\n]*\n[^\n]*\n\t\n\t/,
    now: /^IMPORTANT: File content truncated\.\n\s*Status: Showing lines (\d+)-\d+ of (\d+)(?!\d)[^\n]*\n[^\n]*\n\t\n\t/,
    alphabet: [
      'IMPORTANT: File content truncated.\n',
      'Status: Showing lines 1-2 of ',
      '12',
      'a',
      '\n',
      '\t',
      '\n\t\n\t',
    ],
  },
  {
    file: `${tools}/read-file.ts`,
    before: /[^\n]*\n|[^\n]+$/g,
    now: /[^\n]+\n?|\n/g,
    alphabet: ['a', '\n', '\r', 'b'],
  },
  {
    file: 'src/protocols/local-tools/results.ts',
    before: /(\d+) characters of output, then errors[\];]/,
    now: /(?<!\d)(\d+) characters of output, then errors[\];]/,
    alphabet: ['1', '23', ' characters of output, then errors', ']', ';', ' '],
  },
  {
    file: `${text}/bare-json.ts`,
    before: /^(?:`{3,}|~{3,})[ \t]*(?:json|tool_calls?|tool_code|tool)?[ \t]*\r?\n/,
    now: /^(?:`{3,}|~{3,})[ \t]*(?:(?:json|tool_calls?|tool_code|tool)[ \t]*)?\r?\n/,
    alphabet: ['```', '~~~', '`', ' ', '\t', 'json', 'tool', '_call', 's', '_code', '\r', '\n', 'a'],
  },
  {
    file: `${text}/bare-json.ts`,
    before: /^(?:`{1,}|~{1,})[ \t]*(?:j|js|jso|json|t|to|too|tool|tool_[a-z]*)?[ \t]*\r?$/,
    now: /^(?:`{1,}|~{1,})[ \t]*(?:(?:j|js|jso|json|t|to|too|tool|tool_[a-z]*)[ \t]*)?\r?$/,
    alphabet: ['`', '~', ' ', '\t', 'json', 'j', 's', 'tool', '_', 't', 'o', '\r', '\n'],
  },
  {
    file: `${text}/begin-call.ts`,
    before: /^\s*["']?[^\s<>{}()[\],;"'`]{0,128}["']?\s*\/?$/,
    now: /^\s*(?:(?:["'][^\s<>{}()[\],;"'`]{0,128}|[^\s<>{}()[\],;"'`]{1,128})["']?\s*)?\/?$/,
    alphabet: [' ', '"', "'", 'a', '/', '<', '\n'],
  },
  {
    file: `${text}/families.ts`,
    before: /^\s*([\w.-]+)\s*(?:\[CALL_ID\]\w*)?(?:\[ARGS\])?\s*$/,
    now: /^\s*([\w.-]+)\s*(?:(?:\[CALL_ID\]\w*(?:\[ARGS\])?|\[ARGS\])\s*)?$/,
    alphabet: [' ', 'a', '.', '[CALL_ID]', '[ARGS]', '1', '['],
  },
  {
    file: 'src/base/lenient-json/lenient-json.ts',
    before: /^[+-]?\d*\.?\d*(?:[eE][+-]?\d*)?$/,
    now: /^[+-]?\d*(?:\.\d*)?(?:[eE][+-]?\d*)?$/,
    alphabet: ['+', '-', '1', '0', '.', 'e', 'E', ' '],
  },
  {
    file: `${text}/transitions.ts`,
    before: /^[,;]?\s*[{[]?\s*$/,
    now: /^[,;]?\s*(?:[{[]\s*)?$/,
    alphabet: [',', ';', ' ', '{', '[', 'a'],
  },
  {
    file: 'src/judge/conform/target.ts',
    before: /\/v\d+[a-z0-9]*$/,
    now: /\/v\d[a-z0-9]*$/,
    alphabet: ['/', 'v', '1', 'a', '-'],
  },
  {
    file: 'src/cli/conform.ts',
    before: /^([^\s:]+):\s*(.*)$/,
    now: /^([^\s:]+):\s*(?!\s)(.*)$/,
    alphabet: ['a', ':', ' ', '\n', '\t'],
  },
  { file: 'sim/pieces.ts', before: /\s*\S+\s*/g, now: /^\s*\S+\s*|\S+\s*/g, alphabet: ['a', ' ', '\n', 'b'] },
]

const found = (pattern: RegExp, value: string) =>
  pattern.global
    ? value.match(pattern)
    : ((found) => found && [found.index, found[0], ...captures(pattern, found)])(pattern.exec(value))
/** Groups count where both patterns have the same ones. */
const captures = (pattern: RegExp, found: RegExpExecArray) =>
  pattern.source.includes('tool_(') || pattern.source.includes('(error') ? [] : found.slice(1)

describe('a rewritten pattern', () => {
  it.each(rows.map((row) => [row.before, row] as const))(
    'finds what %s found',
    (_name, { file, before, now, alphabet }) => {
      expect(readPatterns(file).literals.map(({ source, flags }) => `/${source}/${flags}`)).toContain(
        String(now),
      )
      fc.assert(
        fc.property(fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 10 }), (value) => {
          const [was, is] = [found(before, value), found(now, value)]
          // Where the beginning is cut off because one character says enough, the rest must not differ.
          if (file.endsWith('messages-in.ts')) expect(is === null).toBe(was === null)
          else expect(is).toEqual(was)
        }),
        { numRuns: 300 },
      )
    },
  )

  it.each([
    [
      /deepseek.*(reasoner|think)/i,
      followedBy(/deepseek/i, /reasoner|think/i),
      ['deepseek', 'think', 'reasoner', 'a', '-', '\n'],
    ],
    [
      /\bmodel\b.*\b(not (be )?found|invalid)/i,
      followedBy(/\bmodel\b/i, /\b(not (be )?found|invalid)/i),
      ['model', ' ', 'not ', 'be ', 'found', 'invalid', 's', '\n'],
    ],
    [
      /\b(?:replac|write)\w*\b[^.]*\bfile/i,
      followedBy(/\b(?:replac|write)\w*\b/i, /\bfile/i, '.'),
      ['write', 'replac', 'file', ' ', '.', 's', '\n'],
    ],
  ] as const)('as words behind words: %s', (before, now, alphabet) => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 10 }), (value) => {
        expect(now.test(value)).toBe(before.test(value))
      }),
      { numRuns: 500 },
    )
  })
})

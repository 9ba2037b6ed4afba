// What the parser of tool calls in text must reach, on a corpus that is not part of this repository: real tools with the calls
// that are right, and texts of models with what other projects' parsers read in them. Needs CASES_DIR.

import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import { schemaChecker } from '../../src/base/json-schema/schema-checkers.ts'
import type { TurnEvent } from '../../src/core/events.ts'
import { fitArguments } from '../../src/protocols/call-check/fit-arguments.ts'
import { TextTurnReader } from '../../src/protocols/tool-text/read.ts'
import { checkTurn } from '../check-turn.ts'
import { adversarial, adversarialTools } from './adversarial.ts'
import { type BfclRow, type CorpusCall, readBfcl } from './bfcl.ts'
import { bfclMisses, floors, parserMisses } from './expectations.ts'
import { fitsTypes } from './own-schema.ts'
import { inPieces, newParser, type PieceSize, parsed } from './parsed.ts'
import { type ParserCase, readParserCases } from './parser-cases.ts'
import { type Format, formats, render } from './render.ts'

const folder = process.env.CASES_DIR
const sizes: PieceSize[] = [1, 3, 7, 'random']
const minutes = 60_000

if (!folder)
  it.skip('set CASES_DIR to the folder of bfcl.jsonl.gz and parser-cases.jsonl, and this is read', () =>
    undefined)
else {
  const rows = readBfcl(folder)
  describe('calls that are right', () => onBfcl(rows.filter(({ calls }) => calls.length > 0)))
  describe('answers without a call', () => onProse(rows.filter(({ calls }) => calls.length === 0)))
  describe('what other parsers read', () => onParserCases(readParserCases(folder)))
  describe('texts that are made to be misread', onAdversarial)
  describe('large arguments', onLargeArguments)
}

const markupOf = (format: Format) => (format === 'Hermes' ? 'json' : 'xml')

/** Some recorded calls do not fit the schemas of their row: null for an optional parameter, a value that the enum has in another case. */
function putRight(call: CorpusCall, tools: BfclRow['tools']): CorpusCall {
  const schema = tools.find(({ name }) => name === call.name)?.schema
  return schema ? { ...call, arguments: fitArguments(call.arguments, schemaChecker(schema)).input } : call
}

function onBfcl(rows: readonly BfclRow[]): void {
  const fitting = rows.filter(({ calls, tools }) =>
    calls.every((call) => fitsTypes(call.arguments, tools.find(({ name }) => name === call.name)?.schema)),
  )
  const counted: Record<Format, readonly BfclRow[]> = { Hermes: rows, 'Qwen3-Coder': fitting }

  it('are as many as they should be', () => {
    expect([rows.length, fitting.length]).toEqual([2501, 2339])
  })

  describe.each(formats)('in %s', (format) => {
    const misses = bfclMisses[format]
    const all = counted[format]

    it.each(sizes)(
      `in pieces of %s: ${all.length - Object.keys(misses).length} of ${all.length} are exact`,
      (size) => {
        const wrong = all.filter(({ calls, tools }) => {
          const found = parsed(inPieces(render(calls, format), size), { tools, format: markupOf(format) })
          const expected = calls.map((call) => putRight(call, tools))
          return !isDeepStrictEqual(found.calls, expected) || found.text !== '' || found.malformed > 0
        })
        expect(wrong.map(({ id }) => id).sort()).toEqual(Object.keys(misses).sort())
      },
      minutes,
    )

    it.each(Object.entries(misses))('%s is not exact: %s', (id) => {
      const row = all.find((one) => one.id === id)
      const found = parsed([render(row?.calls ?? [], format)], { tools: row?.tools ?? [] })
      expect(found.calls.map(({ name }) => name)).toEqual(row?.calls.map(({ name }) => name))
      expect(found.calls).not.toEqual(row?.calls)
    })

    it(
      'with text around them, which is kept',
      () => {
        const wrong = all.filter(({ calls, tools, question }) => {
          const text = `${question}\n\n${render(calls, format)}\n\nThat is all.`
          const found = parsed(inPieces(text, 'random'), { tools })
          return found.calls.length !== calls.length || words(found.text) !== words(`${question}That is all.`)
        })
        expect(wrong.map(({ id }) => id)).toEqual([])
      },
      minutes,
    )

    it(
      'the same, however they are cut',
      () => {
        for (const { calls, tools } of all) {
          const text = render(calls, format)
          const whole = parsed([text], { tools })
          for (const size of sizes) expect(parsed(inPieces(text, size), { tools })).toEqual(whole)
        }
      },
      minutes,
    )

    it(
      'as turns whose deltas are the arguments',
      () => {
        for (const { calls, tools } of all) {
          const events = asTurn(render(calls, format), tools)
          expect(checkTurn(events)).toEqual([])
          expect(events.filter(({ type }) => type === 'tool-call-end')).toHaveLength(calls.length)
          expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
        }
      },
      minutes,
    )

    it(
      'cut off in their last call, they lack it',
      () => {
        for (const { calls, tools } of all) {
          const text = render(calls, format)
          const end = text.lastIndexOf(format === 'Hermes' ? '}}' : '</function>')
          const found = parsed(inPieces(text.slice(0, end), 7), { tools, cut: true })
          expect(found).toMatchObject({ cut: true, malformed: 0, text: '' })
          expect(found.calls).toHaveLength(calls.length - 1)
        }
      },
      minutes,
    )
  })
}

function asTurn(text: string, tools: BfclRow['tools']): TurnEvent[] {
  const reader = new TextTurnReader({
    markup: { format: 'json', callTag: 'tool_call', resultTag: 'tool_response' },
    tools,
    salvage: true,
    turnId: 'turn_1',
    parallelCalls: true,
    callRequired: false,
    secondTry: false,
    unescape: (one) => one,
    note: () => undefined,
  })
  const deltas = inPieces(text, 7).map((delta): TurnEvent => ({ type: 'text-delta', block: 0, delta }))
  return reader.push([
    { type: 'turn-start', id: 'turn_1', model: 'm' },
    { type: 'text-start', block: 0 },
    ...deltas,
    { type: 'text-end', block: 0 },
    { type: 'turn-end', reason: 'stop' },
  ])
}

function onProse(rows: readonly BfclRow[]): void {
  it.each(sizes)(
    `${rows.length} texts in pieces of %s go through byte for byte`,
    (size) => {
      const wrong = rows.filter(({ question, tools }) => {
        const { text, calls, malformed, cut } = parsed(inPieces(question, size), { tools })
        return text !== question || calls.length > 0 || malformed > 0 || cut
      })
      expect(wrong.map(({ id }) => id)).toEqual([])
    },
    minutes,
  )

  it('no more than 10 characters are held back, where no line could begin a call without a tag', () => {
    const plain = rows.filter(({ question }) => !/^\s*[{[`~]/m.test(question))
    expect(plain.length).toBeGreaterThan(1000)
    const most = plain.map(({ question, tools }) => mostHeldBack(question, tools))
    expect(Math.max(...most)).toBeLessThanOrEqual(10)
  })
}

function mostHeldBack(text: string, tools: BfclRow['tools']): number {
  const parser = newParser({ tools })
  let held = 0
  let most = 0
  for (const char of text) {
    held += char.length
    for (const piece of parser.push(char)) held -= piece.type === 'text' ? piece.text.length : 0
    most = Math.max(most, held)
  }
  return most
}

function onParserCases(cases: readonly ParserCase[]): void {
  const asked = cases.filter(({ format }) => format === 'hermes' || format === 'qwen3coder')
  const missOf = ({ id }: ParserCase) => parserMisses[id.slice(0, id.indexOf(','))]
  const misses = asked.flatMap((row) => {
    const miss = missOf(row)
    return miss ? [{ ...miss, id: row.id, row }] : []
  })

  it.each(asked.filter((row) => !missOf(row)))('$id', (row) => {
    for (const size of sizes) {
      const found = parsed(inPieces(row.text, size), { tools: row.tools })
      expect(found.calls).toEqual(row.calls)
      if (row.content !== undefined) expect(words(found.text)).toBe(words(row.content))
    }
  })

  it.each(misses)('$id is read in another way: $reason', ({ row, calls }) => {
    for (const size of sizes) {
      const found = parsed(inPieces(row.text, size), { tools: row.tools })
      expect(found.calls).toEqual(calls)
      expect(
        isDeepStrictEqual(found.calls, row.calls) && words(found.text) === words(row.content ?? ''),
      ).toBe(false)
    }
  })

  it('and no row is missing that is spoken of', () => {
    expect(misses).toHaveLength(Object.keys(parserMisses).length)
    expect(asked).toHaveLength(29 + 62)
  })

  it.each(floors)('%s: at least %i of %i rows as recorded', (format, floor, count) => {
    const own = cases.filter((row) => row.format === format)
    expect(own).toHaveLength(count)
    expect(own.filter(isAsRecorded).length).toBeGreaterThanOrEqual(floor)
  })
}

/** The same calls; and where there are none, the same text. Text around calls is kept here, and dropped by many. */
function isAsRecorded(row: ParserCase): boolean {
  return sizes.every((size) => {
    const found = parsed(inPieces(row.text, size), { tools: row.tools })
    if (!isDeepStrictEqual(found.calls, row.calls)) return false
    return row.calls.length > 0 || row.content === undefined || words(found.text) === words(row.content)
  })
}

/** White space next to a call belongs to the markup as much as to the text. */
const words = (text: string) => text.replace(/\s+/g, '')

function onAdversarial(): void {
  it.each(adversarial)('$name', ({ text, calls, prose, cut, manner }) => {
    for (const size of sizes) {
      const found = parsed(inPieces(text, size), { tools: adversarialTools, ...manner })
      expect(found.calls).toEqual(calls)
      if (prose !== undefined) expect(found.text).toBe(prose)
      expect(found.cut).toBe(cut ?? false)
    }
  })
}

function onLargeArguments(): void {
  const line = 'const value = call("name", { a: [1, 2], b: \'</tool_call>\' }) // 😀 \\ <parameter=x>\n'
  const tools = [{ name: 'write', schema: { type: 'object', properties: { content: { type: 'string' } } } }]
  const sized = formats.flatMap((format) =>
    [1, 2, 4].flatMap((megabytes) => [1, 64].map((size) => ({ format, megabytes, size }))),
  )
  it.each(sized)(
    '$megabytes MB of text in $format, in pieces of $size',
    ({ format, megabytes, size }) => {
      const calls = [
        { name: 'write', arguments: { content: line.repeat((megabytes * 2 ** 20) / line.length) } },
      ]
      const found = parsed(inPieces(render(calls, format), size), { tools })
      expect(isDeepStrictEqual(found.calls, calls)).toBe(true)
    },
    minutes,
  )
}

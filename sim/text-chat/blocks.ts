// Reads the blocks of a prompt with earlier calls and their results.

import { cutBlocks } from '../model/blocks-out.ts'
import type { Tool } from '../model.ts'
import { isRecord, type Json } from '../shape.ts'
import type { Markup } from './markup.ts'

interface ReadCall {
  readonly name: string
  readonly arguments: Json
}

/** The calls in an assistant's text, and the rest of the text. */
export function cutCalls(
  text: string,
  { callTag }: Markup,
  tools: readonly Tool[],
): { text: string; calls: ReadCall[] } {
  const open = new RegExp(`^<${callTag}>\\n`, 'gm')
  const close = `\n</${callTag}>`
  const findClose = finder(text, close)
  const findParameterEnd = finder(text, parameterEnd)
  const calls: ReadCall[] = []
  let rest = ''
  let from = 0
  for (let found = open.exec(text); found; found = open.exec(text)) {
    const start = found.index + found[0].length
    const read =
      text[start] === '{'
        ? readJson(text, start, findClose(start))
        : readXml(text, start, findParameterEnd, tools)
    // Text that turned out to be no call is not read again.
    if (read.call === undefined || !text.startsWith(close, read.end)) {
      open.lastIndex = Math.max(open.lastIndex, read.end)
      continue
    }
    calls.push(read.call)
    rest += text.slice(from, found.index)
    from = read.end + close.length
    open.lastIndex = from
  }
  return { text: `${rest}${text.slice(from)}`.trim(), calls }
}

/** The next position of `words`, for increasing start positions: a match is cached until it is passed. */
function finder(text: string, words: string): (from: number) => number {
  let at = -1
  return (from) => {
    if (at < from) at = text.indexOf(words, from)
    if (at < 0) at = text.length
    return at
  }
}

/** The results in a user's text, and the rest of the text. */
export function cutResults(text: string, { resultTag }: Markup): { text: string; results: string[] } {
  const results: string[] = []
  const open = new RegExp(`^<${resultTag}>\\n`, 'gm')
  const rest = cutBlocks(
    text,
    open,
    () => `\n</${resultTag}>`,
    (content) => results.push(content),
  )
  return { text: rest.trim(), results }
}

/** True also for an unreadable or escaped call. */
export function mentionsCall(text: string, { callTag }: Markup): boolean {
  return new RegExp(`(?:<|&lt;)(?:${callTag}\\b|function=)`).test(text)
}

type Read = { call: ReadCall | undefined; end: number }

/** The closing tag is on its own line, which JSON never has. */
function readJson(text: string, start: number, end: number): Read {
  const { name, arguments: input } = parseObject(text.slice(start, end))
  if (typeof name !== 'string') return { call: undefined, end: start }
  return { call: { name, arguments: isRecord(input) ? input : {} }, end }
}

const parameterEnd = '\n</parameter>\n'

function readXml(
  text: string,
  start: number,
  findEnd: (from: number) => number,
  tools: readonly Tool[],
): Read {
  const head = /<function=([^>\n]+)>\n/y
  const parameter = /<parameter=([^>\n]+)>\n/y
  const foot = '</function>'
  head.lastIndex = start
  const name = head.exec(text)?.[1]
  if (name === undefined) return { call: undefined, end: start }
  const schema = tools.find((tool) => tool.name === name)?.schema
  const properties = isRecord(schema?.properties) ? schema.properties : {}
  const input: Json = {}
  let end = head.lastIndex
  parameter.lastIndex = end
  for (let found = parameter.exec(text); found; found = parameter.exec(text)) {
    const valueEnd = findEnd(parameter.lastIndex)
    if (valueEnd >= text.length) break
    input[found[1] as string] = readValue(
      text.slice(parameter.lastIndex, valueEnd),
      properties[found[1] as string],
    )
    end = valueEnd + parameterEnd.length
    parameter.lastIndex = end
  }
  if (!text.startsWith(foot, end)) return { call: undefined, end }
  return { call: { name, arguments: input }, end: end + foot.length }
}

function readValue(value: string, schema: unknown): unknown {
  if (isRecord(schema) && schema.type === 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    // Without a schema, text that is not JSON is a string.
    return value
  }
}

function parseObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    // A block that is not JSON is no call: the text of a failed attempt may return.
    return {}
  }
}

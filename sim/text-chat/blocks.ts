// Reads the blocks in which a prompt shows earlier calls and their results.

import type { Tool } from '../model.ts'
import { isRecord, type Json } from '../shape.ts'
import type { Markup } from './markup.ts'

export interface ReadCall {
  readonly name: string
  readonly arguments: Json
}

/** The calls of an assistant's text, and what it says besides. */
export function cutCalls(
  text: string,
  { callTag }: Markup,
  tools: readonly Tool[],
): { text: string; calls: ReadCall[] } {
  const open = new RegExp(`^<${callTag}>\\n`, 'gm')
  const close = `\n</${callTag}>`
  const calls: ReadCall[] = []
  let rest = ''
  let from = 0
  for (let found = open.exec(text); found; found = open.exec(text)) {
    const start = found.index + found[0].length
    const read = text[start] === '{' ? readJson(text, start) : readXml(text, start, tools)
    if (read === undefined || !text.startsWith(close, read.end)) continue
    calls.push(read.call)
    rest += text.slice(from, found.index)
    from = read.end + close.length
    open.lastIndex = from
  }
  return { text: `${rest}${text.slice(from)}`.trim(), calls }
}

/** The results in a user's text, and what it says besides. */
export function cutResults(text: string, { resultTag }: Markup): { text: string; results: string[] } {
  const results: string[] = []
  const block = new RegExp(`^<${resultTag}>\\n([\\s\\S]*?)\\n</${resultTag}>`, 'gm')
  const rest = text.replace(block, (_, content: string) => {
    results.push(content)
    return ''
  })
  return { text: rest.trim(), results }
}

/** True also of a call that nobody could read, and of one that was escaped. */
export function mentionsCall(text: string, { callTag }: Markup): boolean {
  return new RegExp(`(?:<|&lt;)(?:${callTag}\\b|function=)`).test(text)
}

type Read = { call: ReadCall; end: number } | undefined

function readJson(text: string, start: number): Read {
  const end = endOfObject(text, start)
  const { name, arguments: input } = parseObject(text.slice(start, end))
  if (typeof name !== 'string') return undefined
  return { call: { name, arguments: isRecord(input) ? input : {} }, end }
}

/** Behind the brace that closes the one at `start`; braces in strings do not count. */
function endOfObject(text: string, start: number): number {
  const token = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"|[{}]/g
  token.lastIndex = start
  let depth = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    if (found[0] === '{') depth++
    else if (found[0] === '}') depth--
    if (depth === 0) return token.lastIndex
  }
  return text.length
}

function readXml(text: string, start: number, tools: readonly Tool[]): Read {
  const head = /<function=([^>\n]+)>\n/y
  const parameter = /<parameter=([^>\n]+)>\n([\s\S]*?)\n<\/parameter>\n/y
  const foot = '</function>'
  head.lastIndex = start
  const name = head.exec(text)?.[1]
  if (name === undefined) return undefined
  const schema = tools.find((tool) => tool.name === name)?.schema
  const properties = isRecord(schema?.properties) ? schema.properties : {}
  const input: Json = {}
  let end = head.lastIndex
  parameter.lastIndex = end
  for (let found = parameter.exec(text); found; found = parameter.exec(text)) {
    const [, key = '', value = ''] = found
    input[key] = readValue(value, properties[key])
    end = parameter.lastIndex
  }
  if (!text.startsWith(foot, end)) return undefined
  return { call: { name, arguments: input }, end: end + foot.length }
}

function readValue(value: string, schema: unknown): unknown {
  if (isRecord(schema) && schema.type === 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    // Without a schema, what is no JSON is a string.
    return value
  }
}

function parseObject(text: string): Json {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    // A block that is no JSON is no call: the text of a failed try may come back.
    return {}
  }
}

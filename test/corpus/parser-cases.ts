// Texts of models in their own formats, and what other projects' parsers read in them, from $CASES_DIR.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Tool } from '../../src/core/request.ts'
import { type CorpusCall, jsonLines, toTool, type WireTool } from './bfcl.ts'

export interface ParserCase {
  /** Where it comes from, and its place among the rows of its format. */
  id: string
  format: string
  tools: Tool[]
  text: string
  calls: CorpusCall[]
  /** Undefined where the other project did not check it. */
  content: string | undefined
}

interface WireCase {
  source: string
  format: string
  tools: WireTool[] | null
  input_text: string
  expected: { content: string | null; tool_calls: CorpusCall[] | null }
  content_checked?: boolean
}

export function readParserCases(folder: string): ParserCase[] {
  const places = new Map<string, number>()
  const text = readFileSync(join(folder, 'parser-cases.jsonl'), 'utf8')
  return jsonLines<WireCase>(text).map(({ source, format, tools, input_text, expected, content_checked }) => {
    const place = (places.get(format) ?? 0) + 1
    places.set(format, place)
    const calls = expected.tool_calls ?? []
    return {
      id: `${format} ${place}, ${source.slice(source.lastIndexOf('/') + 1)}`,
      format,
      tools: tools?.map(toTool) ?? openTools(calls),
      text: input_text,
      calls,
      content: content_checked ? (expected.content ?? '') : undefined,
    }
  })
}

/** Rows were recorded without tools where the other parser did not need them; a model is never without. */
function openTools(calls: readonly CorpusCall[]): Tool[] {
  return [...new Set(calls.map(({ name }) => name))].map((name) => ({ name, schema: { type: 'object' } }))
}

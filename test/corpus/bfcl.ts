// Rows of the Berkeley Function Calling Leaderboard, from $CASES_DIR: real tools, and the calls that are right.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Tool } from '../../src/core/request.ts'

export interface CorpusCall {
  name: string
  arguments: Record<string, unknown>
}

export interface BfclRow {
  id: string
  category: string
  tools: Tool[]
  /** What the user asked, as one text. */
  question: string
  /** Empty where no call is right. */
  calls: CorpusCall[]
}

/** The tools of a request in OpenAI's shape. */
export interface WireTool {
  function?: WireTool
  name?: string
  description?: string
  parameters?: Record<string, unknown> | null
}

interface WireRow {
  id: string
  category: string
  tools: WireTool[]
  messages: { content: string }[]
  ground_truth: CorpusCall[] | null
}

export function readBfcl(folder: string): BfclRow[] {
  const text = gunzipSync(readFileSync(join(folder, 'bfcl.jsonl.gz'))).toString()
  return jsonLines<WireRow>(text).map(({ id, category, tools, messages, ground_truth }) => ({
    id,
    category,
    tools: tools.map(toTool),
    question: messages.map(({ content }) => content).join('\n\n'),
    calls: ground_truth ?? [],
  }))
}

export function jsonLines<Row>(text: string): Row[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row)
}

export function toTool(tool: WireTool): Tool {
  const { name = '', description, parameters } = tool.function ?? tool
  return { name, schema: parameters ?? {}, ...(description === undefined ? {} : { description }) }
}

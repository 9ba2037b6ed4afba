// The body of POST /v1/tool_results: one or several results in the form of tool messages, plus `is_error`.

import type { ToolResult } from '../../core/request.ts'
import { array, boolean, invalid, object, optional, string } from '../requests/decode.ts'
import { readContent, readResultPart } from './parts-in.ts'

const maxResults = 1_000

export function readToolResults(body: unknown): ToolResult[] {
  if (!Array.isArray(body)) return [readToolResult(body, '')]
  const results = array(body, 'body')
  if (results.length === 0) throw invalid('body', 'must contain at least one result')
  if (results.length > maxResults) throw invalid('body', `must contain at most ${maxResults} results`)
  return results.map((result, at) => readToolResult(result, `[${at}]`))
}

function readToolResult(value: unknown, path: string): ToolResult {
  const fields = object(value, path === '' ? 'body' : path)
  const at = (name: string) => (path === '' ? name : `${path}.${name}`)
  const callId = string(fields.tool_call_id, at('tool_call_id'))
  if (fields.content === undefined) throw invalid(at('content'), 'is missing; send "" for an empty result')
  if (typeof fields.content !== 'string' && fields.content !== null && !Array.isArray(fields.content))
    throw invalid(at('content'), 'must be a string, or an array of content parts')
  const isError = optional(fields.is_error, at('is_error'), boolean)
  const content = readContent(fields, path === '' ? 'body' : path, readResultPart, () => undefined)
  return { callId, content, ...(isError ? { isError } : {}) }
}

// The request for an answer format, in words. It serves services without such a setting, and requests with tools: a service
// that enforces JSON keeps its model from writing anything else, calls included.

import { writeExact } from '../../base/exact-json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { offersTools } from './tools-section.ts'

/** Empty where the request names no format. */
export function formatRequest(request: TurnRequest): string {
  const { responseFormat } = request
  if (responseFormat === undefined) return ''
  const when = offersTools(request) ? 'Whenever you do not call a tool, answer' : 'Answer'
  const only = `${when} with one JSON object and nothing else: no words around it, no code fence.`
  if (responseFormat.type === 'json') return only
  return `${only} It must fit this JSON Schema: ${writeExact(responseFormat.schema)}`
}

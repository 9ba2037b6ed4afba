// The items of a stored input as the API lists them: each with an id, a status and its content as parts.

import { isObject } from '../../base/json.ts'
import { type Fields, invalid } from '../requests/decode.ts'

const prefixes: Readonly<Record<string, string>> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fco',
  custom_tool_call: 'ctc',
  custom_tool_call_output: 'ctco',
  compaction: 'cmp',
}

/** Items without a status of their own. */
const stateless = new Set<unknown>(['reasoning', 'compaction', 'item_reference', 'additional_tools'])

/** `owner`: the random part of the ids that items without one get. */
export function listedItem(item: Fields, at: number, owner: string): Fields {
  const type = typeof item.type === 'string' ? item.type : 'message'
  const id = typeof item.id === 'string' ? item.id : `${prefixes[type] ?? 'item'}_${owner}_in${at}`
  const { content, ...others } = item
  return {
    id,
    type,
    ...(stateless.has(type) ? {} : { status: item.status ?? 'completed' }),
    ...(content === undefined || content === null ? {} : { content: contentParts(content, item.role) }),
    ...withoutNulls(others, ['id', 'type', 'status']),
  }
}

const withoutNulls = (fields: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => value !== null && !names.includes(name)),
  )

function contentParts(content: unknown, role: unknown): unknown {
  if (typeof content === 'string') return [textPart(content, role)]
  return Array.isArray(content) ? content.map((part) => wholePart(part, role)) : content
}

const textPart = (text: unknown, role: unknown): Fields =>
  role === 'assistant' ? { type: 'output_text', text, annotations: [] } : { type: 'input_text', text }

function wholePart(part: unknown, role: unknown): unknown {
  if (!isObject(part)) return part
  if (part.type === 'text') return textPart(part.text, role)
  if (part.type === 'output_text') return { annotations: [], ...part }
  if (part.type === 'input_image') return { image_url: null, detail: 'auto', ...part }
  return part
}

export interface Page {
  order: 'asc' | 'desc'
  limit: number
  after: string | undefined
}

const mostListed = 100
const usuallyListed = 20

/** `order`, `limit` and `after` of a query string. */
export function readPage(query: string): Page {
  const given = new URLSearchParams(query)
  const order = given.get('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw invalid('order', `"${order}" is not an order; use asc or desc`, 'invalid_value')
  const limit = given.get('limit') ?? String(usuallyListed)
  const count = /^\d{1,3}$/.test(limit) ? Number(limit) : 0
  if (count < 1 || count > mostListed)
    throw invalid('limit', `must be an integer from 1 to ${mostListed}, not "${limit}"`, 'invalid_value')
  return { order, limit: count, after: given.get('after') ?? undefined }
}

/** One page of the items, in the form of OpenAI's lists. */
export function pageOf(items: readonly Fields[], { order, limit, after }: Page): Fields {
  const ordered = order === 'asc' ? items : items.toReversed()
  const before = after === undefined ? -1 : ordered.findIndex(({ id }) => id === after)
  if (after !== undefined && before < 0)
    throw invalid('after', `No item with id "${after}" is in this list`, 'invalid_value')
  const data = ordered.slice(before + 1, before + 1 + limit)
  return {
    object: 'list',
    data,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
    has_more: before + 1 + limit < ordered.length,
  }
}

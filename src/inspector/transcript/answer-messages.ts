// The answers of Anthropic's dialect.

import { type Fields, isObject, parseJson, textOf } from '../../base/json.ts'
import { readSearchBlock } from '../../protocols/anthropic-messages/search-blocks.ts'
import { list } from './answer-openai.ts'
import type { AnswerParts } from './answer-parts.ts'
import { opaquePart, searchPart } from './read-messages.ts'

/** Blocks that have no part of their own in the canonical model; their input may come in pieces. */
export type OpenBlocks = Map<string, { block: Fields; pieces: string[] }>

export function readMessagesEvent(event: Fields, parts: AnswerParts, open: OpenBlocks): void {
  const { type, delta, error } = event
  const key = textOf(event.index ?? '')
  if (type === 'message')
    for (const [order, block] of list(event.content).entries()) {
      beginBlock(`${order}`, block, parts, open)
      endBlock(`${order}`, parts, open)
    }
  if (type === 'content_block_start' && isObject(event.content_block))
    beginBlock(key, event.content_block, parts, open)
  if (type === 'content_block_stop') endBlock(key, parts, open)
  if (type === 'error' && isObject(error)) parts.error(error.type, error.message)
  if (type !== 'content_block_delta' || !isObject(delta)) return
  parts.text('text', delta.text, key)
  parts.text('reasoning', delta.thinking, key)
  parts.extendCall(key, delta.partial_json)
  if (typeof delta.partial_json === 'string') open.get(key)?.pieces.push(delta.partial_json)
}

function beginBlock(key: string, block: Fields, parts: AnswerParts, open: OpenBlocks): void {
  if (block.type === 'text') return parts.text('text', block.text, key)
  if (block.type === 'thinking') return parts.text('reasoning', block.thinking, key)
  if (block.type !== 'tool_use') {
    open.set(key, { block, pieces: [] })
    return
  }
  parts.call(key, block.id, block.name)
  if (isObject(block.input) && Object.keys(block.input).length > 0)
    parts.extendCall(key, JSON.stringify(block.input))
}

function endBlock(key: string, parts: AnswerParts, open: OpenBlocks): void {
  // Empty arguments may come without a delta.
  parts.wholeCall(key, '{}')
  const found = open.get(key)
  open.delete(key)
  if (found) parts.add(partOf(found))
}

/** Also for blocks that a running stream has begun. */
export function partOf({ block, pieces }: { block: Fields; pieces: readonly string[] }) {
  const input = pieces.length === 0 ? undefined : parseJson(pieces.join(''))
  const whole = input === undefined ? block : { ...block, input }
  const search = readSearchBlock(whole)
  return search ? searchPart(search) : opaquePart('anthropic-messages', whole)
}

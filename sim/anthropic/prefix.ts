// The digest of everything before a thinking block: system prompt, tools and all earlier messages. It ignores what the service does
// not compare: cache marks, a text as a string or as a block, blanks around texts, the order of tools and of JSON keys, other thinking.

import { createHash, type Hash } from 'node:crypto'
import { isRecord, type Json } from '../shape.ts'
import { type Block, isThinking, type MessagesRequest, toBlocks, type WireTool } from './request.ts'

/** The digest before each message, and after the last. A deferred tool counts from the message on that first names it. */
export function prefixes({ system, tools = [], messages }: MessagesRequest): Hash[] {
  const present = tools.filter((tool) => !isDeferred(tool))
  let waiting = tools.filter(isDeferred)
  const hash = createHash('sha256').update(
    JSON.stringify([textsOf(system ?? []), present.map(comparable).sort(byText)]),
  )
  const out = [hash.copy()]
  for (const { role, content } of messages) {
    const text = messageText(role, toBlocks(content))
    const named = waiting.filter(({ name }) => text.includes(JSON.stringify(name)))
    hash.update(text + named.map(comparable).sort(byText).join('\n'))
    waiting = waiting.filter((tool) => !named.includes(tool))
    out.push(hash.copy())
  }
  return out
}

const isDeferred = ({ defer_loading: deferred }: WireTool) => deferred === true

/** The digest after these blocks of an assistant message. */
export function prefixAfter(before: Hash, blocks: readonly Block[]): string {
  const said = blocks.filter((block) => !isThinking(block))
  const hash = before.copy()
  if (said.length > 0) hash.update(messageText('assistant', said))
  return hash.digest('base64url')
}

const messageText = (role: string, blocks: readonly Block[]) => {
  const said = blocks.filter((block) => !isThinking(block)).flatMap(plainBlock)
  return `${JSON.stringify([role, said.map(sorted)])}\n`
}

const comparable = ({ cache_control: _, ...tool }: WireTool) => JSON.stringify(sorted(tool))

const byText = (a: string, b: string) => (a < b ? -1 : 1)

const textsOf = (content: string | Block[]) =>
  toBlocks(content).flatMap(({ text }) => {
    const trimmed = String(text).trim()
    return trimmed === '' ? [] : [trimmed]
  })

function plainBlock({ cache_control: _, ...block }: Block): Json[] {
  if (block.type === 'text') {
    const text = String(block.text).trim()
    return text === '' ? [] : [{ ...block, text }]
  }
  if (block.type !== 'tool_result') return [block]
  const { content } = block
  const inner = typeof content === 'string' ? toBlocks(content) : Array.isArray(content) ? content : []
  return [{ ...block, content: inner.flatMap(plainBlock) }]
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isRecord(value)) return value
  const entries = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    entries.sort(([a], [b]) => byText(a, b)).map(([key, field]) => [key, sorted(field)]),
  )
}

// Thinking blocks that do not fit their conversation, as the service reports them in answers and refusals.

import { type Fields, isObject } from '../../base/json.ts'
import type { Block } from './media-out.ts'
import { isThinking } from './preserved-thinking.ts'

export const droppedNote = 'the upstream left out earlier thinking: the conversation before it has changed'

/** The request asks the service to drop blocks that do not fit. */
export const isBound = ({ thinking }: Readonly<Fields>): boolean =>
  isObject(thinking) && thinking.block_binding !== undefined

const binding = /block_binding|thinking-binding-controls/
const unknown = /Extra inputs|Unexpected value|not permitted|not supported|not recogni[sz]ed|unknown/i

/** The service does not know `block_binding`. */
export const refusesBinding = (message: string): boolean => binding.test(message) && unknown.test(message)

const path = /messages\.(\d+)\.content\.(\d+)/

/** The blocks that `input_transformations` reports as dropped. */
export const droppedBlocks = (body: Readonly<Fields>, entries: readonly unknown[]): Block[] =>
  entries.flatMap((entry) => {
    const place = isObject(entry) && entry.type === 'thinking_dropped' ? path.exec(String(entry.path)) : null
    const block = place ? contentOf(body, Number(place[1]))[Number(place[2])] : undefined
    return block && isThinking(block) ? [block] : []
  })

/** The block that a refusal names as bound to another conversation, and all thinking after it. */
export function boundBlocks(body: Readonly<Fields>, message: string): Block[] {
  const place = message.includes('bound to a different conversation') ? path.exec(message) : null
  if (!place) return []
  const first = Number(place[1])
  const count = Array.isArray(body.messages) ? body.messages.length : 0
  const blocks: Block[] = []
  for (let at = first; at < count; at++)
    blocks.push(...contentOf(body, at).slice(at === first ? Number(place[2]) : 0))
  return blocks.filter(isThinking)
}

function contentOf({ messages }: Readonly<Fields>, at: number): Block[] {
  const message: unknown = Array.isArray(messages) ? messages[at] : undefined
  return isObject(message) && Array.isArray(message.content) ? message.content : []
}

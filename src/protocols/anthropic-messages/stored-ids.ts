// Ids that lead to things which the service stores: containers, files, message threads. Where several callers share one account, an
// id passes only for the caller that received it.

import { type Fields, isObject } from '../../base/json.ts'

export interface NamedId {
  id: string
  /** Where the request names it. */
  param: string
  what: 'container' | 'file' | 'thread'
}

/** The ids that a request names. */
export function idsNamed(body: Readonly<Fields>): NamedId[] {
  const found: NamedId[] = []
  const add = (id: unknown, param: string, what: NamedId['what']) => {
    if (typeof id === 'string') found.push({ id, param, what })
  }
  const { container, thread, diagnostics } = body
  if (isObject(container)) add(container.id, 'container.id', 'container')
  else add(container, 'container', 'container')
  if (isObject(thread)) add(thread.previous_message_id, 'thread.previous_message_id', 'thread')
  if (isObject(diagnostics)) add(diagnostics.previous_message_id, 'diagnostics.previous_message_id', 'thread')
  for (const part of [body.messages, body.system]) walkFiles(part, (id) => add(id, 'messages', 'file'))
  return found
}

/** Members whose content the model or the client wrote: a `file_id` in there is none. */
const written = new Set(['input', 'input_schema', 'text', 'data', 'citations'])

/** Bodies and answers are bounded in depth before they come here, or by their size. */
function walkFiles(value: unknown, add: (id: unknown) => void, depth = 0): void {
  if (typeof value !== 'object' || value === null || depth > deepest) return
  if (Array.isArray(value)) {
    for (const entry of value) walkFiles(entry, add, depth + 1)
    return
  }
  for (const [name, member] of Object.entries(value)) {
    if (name === 'file_id') add(member)
    else if (!written.has(name)) walkFiles(member, add, depth + 1)
  }
}

/** The limit of request bodies. */
const deepest = 64

const marks = ['"container"', '"file_id"', '"message"']

/** Whether the JSON text of an event or answer can hold such an id. Names inside of texts have escaped quotes. */
export const mayHoldIds = (text: string): boolean => marks.some((name) => text.includes(name))

/** The ids that the service hands out in an event of a stream or in a whole answer. */
export function idsGiven(event: Readonly<Fields>): string[] {
  const found: string[] = []
  const add = (id: unknown) => {
    if (typeof id === 'string') found.push(id)
  }
  const message = isObject(event.message) ? event.message : event
  if (message.type === 'message') add(message.id)
  for (const holder of [message, event.delta])
    if (isObject(holder) && isObject(holder.container)) add(holder.container.id)
  // Only results of the service's own tools: the model writes everything else.
  const blocks = Array.isArray(message.content) ? message.content : [event.content_block]
  for (const block of blocks) if (isServiceResult(block)) walkFiles(block.content, add)
  return found
}

const isServiceResult = (block: unknown): block is Fields =>
  isObject(block) && typeof block.type === 'string' && block.type.endsWith('_tool_result')

// Ids of things that Anthropic stores: containers, files, message threads.

import { type Fields, isObject } from '../../base/json.ts'
import { type IdFinder, type NamedId, walkMembers } from '../requests/stored-ids.ts'

function named(body: Readonly<Fields>): NamedId[] {
  const found: NamedId[] = []
  const add = (id: unknown, param: string, what: 'container' | 'file' | 'thread') => {
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
const fileNames = new Set(['file_id'])

const walkFiles = (value: unknown, add: (id: unknown) => void) => walkMembers(value, fileNames, written, add)

function given(event: Readonly<Fields>): string[] {
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

export const anthropicIds: IdFinder = { marks: ['"container"', '"file_id"', '"message"'], given, named }

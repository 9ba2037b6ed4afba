// Ids of things that a Responses service stores: conversations, prompts, containers, files, vector stores, and the items of its answers.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import { type IdFinder, type NamedId, walkMembers } from '../requests/stored-ids.ts'
import { answerOfItem } from './items-out.ts'

/** Members whose content the model or the client wrote. */
const written = new Set([
  'arguments',
  'text',
  'parameters',
  'input_schema',
  'schema',
  'metadata',
  'code',
  'file_data',
  'image_url',
])

const whats: Record<string, string> = {
  file_id: 'file',
  file_ids: 'file',
  container: 'container',
  container_id: 'container',
  vector_store_ids: 'vector store',
  skill_id: 'skill',
  connector_id: 'connector',
}
const names = new Set(Object.keys(whats))
const idOf = (value: unknown) => (isObject(value) ? value.id : value)
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

function named({ conversation, prompt, input, tools }: Readonly<Fields>): NamedId[] {
  const found: NamedId[] = []
  const add = (id: unknown, param: string, what: string) => {
    if (typeof id === 'string') found.push({ id, param, what })
  }
  add(idOf(conversation), 'conversation', 'conversation')
  if (isObject(prompt)) add(prompt.id, 'prompt.id', 'prompt')
  walkMembers(tools, names, written, (id, name) => add(id, 'tools', whats[name] ?? 'file'))
  walkMembers(input, names, written, (id, name) => add(id, 'input', whats[name] ?? 'file'))
  for (const item of listOf(input)) if (isObject(item) && isLookup(item)) add(item.id, 'input', 'item')
  return found
}

/** Items that carry all of their content. */
const whole = new Set([
  'message',
  'function_call',
  'function_call_output',
  'custom_tool_call',
  'custom_tool_call_output',
])

/** The service finds the content of the item by its id. */
function isLookup({ type, id, encrypted_content: sealed, content }: Fields): boolean {
  if (Array.isArray(content) && content.length > 0) return false
  if (typeof id !== 'string' || answerOfItem(id) !== undefined) return false
  return type !== undefined && !whole.has(textOf(type)) && !sealed
}

/** Only what the service itself writes: a tool of a client could write anything else. */
function given(event: Readonly<Fields>): string[] {
  const found: string[] = []
  const add = (...ids: unknown[]) => {
    for (const id of ids) if (typeof id === 'string') found.push(id)
  }
  const addFile = (holder: unknown) => {
    if (isObject(holder)) add(holder.file_id, holder.container_id)
  }
  const response = isObject(event.response) ? event.response : event
  add(idOf(response.conversation))
  addFile(event.annotation)
  for (const item of [event.item, ...listOf(response.output)]) {
    if (!isObject(item)) continue
    add(item.id, item.container_id)
    for (const part of listOf(item.content)) if (isObject(part)) listOf(part.annotations).forEach(addFile)
    if (item.type === 'file_search_call') listOf(item.results).forEach(addFile)
  }
  return found
}

export const responsesIds: IdFinder = {
  marks: ['"conversation"', '"annotation"', '"item"', '"output"'],
  given,
  named,
}

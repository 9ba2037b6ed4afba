// Ids of things that a Responses service stores: conversations, prompts, containers, files, vector stores.

import { type Fields, isObject } from '../../base/json.ts'
import { type IdFinder, type NamedId, walkMembers } from '../requests/stored-ids.ts'

/** Members whose content the model or the client wrote. */
const written = new Set([
  'arguments',
  'text',
  'parameters',
  'schema',
  'metadata',
  'output',
  'code',
  'file_data',
  'image_url',
])

const whats: Record<string, string> = {
  file_id: 'file',
  file_ids: 'file',
  container_id: 'container',
  vector_store_ids: 'vector store',
  connector_id: 'connector',
}
const names = new Set(Object.keys(whats))
const idOf = (value: unknown) => (isObject(value) ? value.id : value)

function named({ conversation, prompt, input, tools }: Readonly<Fields>): NamedId[] {
  const found: NamedId[] = []
  const add = (id: unknown, param: string, what: string) => {
    if (typeof id === 'string') found.push({ id, param, what })
  }
  add(idOf(conversation), 'conversation', 'conversation')
  if (isObject(prompt)) add(prompt.id, 'prompt.id', 'prompt')
  for (const tool of Array.isArray(tools) ? tools : []) {
    if (isObject(tool)) add(tool.container, 'tools', 'container')
    walkMembers(tool, names, written, (id, name) => add(id, 'tools', whats[name] ?? 'file'))
  }
  walkMembers(input, names, written, (id, name) => add(id, 'input', whats[name] ?? 'file'))
  return found
}

function given(event: Readonly<Fields>): string[] {
  const found: string[] = []
  const add = (id: unknown) => {
    if (typeof id === 'string') found.push(id)
  }
  const response = isObject(event.response) ? event.response : event
  add(idOf(response.conversation))
  walkMembers(response.output ?? event.item ?? event.annotation, names, written, add)
  return found
}

/** Annotations of a text, and calls of tools that the service runs. */
export const responsesIds: IdFinder = {
  marks: ['"conversation"', '"file_id"', '"container_id"'],
  given,
  named,
}

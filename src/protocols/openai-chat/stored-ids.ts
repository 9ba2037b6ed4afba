// Ids of things that a Chat service stores: files, and the audio of its answers.

import { type Fields, isObject } from '../../base/json.ts'
import { type IdFinder, type NamedId, walkMembers } from '../requests/stored-ids.ts'

const names = new Set(['file_id'])
/** Members whose content the model or the client wrote. */
const written = new Set(['arguments', 'text', 'data', 'file_data'])
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
const audioId = (value: unknown) => (isObject(value) && isObject(value.audio) ? value.audio.id : undefined)

function named({ messages }: Readonly<Fields>): NamedId[] {
  const found: NamedId[] = []
  walkMembers(messages, names, written, (id) => found.push({ id, param: 'messages', what: 'file' }))
  for (const message of listOf(messages)) {
    const id = audioId(message)
    if (typeof id === 'string') found.push({ id, param: 'messages', what: 'audio' })
  }
  return found
}

function given({ choices }: Readonly<Fields>): string[] {
  return listOf(choices).flatMap((choice) => {
    const id = isObject(choice) ? (audioId(choice.message) ?? audioId(choice.delta)) : undefined
    return typeof id === 'string' ? [id] : []
  })
}

export const chatIds: IdFinder = { marks: ['"audio"'], given, named }

// Ids of things that Google stores: cached contents, files, stores of files, and the rest of a long answer.

import { type Fields, isObject } from '../../base/json.ts'
import { type IdFinder, type NamedId, walkMembers } from '../requests/stored-ids.ts'
import { member } from './member.ts'
import { isStored } from './parts-in.ts'

const fileNames = new Set(['fileUri', 'file_uri'])
const storeNames = new Set(['fileSearchStoreNames', 'file_search_store_names'])
/** Members whose content the model or the client wrote. */
const written = new Set(['text', 'data', 'args', 'response'])
const none = new Set<string>()

function named(body: Readonly<Fields>): NamedId[] {
  const found: NamedId[] = []
  for (const name of ['cachedContent', 'continuationToken']) {
    const id = member(body, name)
    if (typeof id === 'string') found.push({ id, param: name, what: name })
  }
  for (const part of [body.contents, member(body, 'systemInstruction')])
    walkMembers(part, fileNames, written, (id) => {
      if (isStored(id)) found.push({ id, param: 'contents', what: 'file' })
    })
  walkMembers(body.tools, storeNames, none, (id) => found.push({ id, param: 'tools', what: 'file store' }))
  return found
}

function given({ candidates }: Readonly<Fields>): string[] {
  const all = Array.isArray(candidates) ? candidates.filter(isObject) : []
  return all.flatMap(({ continuationToken: token }) => (typeof token === 'string' ? [token] : []))
}

export const geminiIds: IdFinder = { marks: ['"continuationToken"'], given, named }

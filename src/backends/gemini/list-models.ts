// The models that answer, page by page. Others only embed texts or make pictures.

import { isDeeper } from '../../base/depth.ts'
import { type Fields, isObject } from '../../base/json.ts'
import type { Model } from '../../core/backend.ts'
import { GatewayError } from '../../core/errors.ts'
import { effortsOf, geminiModel } from '../../protocols/gemini/models.ts'
import { fromGeminiError } from '../../protocols/gemini/upstream-errors.ts'
import { askJson, type Question } from '../http/ask-json.ts'

type Listing = Omit<Question, 'body' | 'path' | 'toError'>

const pageSize = 1_000
/** A server whose pages never end is not asked for ever. */
const mostPages = 20

export async function listGeminiModels(listing: Listing, path: string): Promise<Model[]> {
  const models: Model[] = []
  let token = ''
  for (let page = 0; page < mostPages; page++) {
    const query = new URLSearchParams({
      pageSize: String(pageSize),
      ...(token === '' ? {} : { pageToken: token }),
    })
    const { json } = await askJson({ ...listing, path: `${path}?${query}`, toError: fromGeminiError })
    if (!isObject(json) || (json.models !== undefined && !Array.isArray(json.models)))
      throw new GatewayError(
        'upstream-protocol',
        `${listing.backend}: the upstream sent a list of models that cannot be read; is its "baseUrl" right?`,
      )
    for (const entry of (json.models as unknown[]) ?? []) if (isObject(entry)) models.push(...toModel(entry))
    token = typeof json.nextPageToken === 'string' ? json.nextPageToken : ''
    if (token === '') break
  }
  return models
}

/** A larger entry is not passed on to clients. */
const longestEntry = 16 * 1024
const deepestEntry = 16

function toModel(entry: Fields): Model[] {
  const { name, supportedGenerationMethods: methods, displayName, thinking } = entry
  if (typeof name !== 'string' || !Array.isArray(methods) || !methods.includes('generateContent')) return []
  const id = name.replace(/^models\//, '')
  if (id === '') return []
  const facts = geminiModel(id)
  const thinks = typeof thinking === 'boolean' ? thinking : facts.thinking !== undefined
  return [
    {
      id,
      ownedBy: 'google',
      ...(typeof displayName === 'string' && displayName !== '' ? { displayName } : {}),
      ...limitIn(entry, 'inputTokenLimit', 'contextTokens'),
      ...limitIn(entry, 'outputTokenLimit', 'outputTokens'),
      reasoning: thinks,
      efforts: thinks ? effortsOf(facts) : [],
      // Some of the open models cannot see.
      ...(id.startsWith('gemma') ? {} : { images: true }),
      ...(isDeeper(entry, deepestEntry) || JSON.stringify(entry).length > longestEntry
        ? {}
        : { listed: { form: 'gemini', entry } as const }),
    },
  ]
}

const limitIn = (entry: Fields, name: string, as: 'contextTokens' | 'outputTokens'): Partial<Model> => {
  const limit = entry[name]
  return typeof limit === 'number' && limit > 0 ? { [as]: limit } : {}
}

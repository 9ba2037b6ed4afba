// Checks that the search service answers: searches for one word, which counts as a search there.

import type { Environment } from '../config/environment.ts'
import { searchAddress } from '../config/lacks.ts'
import type { Config } from '../config/schema.ts'
import { search } from '../web/search.ts'
import type { Finding } from './check-safety.ts'

const check = 'web search'
const patienceMs = 5_000

export async function checkSearch(
  { lacks }: Config,
  { environmentProxy }: Pick<Environment, 'environmentProxy'>,
): Promise<Finding[]> {
  if (!lacks.search) return []
  const baseUrl = searchAddress(lacks.search)
  const settings = { ...lacks.search, baseUrl, environmentProxy, timeoutMs: patienceMs }
  const found = await search(settings, { query: 'weather', count: 1 }, new AbortController().signal)
  if ('results' in found)
    return [{ check, status: 'ok', message: `${lacks.search.service} answers at ${baseUrl}` }]
  const message = `${found.problem}; ${baseUrl} was asked. Searches of models would fail; all else is not affected`
  return [{ check, status: 'warning', message }]
}

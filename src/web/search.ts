// One search at the configured service. Each has a connection of its own: searches are few, and a changed configuration needs nothing.

import { hasTooManyValues, parseJson } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { WebError, WebResult } from '../core/web.ts'
import {
  readResults,
  refusalAdvice,
  refusalCode,
  type SearchQuestion,
  type SearchServiceName,
  searchService,
} from '../protocols/web-tools/search-services.ts'
import { createUpstreamClient } from '../upstream/client.ts'

export interface SearchSettings {
  service: SearchServiceName
  baseUrl: string
  apiKey?: string | undefined
  /** `HTTPS_PROXY` and the like of the environment apply. */
  environmentProxy?: boolean | undefined
  timeoutMs?: number | undefined
}

type SearchOutcome =
  | { results: WebResult[] }
  /** `problem`: for the operator. It has nothing of the query, and no key. */
  | { error: WebError; problem: string }

const defaultTimeoutMs = 15_000
const mostAnswerBytes = 4 * 1024 * 1024

/** Never rejects, unless the signal aborts. */
export async function search(
  settings: SearchSettings,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<SearchOutcome> {
  const { service, timeoutMs = defaultTimeoutMs } = settings
  const clock = AbortSignal.timeout(timeoutMs)
  try {
    return await ask(settings, question, AbortSignal.any([signal, clock]))
  } catch (error) {
    if (signal.aborted) throw GatewayError.ofAbort(signal)
    const why = clock.aborted ? `did not answer within ${timeoutMs} ms` : `failed: ${messageOf(error)}`
    return { error: 'unavailable', problem: `${service} ${why}` }
  }
}

const messageOf = (error: unknown) => GatewayError.from(error).message

async function ask(
  { service, baseUrl, apiKey, environmentProxy }: SearchSettings,
  question: SearchQuestion,
  signal: AbortSignal,
): Promise<SearchOutcome> {
  const { path, ...request } = searchService(service).request(question, apiKey)
  const client = createUpstreamClient(baseUrl, { name: service, environmentProxy: environmentProxy ?? false })
  try {
    const { status, body } = await client.request({ ...request, path, signal })
    const { bytes, cut } = await body.readAll(mostAnswerBytes)
    if (status !== 200) {
      const advice = refusalAdvice(service, status)
      const told = advice === undefined ? '' : `; ${advice}`
      return { error: refusalCode(status), problem: `${service} answered HTTP ${status}${told}` }
    }
    const text = bytes.toString('utf8')
    const answer = cut || hasTooManyValues(text) ? undefined : parseJson(text)
    const results = readResults(service, answer, question)
    if (results) return { results }
    return {
      error: 'unavailable',
      problem: `${service} answered in a form that is not known; check "lacks.search.baseUrl"`,
    }
  } finally {
    void client.close()
  }
}

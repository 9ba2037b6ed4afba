// Search services: SearXNG, Brave and Tavily, each as strict as its public API: path, method, credential and parameters are checked, and
// what is wrong is refused with the service's own status and body.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface SearchHit {
  url: string
  title: string
  text: string
  age?: string
}

interface SearchRequestRecord {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingMessage['headers']
  body: unknown
}

interface SimAnswer {
  status: number
  body: unknown
}

/** In place of an answer: a status with a body, no answer at all, or a closed connection. */
type SearchFault = SimAnswer | 'hang' | 'reset'

export interface SearchSim {
  readonly url: string
  readonly requests: readonly SearchRequestRecord[]
  /** Requests whose client left before they were answered. */
  readonly left: number
  /** What the next searches find; the last list stays. */
  finds(...lists: SearchHit[][]): void
  /** The next request gets this in place of an answer. */
  fail(fault: SearchFault): void
  clear(): void
  close(): Promise<void>
}

interface SearchSimOptions {
  apiKey?: string
  /** SearXNG: whether "json" is among search.formats. Default: true. */
  json?: boolean
}

type Service = 'searxng' | 'brave' | 'tavily'

type Answer = (
  request: SearchRequestRecord,
  hits: readonly SearchHit[],
  options: SearchSimOptions,
) => SimAnswer

const answers: Record<Service, Answer> = {
  searxng({ method, path, query }, hits, { json = true }) {
    if (path !== '/search' || (method !== 'GET' && method !== 'POST'))
      return { status: 404, body: 'Not Found' }
    if (!query.q) return { status: 400, body: 'no query' }
    if (query.format !== 'json') return { status: 200, body: '<!DOCTYPE html><title>SearXNG</title>' }
    if (!json) return { status: 403, body: '<!doctype html><title>403 Forbidden</title>' }
    const results = hits.map(({ url, title, text, age }, at) => ({
      ...{ url, title, content: text, publishedDate: age ?? null },
      ...{ engine: 'duckduckgo', engines: ['duckduckgo'], score: 1 / (at + 1), category: 'general' },
    }))
    const rest = { answers: [], corrections: [], infoboxes: [], suggestions: [], unresponsive_engines: [] }
    return { status: 200, body: { query: query.q, number_of_results: results.length, results, ...rest } }
  },
  brave({ method, path, query, headers }, hits, { apiKey }) {
    const refuse = (status: number, code: string) => ({
      status,
      body: { type: 'ErrorResponse', error: { id: '1', status, code, detail: code } },
    })
    if (method !== 'GET' || path !== '/res/v1/web/search') return refuse(404, 'NOT_FOUND')
    if (headers['x-subscription-token'] !== apiKey) return refuse(422, 'SUBSCRIPTION_TOKEN_INVALID')
    const { q = '', count = '20' } = query
    const words = q.split(/\s+/).length
    if (q === '' || q.length > 400 || words > 50 || !/^(?:[1-9]|1\d|20)$/.test(count))
      return refuse(422, 'VALIDATION')
    const results = hits.slice(0, Number(count)).map(({ url, title, text, age }) => ({
      ...{ type: 'search_result', url, title, description: `<strong>${text}</strong>` },
      ...{ is_source_local: false, family_friendly: true, language: 'en', ...(age ? { page_age: age } : {}) },
    }))
    const found = results.length === 0 ? {} : { web: { type: 'search', results, family_friendly: true } }
    return { status: 200, body: { type: 'search', query: { original: q }, mixed: {}, ...found } }
  },
  tavily({ method, path, headers, body }, hits, { apiKey }) {
    const refuse = (status: number, error: string) => ({ status, body: { detail: { error } } })
    if (method !== 'POST' || path !== '/search') return refuse(404, 'Not found')
    if (headers.authorization !== `Bearer ${apiKey}`)
      return refuse(401, 'Unauthorized: missing or invalid API key.')
    if (!/^application\/json/.test(headers['content-type'] ?? '')) return refuse(415, 'JSON is needed')
    const {
      query,
      max_results: most = 5,
      include_domains: only = [],
      exclude_domains: without = [],
    } = body as {
      query?: string
      max_results?: number
      include_domains?: string[]
      exclude_domains?: string[]
    }
    if (!query || query.length > 400)
      return refuse(400, 'Query is missing or too long. Max query length is 400 characters.')
    if (!Number.isInteger(most) || most < 0 || most > 20)
      return refuse(400, 'Max results must be between 0 and 20.')
    const isOf = (url: string) => (domain: string) => `.${new URL(url).hostname}`.endsWith(`.${domain}`)
    const results = hits
      .filter(({ url }) => (only.length === 0 || only.some(isOf(url))) && !without.some(isOf(url)))
      .slice(0, most)
      .map(({ url, title, text, age }) => ({
        ...{ url, title, content: text, score: 0.9, raw_content: null },
        ...(age ? { published_date: age } : {}),
      }))
    return { status: 200, body: { query, answer: null, images: [], results, response_time: 0.1 } }
  },
}

export async function startSearchSim(service: Service, options: SearchSimOptions = {}): Promise<SearchSim> {
  const requests: SearchRequestRecord[] = []
  const faults: SearchFault[] = []
  let lists: SearchHit[][] = [[]]
  let left = 0
  const respond = async (request: IncomingMessage, response: ServerResponse) => {
    const record = await readRecord(request)
    requests.push(record)
    const fault = faults.shift()
    if (fault === 'hang') return void response.once('close', () => left++)
    if (fault === 'reset') return void request.socket.destroy()
    const hits = (lists.length > 1 ? lists.shift() : lists[0]) ?? []
    const { status, body } = fault ?? answers[service](record, hits, options)
    const isText = typeof body === 'string'
    response
      .writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json' })
      .end(isText ? body : JSON.stringify(body))
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    get left() {
      return left
    },
    finds(...next) {
      lists = next
    },
    fail: (fault) => void faults.push(fault),
    clear() {
      requests.length = 0
      faults.length = 0
      left = 0
      lists = [[]]
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function readRecord(request: IncomingMessage): Promise<SearchRequestRecord> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const text = Buffer.concat(chunks).toString('utf8')
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://simulator')
  return {
    method: request.method ?? '',
    path: pathname,
    query: Object.fromEntries(searchParams),
    headers: request.headers,
    body: text === '' ? undefined : JSON.parse(text),
  }
}

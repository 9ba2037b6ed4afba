// The search services: what each is asked, and what it answers. An answer is text from outside: it is bounded and reduced to plain text.

import querystring from 'node:querystring'
import { domainToASCII } from 'node:url'
import { type Fields, isObject } from '../../base/json.ts'
import type { WebError, WebResult } from '../../core/web.ts'
import { asAddress } from './addresses.ts'

export const searchServices = ['searxng', 'brave', 'tavily'] as const
export type SearchServiceName = (typeof searchServices)[number]

export interface SearchQuestion {
  query: string
  count: number
  allowed?: readonly string[] | undefined
  blocked?: readonly string[] | undefined
}

interface SearchRequest {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: string
}

interface SearchService {
  /** Absent: everyone has an instance of their own. */
  baseUrl?: string
  needsKey: boolean
  /** Characters of a query that the service takes. */
  longestQuery: number
  request(question: SearchQuestion, apiKey: string | undefined): SearchRequest
  /** Undefined if the answer has another form. */
  results(answer: Fields): unknown[] | undefined
  result(entry: Fields): { title: unknown; text: unknown; age: unknown }
  /** What a refusal means for the person who set it up. */
  advice: Readonly<Record<number, string>>
}

const bearer = (apiKey: string | undefined): Record<string, string> =>
  apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }

const json = { accept: 'application/json' }

/** Domains in a query; the results are filtered anyway. */
const mostInQuery = 5

/** The part before a wildcard, which search services do not know. */
const siteOf = (domain: string) => (withoutScheme(domain).split('*')[0] ?? '').replace(/\/$/, '')

function withSites({ query, allowed = [] }: SearchQuestion): string {
  const sites = allowed.slice(0, mostInQuery).map((domain) => `site:${siteOf(domain)}`)
  if (sites.length === 0 || allowed.length > mostInQuery) return query
  return `${query} ${sites.length === 1 ? sites[0] : `(${sites.join(' OR ')})`}`
}

const services: Record<SearchServiceName, SearchService> = {
  searxng: {
    needsKey: false,
    longestQuery: 1_000,
    request: (question, apiKey) => ({
      method: 'GET',
      path: `/search?${new URLSearchParams({ q: withSites(question), format: 'json' })}`,
      headers: { ...json, ...bearer(apiKey) },
    }),
    results: ({ results }) => listOf(results),
    result: ({ title, content, publishedDate }) => ({ title, text: content, age: publishedDate }),
    advice: {
      403: 'add "json" to search.formats in its settings.yml',
      429: 'its limiter refuses: allow this address in its limiter.toml',
    },
  },
  brave: {
    baseUrl: 'https://api.search.brave.com',
    needsKey: true,
    longestQuery: 400,
    request: (question, apiKey = '') => ({
      method: 'GET',
      path: `/res/v1/web/search?${new URLSearchParams({ q: withSites(question), count: String(question.count) })}`,
      headers: { ...json, 'x-subscription-token': apiKey },
    }),
    // Without a hit there is no `web`.
    results: ({ type, web }) => (isObject(web) ? listOf(web.results) : type === 'search' ? [] : undefined),
    result: ({ title, description, page_age, age }) => ({ title, text: description, age: page_age ?? age }),
    advice: {
      401: 'check "lacks.search.apiKey"',
      403: 'check "lacks.search.apiKey"',
      422: 'check "lacks.search.apiKey"',
      429: 'the rate or the quota of the plan is used up',
    },
  },
  tavily: {
    baseUrl: 'https://api.tavily.com',
    needsKey: true,
    longestQuery: 400,
    request: ({ query, count, allowed = [], blocked = [] }, apiKey) => ({
      method: 'POST',
      path: '/search',
      headers: { ...json, ...bearer(apiKey), 'content-type': 'application/json' },
      body: JSON.stringify({
        query,
        max_results: count,
        ...(allowed.length > 0 ? { include_domains: allowed.map(siteOf) } : {}),
        ...domainsToLeaveOut(blocked),
      }),
    }),
    results: ({ results }) => listOf(results),
    result: ({ title, content, published_date }) => ({ title, text: content, age: published_date }),
    advice: {
      401: 'check "lacks.search.apiKey"',
      429: 'the rate of the plan is used up',
      432: 'the limit of the plan is used up',
      433: 'the pay-as-you-go limit is used up',
    },
  },
}

/** More than what is blocked must not be left out. */
function domainsToLeaveOut(blocked: readonly string[]): { exclude_domains?: string[] } {
  const whole = blocked.filter((domain) => !domain.includes('*')).map(siteOf)
  return whole.length > 0 ? { exclude_domains: whole } : {}
}

const listOf = (value: unknown): unknown[] | undefined => (Array.isArray(value) ? value : undefined)

export const searchService = (name: SearchServiceName): SearchService => services[name]

const [longestUrl, longestTitle, longestText, longestAge] = [2_000, 300, 2_000, 60]

/** Undefined if the answer has another form. */
export function readResults(
  name: SearchServiceName,
  answer: unknown,
  { count, allowed, blocked }: Omit<SearchQuestion, 'query'>,
): WebResult[] | undefined {
  const service = services[name]
  const entries = isObject(answer) ? service.results(answer) : undefined
  if (!entries) return undefined
  const results: WebResult[] = []
  const seen = new Set<string>()
  for (const entry of entries) {
    if (results.length >= count) break
    const url = isObject(entry) ? webAddress(entry.url) : undefined
    if (!isObject(entry) || url === undefined || seen.has(url)) continue
    if (!isAllowedAddress(url, allowed, blocked)) continue
    seen.add(url)
    const { title, text, age } = service.result(entry)
    results.push({
      url,
      title: plain(title, longestTitle) || url,
      text: plain(text, longestText),
      ...(typeof age === 'string' && age !== '' ? { age: plain(age, longestAge) } : {}),
    })
  }
  return results
}

/** Undefined for anything but an address of the web. The model must be able to fetch it. */
function webAddress(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > longestUrl || !/^https?:\/\//i.test(value)) return undefined
  return URL.canParse(value) ? asAddress(value) : undefined
}

const entities = new Map([['amp', '&'], ['lt', '<'], ['gt', '>'], ['quot', '"'], ['#39', "'"], ['#x27', "'"], ['nbsp', ' ']]) // biome-ignore format: a list to be read as one

/** Some services mark the words of the query with tags. */
function plain(value: unknown, longest: number): string {
  if (typeof value !== 'string') return ''
  return (
    value
      .slice(0, 4 * longest)
      .replace(/<\/?[a-z][a-z0-9]{0,15}>/gi, '')
      .replace(/&(#?[a-z0-9]{1,6});/gi, (whole, name: string) => entities.get(name.toLowerCase()) ?? whole)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, ' ')
      .trim()
      .slice(0, longest)
  )
}

/**
 * Domains are as in the Messages API: `example.com` with its subdomains, or with the beginning of a path, in which `*` stands for any
 * characters.
 */
export function isAllowedAddress(
  url: string,
  allowed: readonly string[] | undefined,
  blocked: readonly string[] | undefined,
): boolean {
  const { hostname, pathname } = new URL(url)
  const host = withoutRoot(hostname)
  const path = plainPath(pathname)
  const isOf = (domain: string) => {
    const [name = '', ...rest] = withoutScheme(domain).split('/')
    const own = withoutRoot(domainToASCII(name) || name.toLowerCase())
    const start = rest.length === 0 ? '' : `/${rest.join('/')}`
    return (host === own || host.endsWith(`.${own}`)) && beginsAs(path, start)
  }
  if (blocked?.some(isOf)) return false
  return allowed === undefined || allowed.length === 0 || allowed.some(isOf)
}

const withoutScheme = (domain: string) => domain.replace(/^https?:\/\//i, '')

/** `example.com.` is the same host. */
const withoutRoot = (host: string) => (host.endsWith('.') ? host.slice(0, -1) : host)

/** `%62log` is the same path as `blog`. */
const plainPath = (path: string) => querystring.unescape(path).toLowerCase()

/** Each part between wildcards is looked for once, from left to right. */
function beginsAs(path: string, pattern: string): boolean {
  const [start = '', ...parts] = pattern.split('*').map(plainPath)
  if (!path.startsWith(start)) return false
  let at = start.length
  for (const part of parts) {
    const found = path.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}

/** What a status other than 200 means for the model. */
export const refusalCode = (status: number): WebError =>
  [429, 432, 433].includes(status) ? 'too_many_requests' : 'unavailable'

export const refusalAdvice = (name: SearchServiceName, status: number): string | undefined =>
  services[name].advice[status]

// Runs the web searches and fetches of a turn, within the limits of the configuration and of the request.

import type { WebKind, WebOutcome, WebTool } from '../core/web.ts'
import type { Connect } from '../local-tools/fetch/ask-page.ts'
import { fetchPage } from '../local-tools/fetch/fetch-page.ts'
import { isAddress } from '../protocols/web-tools/addresses.ts'
import { isAllowedAddress, searchService } from '../protocols/web-tools/search-services.ts'
import { type SearchSettings, search } from './search.ts'

interface WebSettings {
  search?: (SearchSettings & { results: number }) | undefined
  fetch?: { bytes: number; connect?: Connect | undefined } | undefined
  /** Whether the configuration says that the service of this model lacks the tool, although it speaks the dialect. */
  isLacking(kind: WebKind, backend: string, model: string): boolean
}

export interface Ran {
  outcome: WebOutcome
  /** Of a failure, for the operator. */
  problem?: string | undefined
}

const longestUrl = 2_000
/** About what a token takes. */
const bytesPerToken = 4

export class WebRunner {
  readonly #settings: WebSettings

  constructor(settings: WebSettings) {
    this.#settings = settings
  }

  runs(kind: WebKind): boolean {
    return this.#settings[kind] !== undefined
  }

  isLacking(kind: WebKind, backend: string, model: string): boolean {
    return this.#settings.isLacking(kind, backend, model)
  }

  /** For notes. */
  nameOf(kind: WebKind): string {
    return kind === 'search' ? (this.#settings.search?.service ?? '') : 'guarded fetcher'
  }

  /** `isKnown`: whether an address occurred in the conversation. */
  run(tool: WebTool, input: string, isKnown: (url: string) => boolean, signal: AbortSignal): Promise<Ran> {
    return tool.kind === 'search'
      ? this.#search(tool, input, signal)
      : this.#fetch(tool, input, isKnown, signal)
  }

  async #search(
    { allowedDomains: allowed, blockedDomains: blocked }: WebTool,
    query: string,
    signal: AbortSignal,
  ): Promise<Ran> {
    const settings = this.#settings.search
    if (!settings) return failed('unavailable')
    if (query.length > searchService(settings.service).longestQuery) return failed('query_too_long')
    const found = await search(settings, { query, count: settings.results, allowed, blocked }, signal)
    return 'results' in found ? { outcome: found } : failed(found.error, found.problem)
  }

  async #fetch(
    { allowedDomains, blockedDomains, maxContentTokens }: WebTool,
    url: string,
    isKnown: (url: string) => boolean,
    signal: AbortSignal,
  ): Promise<Ran> {
    const settings = this.#settings.fetch
    if (!settings) return failed('unavailable')
    if (url.length > longestUrl) return failed('url_too_long')
    if (!isAddress(url) || !URL.canParse(url)) return failed('invalid_tool_input')
    if (!isKnown(url)) return failed('url_not_in_prior_context')
    const isAllowed = (address: string) => isAllowedAddress(address, allowedDomains, blockedDomains)
    if (!isAllowed(url)) return failed('url_not_allowed')
    const limit = (maxContentTokens ?? Number.POSITIVE_INFINITY) * bytesPerToken
    const { connect } = settings
    const got = await fetchPage(
      { kind: 'fetch', url },
      {
        signal,
        isAllowed,
        outputBytes: Math.min(settings.bytes, Math.max(limit, bytesPerToken)),
        ...(connect ? { connect } : {}),
      },
    )
    if (got.kind === 'fetch') return { outcome: { page: got.content, at: new Date().toISOString() } }
    if (got.kind !== 'failed') return failed('unavailable')
    const { error, denied } = got
    if (denied) return failed('url_not_allowed', error)
    return failed(/is no text\.$/.test(error) ? 'unsupported_content_type' : 'url_not_accessible', error)
  }
}

type Failure = Extract<WebOutcome, { error: string }>['error']

const failed = (error: Failure, problem?: string): Ran => ({ outcome: { error }, problem })

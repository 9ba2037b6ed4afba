// Web search and fetch: tools that some services run themselves. The gateway runs them for a model whose service does not.

import type { GatewayError } from './errors.ts'
import type { OpaqueTool } from './request.ts'

export type WebKind = 'search' | 'fetch'

/** A tool of the request that the service should run. */
export interface WebTool {
  readonly kind: WebKind
  /** Its name for the model. */
  readonly name: string
  readonly tool: OpaqueTool
  readonly maxUses?: number | undefined
  readonly allowedDomains?: readonly string[] | undefined
  readonly blockedDomains?: readonly string[] | undefined
  /** Of a page that is fetched. */
  readonly maxContentTokens?: number | undefined
}

export interface WebTools {
  readonly tools: readonly WebTool[]
  /** Those of `TurnRequest.needs` that do not count if the gateway runs the tools. */
  readonly needs: readonly GatewayError[]
  /** The request wants this one to be used, in the dialect's own way. */
  readonly chosen?: WebKind | undefined
}

export interface WebResult {
  readonly url: string
  readonly title: string
  /** What the page says about the query. */
  readonly text: string
  /** When the page was written, in the words of the search service. */
  readonly age?: string | undefined
}

/** The codes of the Messages API, which has the finest. */
export type WebError =
  | 'invalid_tool_input'
  | 'unavailable'
  | 'max_uses_exceeded'
  | 'too_many_requests'
  | 'query_too_long'
  | 'url_too_long'
  | 'url_not_allowed'
  | 'url_not_in_prior_context'
  | 'url_not_accessible'
  | 'unsupported_content_type'

export type WebOutcome =
  | { readonly results: readonly WebResult[] }
  /** `at`: when the page was fetched, as ISO 8601. */
  | { readonly page: string; readonly at: string }
  | { readonly error: WebError }

export interface WebUse {
  readonly kind: WebKind
  /** The query, or the address. */
  readonly input: string
  readonly outcome: WebOutcome
}

/** What a part of an earlier message says about a web search or fetch: the call, its result, or both. */
export interface WebPart {
  readonly id: string
  readonly kind: WebKind
  /** JSON text of the arguments. */
  readonly input?: string
  /** Text for a model. */
  readonly result?: string
}

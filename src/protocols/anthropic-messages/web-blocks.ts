// Web search and fetch as the tools and blocks of the Messages API: what a request asks for, what an answer shows, what a history has.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { WebEvent } from '../../core/events.ts'
import type { OpaqueTool } from '../../core/request.ts'
import type { WebKind, WebPart, WebResult, WebTool, WebTools } from '../../core/web.ts'
import { errorText, resultsText } from '../web-tools/function-tools.ts'

const kinds: readonly (readonly [RegExp, WebKind])[] = [
  [/^web_search(?:_\d|$)/, 'search'],
  [/^web_fetch(?:_\d|$)/, 'fetch'],
]

export const webKindOf = (type: string): WebKind | undefined =>
  kinds.find(([pattern]) => pattern.test(type))?.[1]

/** `needs`: of the request, because services of other dialects have no such tools. */
export function readWebTools(
  opaqueTools: readonly OpaqueTool[],
  needs: readonly GatewayError[],
): WebTools | undefined {
  const tools = opaqueTools.flatMap((tool): WebTool[] => {
    const kind = webKindOf(tool.kind)
    if (!kind) return []
    const { max_uses: uses, allowed_domains: allowed, blocked_domains: blocked } = tool.value
    return [
      {
        ...{ kind, tool, name: tool.name ?? `web_${kind}` },
        maxUses: countOf(uses),
        allowedDomains: namesIn(allowed),
        blockedDomains: namesIn(blocked),
        maxContentTokens: countOf(tool.value.max_content_tokens),
      },
    ]
  })
  const own = needs.filter(({ param, message }) => param === 'tools' && /^tools: Web /.test(message))
  return tools.length > 0 ? { tools, needs: own } : undefined
}

const countOf = (value: unknown) =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined

const mostDomains = 100

const namesIn = (value: unknown): string[] | undefined =>
  Array.isArray(value)
    ? value.filter((one): one is string => typeof one === 'string' && one !== '').slice(0, mostDomains)
    : undefined

/** Ids of uses by the gateway. The service does not know them, nor what is sealed in their results. */
const ownId = /^srvtoolu_dragoman_/

export const isOwnWebBlock = ({ id, tool_use_id: callId }: Fields): boolean =>
  ownId.test(textOf(id ?? callId))

const direct = { caller: { type: 'direct' } }

export function webBlocks({ id, name, use }: WebEvent): [call: Fields, result: Fields] {
  const blockId = `srvtoolu_dragoman_${id}`
  const { kind, input, outcome } = use
  const call = {
    type: 'server_tool_use',
    ...{ id: blockId, name },
    input: kind === 'search' ? { query: input } : { url: input },
    ...direct,
  }
  const head = { type: `web_${kind}_tool_result`, tool_use_id: blockId }
  if ('error' in outcome)
    return [
      call,
      { ...head, content: { type: `web_${kind}_tool_result_error`, error_code: outcome.error }, ...direct },
    ]
  const content =
    'page' in outcome ? fetched(input, outcome.page, outcome.at) : outcome.results.map(searchResult)
  return [call, { ...head, content, ...direct }]
}

const searchResult = ({ url, title, text, age }: WebResult): Fields => ({
  type: 'web_search_result',
  ...{ url, title },
  encrypted_content: `${sealMark}${Buffer.from(text).toString('base64')}`,
  page_age: age ?? null,
})

/** The excerpt comes back with the history. It is no secret: the mark says whose it is. */
const sealMark = 'dragoman.'

const fetched = (url: string, page: string, at: string): Fields => ({
  type: 'web_fetch_result',
  url,
  content: {
    type: 'document',
    source: { type: 'text', media_type: 'text/plain', data: page },
    title: null,
    citations: null,
  },
  retrieved_at: at,
})

interface WebCounts {
  web_search_requests: number
  web_fetch_requests: number
}

/** Undefined if there was no use. Failures are not counted. */
export function webUsage(events: readonly WebEvent[]): { server_tool_use?: WebCounts } {
  if (events.length === 0) return {}
  const count = (kind: WebKind) =>
    events.filter(({ use }) => use.kind === kind && !('error' in use.outcome)).length
  return { server_tool_use: { web_search_requests: count('search'), web_fetch_requests: count('fetch') } }
}

/** What a block of the history says about a web search or fetch; undefined for any other. */
export function readWebBlock(block: Fields): WebPart | undefined {
  const { type, id, name, input, tool_use_id: callId, content } = block
  if (type === 'server_tool_use') {
    const kind = webKindOf(textOf(name))
    return kind && { id: textOf(id), kind, input: JSON.stringify(isObject(input) ? input : {}) }
  }
  const kind = webKindOf(/^(web_(?:search|fetch))_tool_result$/.exec(textOf(type))?.[1] ?? '')
  return kind && { id: textOf(callId), kind, result: resultOf(kind, content) }
}

function resultOf(kind: WebKind, content: unknown): string {
  if (isObject(content) && typeof content.error_code === 'string')
    return errorText(kind, content.error_code.slice(0, 100))
  if (kind === 'search')
    return resultsText(Array.isArray(content) ? content.filter(isObject).map(readResult) : [])
  const document = isObject(content) && isObject(content.content) ? content.content : {}
  const source = isObject(document.source) ? document.source : {}
  return typeof source.data === 'string' && source.type === 'text' ? source.data : 'The page is not text.'
}

const readResult = ({ url, title, encrypted_content: sealed, page_age: age }: Fields): WebResult => ({
  url: textOf(url ?? ''),
  title: textOf(title ?? ''),
  text:
    typeof sealed === 'string' && sealed.startsWith(sealMark)
      ? Buffer.from(sealed.slice(sealMark.length), 'base64').toString('utf8')
      : '',
  ...(typeof age === 'string' ? { age } : {}),
})

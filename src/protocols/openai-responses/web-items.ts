// Web search as the tool and the item of the Responses API: what a request asks for, what an answer shows, what a history has.

import { type Fields, isObject, textOf } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { WebEvent } from '../../core/events.ts'
import type { OpaqueTool } from '../../core/request.ts'
import type { WebKind, WebPart, WebTool, WebTools } from '../../core/web.ts'
import { type Item, itemId } from './items-out.ts'

const isWebSearch = (type: string) => /^web_search(?:_preview)?(?:_\d|$)/.test(type)

/** `needs`: a `tool_choice` that names the search is among them. */
export function readWebTools(
  opaqueTools: readonly OpaqueTool[],
  choice: unknown,
  needs: readonly GatewayError[],
): WebTools | undefined {
  const tool = opaqueTools.find(({ kind }) => isWebSearch(kind))
  if (!tool) return undefined
  const { filters } = tool.value
  const domains = isObject(filters) && Array.isArray(filters.allowed_domains) ? filters.allowed_domains : []
  const allowedDomains = domains.filter((one): one is string => typeof one === 'string').slice(0, mostDomains)
  const search: WebTool = { kind: 'search', name: 'web_search', tool, allowedDomains }
  // This search opens pages too, where that is allowed.
  const fetch: WebTool = { kind: 'fetch', name: 'web_fetch', tool, allowedDomains }
  const isChosen = isObject(choice) && isWebSearch(textOf(choice.type))
  return {
    tools: [search, fetch],
    needs: isChosen ? needs.filter(({ param }) => param === 'tool_choice.type') : [],
    chosen: isChosen ? 'search' : undefined,
  }
}

const mostDomains = 100

interface ItemPlace {
  id: string
  /** The client asked for the addresses that were found. */
  includesSources?: boolean | undefined
}

export const webItem = ({ use }: WebEvent, index: number, { id, includesSources }: ItemPlace): Item => ({
  id: itemId('web_search_call', id, index),
  type: 'web_search_call',
  status: 'error' in use.outcome ? 'failed' : 'completed',
  action:
    use.kind === 'fetch'
      ? { type: 'open_page', url: use.input }
      : {
          ...{ type: 'search', query: use.input, queries: [use.input] },
          ...(includesSources && 'results' in use.outcome
            ? { sources: use.outcome.results.map(({ url }) => ({ type: 'url', url })) }
            : {}),
        },
})

/** Items that this gateway made: no service knows their ids. */
export const isOwnWebItem = ({ type, id }: Fields): boolean =>
  type === 'web_search_call' && /^ws_[A-Za-z0-9]+_\d+$/.test(textOf(id))

/** What an item of the history says about a web search; undefined for any other. The API keeps no results in it. */
export function readWebItem(item: Fields): WebPart | undefined {
  if (item.type !== 'web_search_call') return undefined
  const id = textOf(item.id)
  const action = isObject(item.action) ? item.action : {}
  const kind: WebKind = action.type === 'open_page' ? 'fetch' : 'search'
  const asked = kind === 'fetch' ? { url: textOf(action.url ?? '') } : { query: textOf(action.query ?? '') }
  const sources = Array.isArray(action.sources) ? action.sources.filter(isObject) : []
  const found = sources.map(({ url }) => textOf(url ?? '')).join('\n')
  const kept = 'What it gave is not kept; the answer after it was written from it.'
  return { id, kind, input: JSON.stringify(asked), result: found === '' ? kept : `${found}\n${kept}` }
}

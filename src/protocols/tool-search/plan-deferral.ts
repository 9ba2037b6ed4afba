// Which tools of a request the model gets, and which it has to search for. The first part of the list depends on the client's tools
// alone, and loaded tools are added at its end in the order of their loading: the list only grows while a conversation goes on, so that
// prompt caches hold.

import type { Tool, TurnRequest } from '../../core/request.ts'
import { loadsIn, referencesAsText, searchesAsCalls } from './past-searches.ts'
import { isServerTool, searchTool } from './search-tool.ts'

interface DeferralFacts {
  /** The most tools that the service takes; undefined if there is no limit. */
  limit?: number | undefined
  /** The service itself searches the deferred tools of this request. */
  searches: boolean
  /** What earlier turns of the conversation loaded, in order. */
  remembered: readonly string[]
}

export interface DeferralPlan {
  /** The request without its deferred tools. */
  readonly request: TurnRequest
  /** The tools that the model has from the start. */
  readonly core: readonly Tool[]
  readonly deferred: readonly Tool[]
  readonly searchTool: Tool
  readonly by: 'words' | 'pattern'
  /** The client knows the search as one of its service. */
  readonly isShown: boolean
  /** Names, in the order of their loading. */
  readonly loaded: readonly string[]
  /** How many of them the model gets at once. */
  readonly room: number
}

/** Places that stay free for tools that are found. */
const mostRoom = 16

/** Undefined if the model gets all tools, or the service does the work. */
export function planDeferral(request: TurnRequest, facts: DeferralFacts): DeferralPlan | undefined {
  const { tools, toolSearch } = request
  const { limit, searches } = facts
  const isShown = toolSearch !== undefined && !searches
  const isTooMany = limit !== undefined && !searches && tools.length > limit
  const marked = isShown ? tools.filter(({ deferred }) => deferred) : []
  if (marked.length === 0 && !isTooMany) return undefined
  const core = fittingCore(marked.length > 0 ? tools.filter(({ deferred }) => !deferred) : tools, limit)
  const isCore = new Set(core)
  const deferred = tools.filter((tool) => !isCore.has(tool))
  const name = isShown ? toolSearch.name : freeName(tools)
  const by = isShown ? toolSearch.by : 'words'
  const base = withoutSearch(request, isShown ? name : undefined)
  const plan = {
    request: base,
    core,
    deferred,
    searchTool: searchTool(name, by, deferred),
    by,
    isShown,
    room: limit === undefined ? Number.POSITIVE_INFINITY : Math.max(0, limit - core.length - 1),
  }
  // A client that sees the searches sends them back.
  return { ...plan, loaded: loadedAtFirst(request, plan, isShown ? [] : facts.remembered) }
}

/** The request for the model, with the tools that are loaded. */
export function requestWith(
  plan: DeferralPlan,
  request: TurnRequest,
  loaded: readonly string[],
  maySearch: boolean,
): TurnRequest {
  const { core, deferred, searchTool } = plan
  const byName = new Map(deferred.map((tool) => [tool.name, tool]))
  const added = loaded.flatMap((name) => byName.get(name) ?? [])
  const tools = [...core, ...(maySearch ? [searchTool] : []), ...added].map(asLoaded)
  return { ...request, tools }
}

function asLoaded(tool: Tool): Tool {
  if (!tool.deferred) return tool
  const { deferred: _marked, ...loaded } = tool
  return loaded
}

/** The tools that fit, in the client's order: its own before those of servers. */
function fittingCore(tools: readonly Tool[], limit: number | undefined): readonly Tool[] {
  if (limit === undefined || tools.length + 1 + roomOf(limit) <= limit) return tools
  const most = Math.max(0, limit - 1 - roomOf(limit))
  const own = tools.filter(({ name, deferred }) => !deferred && !isServerTool(name))
  const isOwn = new Set(own)
  const kept = new Set([...own, ...tools.filter((tool) => !isOwn.has(tool))].slice(0, most))
  return tools.filter((tool) => kept.has(tool))
}

const roomOf = (limit: number) => Math.min(mostRoom, Math.floor(limit / 4))

/** Loads a tool. If there is no room, the one that was loaded first makes way: it can be found again. */
export function load(loaded: Set<string>, name: string, room: number): void {
  if (loaded.has(name)) return
  loaded.add(name)
  for (const oldest of loaded) {
    if (loaded.size <= room) return
    loaded.delete(oldest)
  }
}

function loadedAtFirst(
  { messages, toolChoice }: TurnRequest,
  { deferred, room }: Pick<DeferralPlan, 'deferred' | 'room'>,
  remembered: readonly string[],
): string[] {
  const isDeferred = new Set(deferred.map(({ name }) => name))
  const named = toolChoice?.type === 'tool' ? [toolChoice.name] : []
  const known = new Set(remembered)
  // What has made way and was called once must not push out what was found since.
  const earlier = [...loadsIn(messages)].filter((name) => !known.has(name))
  const loaded = new Set<string>()
  for (const name of [...earlier, ...remembered, ...named]) if (isDeferred.has(name)) load(loaded, name, room)
  return [...loaded]
}

/** The request without the search tool of the client's service. `name`: earlier searches become calls of this tool. */
function withoutSearch(request: TurnRequest, name: string | undefined): TurnRequest {
  const { opaqueTools, toolSearch, ...rest } = request
  const others = opaqueTools?.filter((tool) => tool !== toolSearch?.tool) ?? []
  const known = referencesAsText(request.messages)
  const messages = name === undefined ? known : searchesAsCalls(known, name)
  return {
    ...rest,
    messages,
    ...(others.length > 0 ? { opaqueTools: others } : {}),
    origin: { ...request.origin, faithful: false },
  }
}

function freeName(tools: readonly Tool[]): string {
  const taken = new Set(tools.map(({ name }) => name))
  let name = 'search_tools'
  for (let copy = 2; taken.has(name); copy++) name = `search_tools_${copy}`
  return name
}

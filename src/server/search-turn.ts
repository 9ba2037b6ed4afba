// A turn with deferred tools: the gateway answers the model's searches and asks again with the tools that were found, until the model
// calls other tools or is finished. The client sees one answer.
//
// If the model searches and calls other tools at once, the client gets those calls and the answer ends: what was found is loaded for
// the next request. So no call is lost, and none is made twice.

import { type CollectedTurn, TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { followUp } from '../core/follow-up.ts'
import { JoinedAnswer } from '../core/joined-answer.ts'
import type { ToolResult, TurnRequest } from '../core/request.ts'
import type { Turn } from '../core/turn.ts'
import { type DeferralPlan, load, requestWith } from '../protocols/tool-search/plan-deferral.ts'
import { queryOf, resultText } from '../protocols/tool-search/search-tool.ts'
import { ToolSearcher } from '../protocols/tool-search/tool-searcher.ts'
import type { DeferredTurn } from './tool-deferral.ts'

interface SearchTurnOptions {
  deferred: DeferredTurn
  first: Turn
  /** The next request of the same turn, to the same backend. */
  ask(request: TurnRequest): Promise<Turn>
  /** The results of this call will never come. */
  abandon(callId: string): void
  onSearch?(found: number): void
}

type CallEnd = Extract<TurnEvent, { type: 'tool-call-end' }>

/** Searches in one answer. After them the model has to go on with the tools that it has. */
const mostSearches = 8
/** Characters of one part, as for local tools. */
const longestPart = 16 * 1024 * 1024

export async function* searchTurn(options: SearchTurnOptions): AsyncGenerator<TurnEvent[]> {
  const { plan, remember } = options.deferred
  const searches = new Searches(plan, options.onSearch)
  let { request } = options.deferred
  let turn = options.first
  const answer = new JoinedAnswer({
    progressAs: 'off',
    onlyLastText: request.responseFormat !== undefined,
    tellsLastInput: true,
    showsCall: ({ name }) => name !== plan.searchTool.name,
    onHiddenCall: (call) => searches.answer(call),
  })
  try {
    for (;;) {
      const leg = new TurnCollector({ maxLength: longestPart })
      for (let batch = await turn.next(); batch !== undefined; batch = await turn.next()) {
        leg.push(batch)
        yield answer.show(batch)
      }
      if (leg.error) return yield answer.fail(leg.error)
      if (leg.tooLong) return yield answer.fail(tooLong())
      const { results } = searches
      if (results.length > 0) remember(searches.loaded)
      if (!isOnlySearch(leg.turn, results)) return yield answer.end(leg.turn)
      if (searches.isOver)
        return yield answer.stop(`(Stopped after ${searches.count} searches for tools.)`, leg.turn)
      answer.next(leg.turn)
      request = searches.next(followUp(request, leg.turn, results))
      turn = await options.ask(request)
      searches.results = []
    }
  } catch (error) {
    yield answer.fail(GatewayError.from(error))
  } finally {
    // Also if the client is gone, or its answer takes too much memory: the reader has stopped.
    if (!turn.over) turn.stop()
    for (const { callId } of searches.results) options.abandon(callId)
  }
}

const isOnlySearch = ({ reason, parts }: CollectedTurn, results: readonly ToolResult[]) =>
  reason === 'tool-calls' && parts.filter(({ type }) => type === 'tool-call').length === results.length

/** The searches of one answer, and what they have loaded. */
class Searches {
  readonly #plan: DeferralPlan
  readonly #onSearch: SearchTurnOptions['onSearch']
  readonly #searcher: ToolSearcher
  readonly #loaded: Set<string>
  /** What the model has not been told yet. */
  results: ToolResult[] = []
  count = 0
  /** The model has no search tool any more. Some call it all the same. */
  isOver = false

  constructor(plan: DeferralPlan, onSearch: SearchTurnOptions['onSearch']) {
    this.#plan = plan
    this.#onSearch = onSearch
    this.#searcher = new ToolSearcher(plan.deferred, plan)
    this.#loaded = new Set(plan.loaded)
  }

  get loaded(): string[] {
    return [...this.#loaded]
  }

  /** Returns what the client sees of it. */
  answer({ callId, input }: CallEnd): TurnEvent[] {
    const query = queryOf(input)
    const found = this.#searcher.search(query)
    for (const { name } of found) load(this.#loaded, name, this.#plan.room)
    this.count++
    this.#onSearch?.(found.length)
    const text = resultText(found.map(({ name }) => name))
    this.results.push({ callId, content: [{ type: 'text', text }] })
    const { isShown, searchTool } = this.#plan
    return isShown ? [{ type: 'tool-search', id: callId, name: searchTool.name, query, found }] : []
  }

  /** The next request, with the tools that are loaded by now. */
  next(request: TurnRequest): TurnRequest {
    this.isOver = this.count >= mostSearches
    const free = withFreeChoice(request, this.#plan.searchTool.name)
    return requestWith(this.#plan, free, this.loaded, !this.isOver)
  }
}

/** A choice that names the search is fulfilled by the first search. */
function withFreeChoice(request: TurnRequest, searchName: string): TurnRequest {
  const { toolChoice, ...rest } = request
  return toolChoice?.type === 'tool' && toolChoice.name === searchName ? rest : request
}

const tooLong = () =>
  new GatewayError('upstream-protocol', `A part of the answer was longer than ${longestPart} characters.`)

// A turn with deferred tools: the gateway answers the model's searches and asks again with the tools that were found, until the model
// calls other tools or is finished. The client sees one answer.
//
// If the model searches and calls other tools at once, the client gets those calls and the answer ends: what was found is loaded for
// the next request. So no call is lost, and none is made twice.

import { TurnCollector } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { followUp } from '../core/follow-up.ts'
import { JoinedAnswer } from '../core/joined-answer.ts'
import type { ToolResult, TurnRequest } from '../core/request.ts'
import type { Turn } from '../core/turn.ts'
import { requestWith } from '../protocols/tool-search/plan-deferral.ts'
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

export async function* searchTurn({
  deferred: { plan, request: firstRequest, remember },
  first,
  ask,
  abandon,
  onSearch,
}: SearchTurnOptions): AsyncGenerator<TurnEvent[]> {
  const { searchTool, isShown } = plan
  const searcher = new ToolSearcher(plan.deferred, plan.by)
  const loaded = new Set(plan.loaded)
  let request = firstRequest
  let turn = first
  let searches = 0
  let results: ToolResult[] = []
  const onHiddenCall = ({ callId, input }: CallEnd): TurnEvent[] => {
    const query = queryOf(input)
    const found = searcher.search(query)
    for (const { name } of found) loaded.add(name)
    searches++
    onSearch?.(found.length)
    const text = resultText(found.map(({ name }) => name))
    results.push({ callId, content: [{ type: 'text', text }] })
    return isShown ? [{ type: 'tool-search', id: callId, name: searchTool.name, query, found }] : []
  }
  const answer = new JoinedAnswer({
    progressAs: 'off',
    onlyLastText: request.responseFormat !== undefined,
    showsCallsOf: (name) => name !== searchTool.name,
    onHiddenCall,
  })
  for (;;) {
    const leg = new TurnCollector({ maxLength: longestPart })
    results = []
    for (let batch = await turn.next(); batch !== undefined; batch = await turn.next()) {
      leg.push(batch)
      yield answer.show(batch)
    }
    if (leg.error) return yield answer.fail(leg.error)
    if (leg.tooLong) return yield answer.fail(tooLong())
    if (results.length > 0) remember([...loaded])
    const calls = leg.turn.parts.filter((part) => part.type === 'tool-call')
    const isOnlySearch = leg.turn.reason === 'tool-calls' && calls.length === results.length
    if (!isOnlySearch) {
      for (const { callId } of results) abandon(callId)
      return yield answer.end(leg.turn)
    }
    try {
      answer.next(leg.turn)
      const next = followUp(request, leg.turn, results)
      request = requestWith(plan, withFreeChoice(next, searchTool.name), [...loaded], searches < mostSearches)
      turn = await ask(request)
    } catch (error) {
      for (const { callId } of results) abandon(callId)
      return yield answer.fail(GatewayError.from(error))
    }
  }
}

/** A choice that names the search is fulfilled by the first search. */
function withFreeChoice(request: TurnRequest, searchName: string): TurnRequest {
  const { toolChoice, ...rest } = request
  return toolChoice?.type === 'tool' && toolChoice.name === searchName ? rest : request
}

const tooLong = () =>
  new GatewayError('upstream-protocol', `A part of the answer was longer than ${longestPart} characters.`)

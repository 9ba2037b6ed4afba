// POST /v1/responses/compact, and a create whose last item is a `compaction_trigger`.

import type { CollectedTurn } from '../core/collect.ts'
import { GatewayError } from '../core/errors.ts'
import type { TurnEvent } from '../core/events.ts'
import { TurnBudget, textCost } from '../core/turn-budget.ts'
import { openaiErrorStatus } from '../protocols/errors/openai-error.ts'
import {
  checkSummary,
  compactionItem,
  messagesKept,
  sealedSummary,
  summaryTurn,
  textsKept,
} from '../protocols/openai-responses/compaction.ts'
import { responsesErrorBody } from '../protocols/openai-responses/errors.ts'
import { referredAnswers } from '../protocols/openai-responses/references-in.ts'
import { fromResponsesRequest, type ResponsesRequest } from '../protocols/openai-responses/request-in.ts'
import {
  type FinishedResponse,
  type ResponseOptions,
  responseEnded,
  responseId,
  responsesUsage,
} from '../protocols/openai-responses/response-out.ts'
import {
  ResponsesWriter,
  type ResponsesWriterOptions,
  responsesKeepAlive,
} from '../protocols/openai-responses/write.ts'
import { object } from '../protocols/requests/decode.ts'
import type { AnswerFacts, Door, EventWriter } from './door.ts'
import type { CallerResponses } from './response-store.ts'

const textOf = ({ parts }: CollectedTurn) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

export const compactDoor = (earlier: CallerResponses): Door => ({
  name: 'openai-responses',
  keepAlive: responsesKeepAlive,
  errorBody: responsesErrorBody,
  errorStatus: openaiErrorStatus,
  prepare: (body) => earlier.gather(referredAnswers(body)),
  read(body, notes) {
    const { model, input, previous_response_id, instructions, prompt_cache_key } = object(body, 'body')
    const asked = { model, input, previous_response_id, instructions, prompt_cache_key, store: false }
    const request = fromResponsesRequest(asked, notes, earlier)
    return {
      model: request.model,
      turn: summaryTurn(request.turn),
      writer: () => {
        throw new GatewayError('internal', 'A compaction is not streamed.')
      },
      answer(turn, { id, createdAt }) {
        const summary = textOf(turn)
        checkSummary(summary, turn.reason)
        const kept = messagesKept(request.items, id)
        const sealed = earlier.seal(sealedSummary(summary))
        return {
          id: responseId(earlier.idOf(id)),
          object: 'response.compaction',
          created_at: createdAt,
          output: [...kept, compactionItem(id, kept.length, sealed)],
          usage: responsesUsage(turn.usage),
        }
      },
    }
  },
})

type ItemOf = (summary: string) => ReturnType<typeof compactionItem>
type Keep = (answer: FinishedResponse) => unknown

interface Trigger {
  request: ResponsesRequest
  earlier: CallerResponses
  /** The options of this answer. */
  about(facts: AnswerFacts): ResponseOptions
}

/** The answer to a trigger is one `compaction` item. A conversation that continues it begins with that item. */
export function triggeredCompaction({ request, earlier, about }: Trigger) {
  const said = textsKept(request.turn.messages)
  const itemOf = (summary: string, id: string) =>
    compactionItem(id, 0, earlier.seal(sealedSummary(summary, said)))
  const keep = (answer: FinishedResponse) => {
    earlier.keep({ ...request, items: [] }, answer)
    return answer.response
  }
  return {
    turn: summaryTurn(request.turn),
    writer: (options: ResponsesWriterOptions): EventWriter =>
      new CompactionWriter(options, (summary) => itemOf(summary, options.id), keep),
    answer(turn: CollectedTurn, facts: AnswerFacts) {
      const summary = textOf(turn)
      checkSummary(summary, turn.reason)
      const options = about(facts)
      return keep(responseEnded(options, [itemOf(summary, options.id)], { ...turn, reason: 'stop' }))
    },
  }
}

class CompactionWriter implements EventWriter {
  readonly #writer: ResponsesWriter
  readonly #itemOf: ItemOf
  readonly #keep: Keep
  readonly #budget: TurnBudget
  #summary = ''

  constructor(options: ResponsesWriterOptions, itemOf: ItemOf, keep: Keep) {
    this.#writer = new ResponsesWriter(options)
    this.#itemOf = itemOf
    this.#keep = keep
    this.#budget = options.budget ?? new TurnBudget()
  }

  push(events: readonly TurnEvent[]): string {
    let out = ''
    for (const event of events) out += this.#write(event)
    if (this.#writer.finished) this.#keep(this.#writer.finished)
    return out
  }

  opening(): string {
    return this.#writer.opening()
  }

  keepAlive(): string {
    return this.#writer.keepAlive()
  }

  #write(event: TurnEvent): string {
    switch (event.type) {
      case 'turn-start':
      case 'turn-error':
        return this.#writer.push([event])
      case 'text-delta':
        this.#budget.spend(textCost(event.delta))
        this.#summary += event.delta
        return ''
      case 'turn-end':
        return this.#end(event)
      default:
        return ''
    }
  }

  #end(event: Extract<TurnEvent, { type: 'turn-end' }>): string {
    try {
      checkSummary(this.#summary, event.reason)
    } catch (error) {
      return this.#writer.push([{ type: 'turn-error', error: GatewayError.from(error) }])
    }
    const item = this.#writer.whole(this.#itemOf(this.#summary))
    return item + this.#writer.push([{ ...event, reason: 'stop' }])
  }
}

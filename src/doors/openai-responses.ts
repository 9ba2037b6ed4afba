// POST /v1/responses, and what can be asked of stored responses.

import type { Fields } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import { openaiErrorStatus } from '../protocols/errors/openai-error.ts'
import { dialect } from '../protocols/openai-responses/dialect.ts'
import { responsesErrorBody } from '../protocols/openai-responses/errors.ts'
import { forwardedResponse } from '../protocols/openai-responses/forwarded.ts'
import { listedItem, pageOf, readPage } from '../protocols/openai-responses/listed-items.ts'
import { referredAnswers } from '../protocols/openai-responses/references-in.ts'
import { fromResponsesRequest } from '../protocols/openai-responses/request-in.ts'
import { type FinishedResponse, wholeResponse } from '../protocols/openai-responses/response-out.ts'
import { ResponsesWriter, responsesKeepAlive } from '../protocols/openai-responses/write.ts'
import { triggeredCompaction } from './compaction.ts'
import type { AnswerFacts, Door } from './door.ts'
import type { CallerResponses } from './response-store.ts'

/** `earlier`: the stored responses of this caller. */
export const openaiResponsesDoor = (earlier: CallerResponses, options?: { isBeginning: boolean }): Door => ({
  name: 'openai-responses',
  keepAlive: responsesKeepAlive,
  errorBody: responsesErrorBody,
  errorStatus: openaiErrorStatus,
  prepare: (body) => earlier.gather(referredAnswers(body)),
  read(body, notes) {
    const request = fromResponsesRequest(body, notes, earlier, options)
    const { model, names, includeProofs, includesSources, echo } = request
    const about = ({ id, createdAt, now, client, note }: AnswerFacts) => ({
      id: earlier.idOf(id),
      ...{ createdAt, now, model, names, includeProofs, includesSources, echo, note },
      hidesRefusals: client.hidesRefusals,
      waitsForLimits: client.failsInStream,
    })
    const kept = (answer: FinishedResponse) => {
      earlier.keep(request, answer)
      return answer.response
    }
    const compaction = request.compacts ? triggeredCompaction({ request, earlier, about }) : undefined
    return {
      model,
      turn: compaction?.turn ?? request.turn,
      writer(facts) {
        const { toolArguments, lateNotes, budget } = facts
        const options = { toolArguments, lateNotes, budget, ...about(facts) }
        if (compaction) return compaction.writer(options)
        const writer = new ResponsesWriter(options)
        return {
          push(events) {
            const text = writer.push(events)
            if (writer.finished) kept(writer.finished)
            return text
          },
          textDelta: (text) => writer.textDelta(text),
          opening: () => writer.opening(),
          keepAlive: () => writer.keepAlive(),
        }
      },
      answer(turn, facts) {
        if (compaction) return compaction.answer(turn, facts)
        const { original } = turn
        if (original?.lane !== dialect) return kept(wholeResponse(turn, about(facts)))
        const { text, finished } = forwardedResponse(original.text, [], about(facts))
        kept(finished)
        return text
      },
    }
  },
})

const unknownResponse = (id: string) =>
  new GatewayError(
    'not-found',
    `Response with id '${id.slice(0, 200)}' not found. It was not stored, or is no longer kept.`,
  )

export async function retrieveResponse(earlier: CallerResponses, id: string): Promise<Fields> {
  await earlier.gather([id])
  const response = earlier.response(id)
  if (!response) throw unknownResponse(id)
  return response
}

export async function deleteResponse(earlier: CallerResponses, id: string): Promise<Fields> {
  if (!(await earlier.delete(id))) throw unknownResponse(id)
  return { id, object: 'response.deleted', deleted: true }
}

/** The input of a stored response: its whole conversation, without its own output. */
export async function listInputItems(earlier: CallerResponses, id: string, query: string): Promise<Fields> {
  const page = readPage(query)
  const response = await retrieveResponse(earlier, id)
  const items = earlier.conversation(id)
  if (!items) throw unknownResponse(id)
  const given = items.slice(0, items.length - (response.output as unknown[]).length)
  const owner = id.replace(/^resp_/, '')
  return pageOf(
    given.map((item, at) => listedItem(item, at, owner)),
    page,
  )
}

/** Nothing runs in the background here, so no response can be cancelled. The words are OpenAI's. */
export async function cancelResponse(earlier: CallerResponses, id: string): Promise<never> {
  await retrieveResponse(earlier, id)
  throw new GatewayError('invalid-request', 'Cannot cancel a synchronous response.')
}

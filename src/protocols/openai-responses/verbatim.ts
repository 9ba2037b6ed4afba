// Forwards a Responses request unchanged to a service that speaks Responses: only the model is replaced. Items that this gateway wrote
// or stored are replaced by items that the service can read. A body that the model would refuse is translated instead: an alias may
// lead to another model than the client expects.

import { type Fields, isObject } from '../../base/json.ts'
import type { TurnRequest } from '../../core/request.ts'
import { nearestEffort } from '../requests/nearest-effort.ts'
import { dialect } from './dialect.ts'
import { foreignReasoningNote } from './history-out.ts'
import { readReasoning } from './items-in.ts'
import { answerOfItem } from './items-out.ts'
import { itemOf } from './reasoning-items.ts'
import { isOwnProof } from './reasoning-proof.ts'
import { hasField, type ResponsesRequestOptions } from './request-out.ts'
import { isSamplingFixed, leastTokens } from './settings-out.ts'

/** Undefined if the request must be translated. */
export function verbatimBody(request: TurnRequest, options: ResponsesRequestOptions): Fields | undefined {
  const { origin, model } = request
  if (origin.dialect !== dialect || !origin.faithful || !fitsModel(request, options)) return undefined
  if (lacksReasoning(request, options)) return undefined
  for (const text of origin.translationNotes ?? []) options.withdraw(text)
  const { conversation } = origin
  const given = conversation ?? origin.body.input
  const include = withReasoning(origin.body)
  if (!Array.isArray(given)) return { ...origin.body, ...include, model }
  const items = given.flatMap((item: Fields) => readableItem(item, request, options) ?? [])
  const isSame =
    !conversation && items.length === given.length && items.every((item, at) => item === given[at])
  const { previous_response_id: _, ...body } = origin.body
  return { ...body, ...include, model, input: isSame ? origin.body.input : items }
}

const sealedReasoning = 'reasoning.encrypted_content'

/** If nothing is stored, reasoning can go back only if it comes with the answer. */
function withReasoning({ store, include }: Readonly<Fields>): Fields {
  const asked = Array.isArray(include) ? include : []
  return store !== false || asked.includes(sealedReasoning) ? {} : { include: [...asked, sealedReasoning] }
}

/** The client does not carry the reasoning of its calls, and the gateway has it. */
function lacksReasoning({ origin, messages }: TurnRequest, { recall }: ResponsesRequestOptions): boolean {
  const items = origin.conversation ?? origin.body.input
  if (!Array.isArray(items) || items.some((item) => isObject(item) && item.type === 'reasoning')) return false
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      message.content.some((part) => part.type === 'tool-call' && recall(part) !== undefined),
  )
}

function fitsModel({ origin: { body } }: TurnRequest, { traits }: ResponsesRequestOptions): boolean {
  const effort = isObject(body.reasoning) ? body.reasoning.effort : undefined
  const limit = body.max_output_tokens
  const isSampled = (name: string) => body[name] != null && traits.fixed.includes(name)
  return (
    (typeof effort !== 'string' || nearestEffort(effort, traits.efforts) === effort) &&
    (typeof limit !== 'number' || limit >= leastTokens) &&
    !(isSamplingFixed(effort ?? undefined, traits) && ['temperature', 'top_p'].some(isSampled)) &&
    !traits.refuses.some((path) => hasField(body, path))
  )
}

/** The item as the service gets it; undefined if the service could not read it. */
function readableItem(
  item: Fields,
  { origin }: TurnRequest,
  { source, isTaken, note }: ResponsesRequestOptions,
): Fields | undefined {
  if (!isObject(item)) return item
  if (item.type === 'reasoning') {
    const { encrypted_content: sealed } = item
    if (typeof sealed === 'string' && isOwnProof(sealed)) {
      const model = String(origin.body.model)
      const part = readReasoning(item, '', { model, note: () => undefined })
      const original = part && itemOf(part, source)
      if (original && isTaken(original)) return original
      note(foreignReasoningNote)
      return undefined
    }
    if (!isTaken(item)) {
      note(foreignReasoningNote)
      return undefined
    }
    if (isLost(item, origin.body)) return undefined
  }
  // The service looks up ids in its own storage, which lacks the ids of this gateway.
  if (typeof item.id !== 'string' || answerOfItem(item.id) === undefined) return item
  const { id: _, ...rest } = item
  return rest
}

/** Reasoning without content, in a request with `store: false`: the service has no copy of the content either. */
const isLost = ({ encrypted_content: sealed, content }: Fields, { store }: Readonly<Fields>) =>
  store === false && !sealed && !(Array.isArray(content) && content.length > 0)

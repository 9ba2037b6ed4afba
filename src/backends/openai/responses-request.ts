// The request of one turn over the Responses API. It is written again for each refusal that says what to change.

import type { Fields } from '../../base/json.ts'
import type { TurnContext } from '../../core/backend.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import { toResponsesRequest } from '../../protocols/openai-responses/request-out.ts'
import { isSealRefusal } from '../../protocols/openai-responses/upstream-errors.ts'
import { bodyText } from '../../protocols/requests/body-text.ts'
import type { KeptReasoning } from './kept-reasoning.ts'
import type { ResponsesLessons } from './responses-lessons.ts'

/** Retries per turn. After that, the service's own error is the answer. */
const maxLessons = 4

interface ResponsesMemory {
  kept: KeptReasoning
  lessons: ResponsesLessons
  /** Whose reasoning the service can read. */
  source: string
}

export class ResponsesRequest {
  readonly #request: TurnRequest
  readonly #context: TurnContext
  readonly #memory: ResponsesMemory
  #body: Fields
  #lessonsLeft = maxLessons
  #isSealTried = false

  constructor(request: TurnRequest, context: TurnContext, memory: ResponsesMemory) {
    this.#request = request
    this.#context = context
    this.#memory = memory
    this.#body = this.#write()
  }

  text(): string {
    return bodyText(this.#body, this.#request.origin)
  }

  correct(error: GatewayError): boolean {
    const { kept, lessons } = this.#memory
    if (this.#lessonsLeft-- === 0) return false
    if (isSealRefusal(error)) {
      const sealed = (this.#body.input as Fields[]).filter(({ type }) => type === 'reasoning')
      if (this.#isSealTried || sealed.length === 0) return false
      this.#isSealTried = true
      kept.refuse(sealed)
      this.#context.notes.add('the reasoning of earlier answers was left out: the upstream could not read it')
    } else if (!lessons.learn(this.#request.model, this.#body, error)) return false
    this.#body = this.#write()
    return true
  }

  #write(): Fields {
    const { kept, lessons, source } = this.#memory
    const { caller, notes } = this.#context
    const { model } = this.#request
    return toResponsesRequest(this.#request, {
      traits: lessons.traitsOf(model),
      source,
      recall: (call) => kept.recall(caller, model, call),
      isTaken: (item) => kept.isTaken(item),
      note: (text) => notes.add(text),
      withdraw: (text) => notes.withdraw(text),
    })
  }
}

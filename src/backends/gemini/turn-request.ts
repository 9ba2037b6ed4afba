// The request of one turn. A refusal may show how to write it again: without signatures that the service does not take, or without the
// ids of calls.

import type { Fields } from '../../base/json.ts'
import type { TurnContext } from '../../core/backend.ts'
import type { GatewayError } from '../../core/errors.ts'
import { recalled } from '../../core/recall.ts'
import type { TurnRequest } from '../../core/request.ts'
import { geminiModel } from '../../protocols/gemini/models.ts'
import { toGeminiRequest } from '../../protocols/gemini/request-out.ts'
import { bodyBytes, hasOddInput } from '../../protocols/requests/body-text.ts'
import type { KeptSignatures } from './kept-signatures.ts'

export interface Memory {
  readonly kept: KeptSignatures
  /** The server has refused the ids of calls. */
  refusesIds: boolean
}

const refusedNote =
  'the service refused the thought signatures of earlier tool calls; it was told to go on without them'

export class GeminiTurnRequest {
  readonly #request: TurnRequest
  readonly #context: TurnContext
  readonly #memory: Memory
  readonly #source: string
  readonly #notesBefore: number
  #fillsAll = false
  #hasCallIds: boolean
  #mayForward: boolean
  body: Fields = {}
  isVerbatim = false

  constructor(
    request: TurnRequest,
    context: TurnContext,
    memory: Memory,
    options: { source: string; mayForward: boolean },
  ) {
    this.#request = request
    this.#context = context
    this.#memory = memory
    this.#source = options.source
    this.#mayForward = options.mayForward
    this.#hasCallIds = recalled(context.recall, 'refused ids', () => memory.refusesIds || undefined) !== true
    this.#notesBefore = context.notes.all.length
    this.#write()
  }

  text(): string | Buffer {
    return bodyBytes(this.body, this.#request.origin, hasOddInput(this.#request))
  }

  /** True if the refusal shows what to change, once for each. The request is written again. */
  correct({ message, code }: GatewayError): boolean {
    if (code !== 'invalid-request') return false
    const words = message.slice(0, 2_000)
    const isAboutSignature = /thought[ _]signature/i.test(words) && !this.#fillsAll
    const isAboutIds = this.#hasCallIds && /unknown name \\?"id\\?" at '?contents/i.test(words)
    if (!isAboutSignature && !isAboutIds) return false
    if (isAboutIds) {
      this.#hasCallIds = false
      this.#mayForward = false
      this.#memory.refusesIds = true
    } else this.#fillsAll = true
    this.#context.notes.rewind(this.#notesBefore)
    this.#write()
    if (isAboutSignature) this.#context.notes.add(refusedNote)
    return true
  }

  #write(): void {
    const { caller, recall, notes } = this.#context
    const { model } = this.#request
    const { body, isVerbatim } = toGeminiRequest(this.#request, {
      model: geminiModel(model),
      source: this.#source,
      hasCallIds: this.#hasCallIds,
      mayForward: this.#mayForward,
      fillsAll: this.#fillsAll,
      recall: (call) => recalled(recall, 'signatures', () => this.#memory.kept.recall(caller, model, call)),
      note: (text) => notes.add(text),
    })
    this.body = body
    this.isVerbatim = isVerbatim
  }
}

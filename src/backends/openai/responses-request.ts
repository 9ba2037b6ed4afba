// The request of one turn over the Responses API. It is written again for each refusal that says what to change.

import type { Fields } from '../../base/json.ts'
import type { TurnContext } from '../../core/backend.ts'
import type { GatewayError } from '../../core/errors.ts'
import { recalled } from '../../core/recall.ts'
import type { TurnRequest } from '../../core/request.ts'
import { refusesStrict } from '../../protocols/openai-responses/lessons.ts'
import {
  type ResponsesRequestOptions,
  toResponsesRequest,
} from '../../protocols/openai-responses/request-out.ts'
import type { ResponsesTraits } from '../../protocols/openai-responses/traits.ts'
import { isReasoningMissing, isSealRefusal } from '../../protocols/openai-responses/upstream-errors.ts'
import { verbatimBody } from '../../protocols/openai-responses/verbatim.ts'
import { bodyBytes } from '../../protocols/requests/body-text.ts'
import {
  type StrictTools,
  strictNote,
  strictRefusedNote,
  undoCall,
} from '../../protocols/tool-schemas/strict-tools.ts'
import type { KeptReasoning } from './kept-reasoning.ts'
import type { ResponsesLessons } from './responses-lessons.ts'

/** Retries per turn. After that, the service's own error is the answer. */
const maxLessons = 4

interface ResponsesMemory {
  kept: KeptReasoning
  lessons: ResponsesLessons
  /** Whose reasoning the service can read. */
  source: string
  /** The backend is set to ask for strict schemas. */
  asksStrict: boolean
}

export class ResponsesRequest {
  readonly #request: TurnRequest
  readonly #context: TurnContext
  readonly #memory: ResponsesMemory
  #body: Fields
  /** What the body was written with. */
  #traits!: ResponsesTraits
  /** The client's own body goes out. */
  isVerbatim = false
  #lessonsLeft = maxLessons
  #isSealTried = false
  #strict: StrictTools | undefined

  #mayForward: boolean

  /** `mayForward`: the client's tool names are those of the service. */
  constructor(request: TurnRequest, context: TurnContext, memory: ResponsesMemory, mayForward: boolean) {
    this.#request = request
    this.#context = context
    this.#memory = memory
    this.#mayForward = mayForward
    this.#body = this.#write()
  }

  get body(): Readonly<Fields> {
    return this.#body
  }

  text(): string | Buffer {
    return bodyBytes(this.#body, this.#request.origin)
  }

  /** Arguments of some tools must be translated back, so calls are read as a whole. */
  get hasUndo(): boolean {
    return this.#strict !== undefined && this.#strict.undo.size > 0
  }

  undoInput(name: string, input: string): string {
    return this.#strict ? undoCall(this.#strict.undo, name, input) : input
  }

  correct(error: GatewayError): boolean {
    const { kept, lessons } = this.#memory
    if (this.#lessonsLeft-- === 0) return false
    if (this.#strict && refusesStrict(error.message)) {
      lessons.refuseStrict(this.#request)
      this.#context.notes.withdraw(strictNote(this.#strict))
      this.#context.notes.add(strictRefusedNote)
      this.#body = this.#write()
      return true
    }
    if (this.isVerbatim && isReasoningMissing(error)) this.#mayForward = false
    else if (isSealRefusal(error)) {
      const { input } = this.#body
      const sealed = Array.isArray(input) ? input.filter((item: Fields) => item.type === 'reasoning') : []
      if (this.#isSealTried || sealed.length === 0) return false
      this.#isSealTried = true
      kept.refuse(sealed)
      this.#context.notes.add('the reasoning of earlier answers was left out: the upstream could not read it')
    } else if (!lessons.learn({ model: this.#request.model, body: this.#body, traits: this.#traits }, error))
      return false
    this.#body = this.#write()
    return true
  }

  #write(): Fields {
    const { kept, lessons, source, asksStrict } = this.#memory
    const { caller, notes, recall } = this.#context
    const { model } = this.#request
    const learned = recalled(recall, 'lessons', () => lessons.learnedOf(model))
    const traits = lessons.traitsOf(model, learned)
    this.#traits = traits
    const options: ResponsesRequestOptions = {
      traits,
      source,
      recall: (call) => recalled(recall, 'reasoning', () => kept.recall(caller, model, call)),
      isTaken: (item) => !recalled(recall, 'refused', () => !kept.isTaken(item, source) || undefined),
      note: (text) => notes.add(text),
      withdraw: (text) => notes.withdraw(text),
      asksStrict: asksStrict && !lessons.refusesStrict(this.#request),
      onStrict: (tools) => {
        this.#strict = tools
      },
    }
    const verbatim = this.#mayForward ? verbatimBody(this.#request, options) : undefined
    this.isVerbatim = verbatim !== undefined
    if (verbatim) return verbatim
    for (const text of this.#request.origin.translationNotes ?? []) notes.add(text)
    return toResponsesRequest(this.#request, options)
  }
}

// The request of one turn. It is written again for each refusal that says what to change.

import type { Caller } from '../../core/caller.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import { toChatRequest } from '../../protocols/openai-chat/request-out.ts'
import type { Lesson } from '../../protocols/openai-chat/servers/lessons.ts'
import { bodyText } from '../../protocols/requests/body-text.ts'
import type { KeptTurns } from './kept-turns.ts'
import type { ServerLessons } from './server-lessons.ts'

/** Retries per turn. After that, the service's own error is the answer. */
const maxLessons = 4

interface ServerMemory {
  kept: KeptTurns
  lessons: ServerLessons
}

export class ChatRequest {
  readonly #request: TurnRequest
  readonly #caller: Caller
  readonly #memory: ServerMemory
  readonly #note: (text: string) => void
  #body: Record<string, unknown>
  #learned: Lesson | undefined
  #lessonsLeft = maxLessons

  constructor(request: TurnRequest, caller: Caller, memory: ServerMemory, note: (text: string) => void) {
    this.#request = request
    this.#caller = caller
    this.#memory = memory
    this.#note = note
    this.#body = this.#write()
  }

  get body(): Readonly<Record<string, unknown>> {
    return this.#body
  }

  text(): string {
    return bodyText(this.#body, this.#request.origin)
  }

  /** False if the refusal does not say what to change, or the turn has learned enough. */
  correct(error: GatewayError): boolean {
    const { lessons } = this.#memory
    const lesson =
      this.#lessonsLeft-- === 0 ? undefined : lessons.learn(this.#request.model, this.#body, error)
    if (!lesson) return false
    this.#learned = { ...this.#learned, ...lesson }
    this.#body = this.#write()
    return true
  }

  #write(): Record<string, unknown> {
    const { model } = this.#request
    const caller = this.#caller
    const { kept, lessons } = this.#memory
    const traits = lessons.traitsOf(model)
    return toChatRequest(this.#request, {
      traits: this.#learned ? { ...traits, ...this.#learned } : traits,
      recall: (call) => kept.recall(caller, model, call),
      answered: kept.fieldOf(model),
      note: this.#note,
    })
  }
}

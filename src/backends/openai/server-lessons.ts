// The traits of a server's models: from the rows of openai-chat/servers, and from lessons of the server's own refusals.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { Fields } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import { isAboutThisHistory, type Lesson, lessonOf } from '../../protocols/openai-chat/servers/lessons.ts'
import { type ServerTraits, serverTraits } from '../../protocols/openai-chat/servers.ts'

/** Lessons expire, because services change. */
const limits = { maxBytes: 4 * 1024 * 1024, ttlMs: 6 * 60 * 60 * 1000 }
const lessonBytes = 4 * 1024

export class ServerLessons {
  readonly #host: string
  readonly #byModel = new BoundedMap<string, Lesson>(limits)

  constructor(host: string) {
    this.#host = host
  }

  traitsOf(model: string): ServerTraits {
    const known = serverTraits(this.#host, model)
    const learned = this.#byModel.size === 0 ? undefined : this.#byModel.get(model)
    return learned ? { ...known, ...learned } : known
  }

  /** Undefined if the refusal does not say what to change. */
  learn(model: string, body: Fields, { code, message: text, param }: GatewayError): Lesson | undefined {
    if (code !== 'invalid-request') return undefined
    const lesson = lessonOf({ text, param, body, traits: this.traitsOf(model) })
    if (lesson && !isAboutThisHistory(text))
      this.#byModel.set(model, { ...this.#byModel.get(model), ...lesson }, lessonBytes + 2 * model.length)
    return lesson
  }
}

// What the models of a Responses service take: by the rows of OpenAI's models, and from the service's own refusals.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { Fields } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import { effortsOf } from '../../protocols/openai-chat/servers/efforts.ts'
import { isOpenAIHost } from '../../protocols/openai-chat/servers/gpt.ts'
import { mergedLesson } from '../../protocols/openai-chat/servers/lessons.ts'
import { serverTraits } from '../../protocols/openai-chat/servers.ts'
import { responsesLesson } from '../../protocols/openai-responses/lessons.ts'
import type { ResponsesLesson, ResponsesTraits } from '../../protocols/openai-responses/traits.ts'
import { toolsetDigest } from '../../protocols/tool-schemas/toolset.ts'

const toolsKey = ({ model, tools }: TurnRequest) => `${model} ${toolsetDigest(tools)}`

/** Lessons expire, because services change. */
const limits = { maxBytes: 4 * 1024 * 1024, ttlMs: 6 * 60 * 60 * 1000 }
const lessonBytes = 4 * 1024

interface Refused {
  model: string
  body: Fields
  traits: ResponsesTraits
}

export class ResponsesLessons {
  readonly #host: string
  readonly #byModel = new BoundedMap<string, ResponsesLesson>(limits)
  /** Sets of tools for which the service refused `strict`. */
  readonly #notStrict = new BoundedMap<string, true>({ maxEntries: 1_000, ttlMs: limits.ttlMs })

  constructor(host: string) {
    this.#host = host
  }

  refuseStrict(request: TurnRequest): void {
    this.#notStrict.set(toolsKey(request), true)
  }

  refusesStrict(request: TurnRequest): boolean {
    return this.#notStrict.size > 0 && this.#notStrict.get(toolsKey(request)) === true
  }

  learnedOf(model: string): ResponsesLesson | undefined {
    return this.#byModel.get(model)
  }

  traitsOf(model: string, learned = this.learnedOf(model)): ResponsesTraits {
    const { efforts, reasonsByDefault, fixed, fixedWhile } = serverTraits(this.#host, model)
    const isOpenAI = isOpenAIHost(this.#host)
    return {
      isOpenAI,
      // The rows of OpenAI's own hosts are about Chat, which takes fewer values.
      efforts: isOpenAI && efforts?.length !== 0 ? effortsOf('', model) : efforts,
      reasonsByDefault,
      fixed,
      fixedWhile,
      refuses: [],
      ...learned,
    }
  }

  /**
   * False if the refusal does not say what to change. `traits` are those that the refused request was written with: a turn beside it
   * may have learned the same in the meantime.
   */
  learn({ model, body, traits }: Refused, { code, message: text, param }: GatewayError): boolean {
    if (code !== 'invalid-request' && code !== 'unsupported') return false
    const lesson = responsesLesson({ text, param, body, traits })
    if (!lesson) return false
    this.#byModel.set(model, mergedLesson(this.#byModel.get(model), lesson), lessonBytes + 2 * model.length)
    return true
  }
}

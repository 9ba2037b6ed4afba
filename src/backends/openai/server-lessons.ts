// The traits of a server's models: from the rows of openai-chat/servers, from its list of models, and from lessons of its own refusals.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { Fields } from '../../base/json.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import {
  isAboutThisHistory,
  isNew,
  type Lesson,
  lessonOf,
  mergedLesson,
} from '../../protocols/openai-chat/servers/lessons.ts'
import { families } from '../../protocols/openai-chat/servers/rows.ts'
import { toolLessonOf } from '../../protocols/openai-chat/servers/tool-lessons.ts'
import { type ServerTraits, serverTraits } from '../../protocols/openai-chat/servers.ts'
import { toolsetDigest } from '../../protocols/tool-schemas/toolset.ts'

/** Lessons expire, because services change. */
const limits = { maxBytes: 4 * 1024 * 1024, ttlMs: 6 * 60 * 60 * 1000 }
const lessonBytes = 4 * 1024

/** A request that was refused. */
interface Refused {
  request: TurnRequest
  body: Fields
  /** The gateway has asked for `strict`, not the client. */
  isStrictAsked: boolean
  /** What the body was written with: a turn beside it may have learned the same in the meantime. */
  traits: ServerTraits
}

export class ServerLessons {
  readonly #host: string
  /** What the address says beyond the host. */
  readonly #ofPath: Lesson | undefined
  #ofFamily: Lesson | undefined
  readonly #byModel = new BoundedMap<string, Lesson>(limits)
  readonly #byTools = new BoundedMap<string, Lesson>(limits)

  constructor(host: string, baseUrl = '') {
    this.#host = host
    // DeepSeek takes `strict` at this address only.
    this.#ofPath = /deepseek\.com\/beta\/?$/.test(baseUrl) ? { strictTools: 'openai' } : undefined
  }

  /** `entries`: the server's list of models. Some servers say there what they are. */
  onListed(entries: readonly Fields[]): void {
    const [first] = entries
    const owner = first?.owned_by
    const isOne = typeof owner === 'string' && entries.every((entry) => entry.owned_by === owner)
    this.#ofFamily = isOne ? families.get(owner) : undefined
  }

  /** `request`: with the lessons about its tools. */
  traitsOf(model: string, request?: TurnRequest, learned = this.learnedOf(model, request)): ServerTraits {
    const known = serverTraits(this.#host, model)
    return this.#ofPath || learned ? { ...known, ...this.#ofPath, ...learned } : known
  }

  /** Beyond what the rows and the address say; undefined if nothing. */
  learnedOf(model: string, request?: TurnRequest): Lesson | undefined {
    const ofFamily =
      this.#ofFamily && serverTraits(this.#host, model).strictTools === 'unknown' ? this.#ofFamily : undefined
    const ofModel = this.#byModel.size === 0 ? undefined : this.#byModel.get(model)
    const ofTools = this.#byTools.size === 0 || !request ? undefined : this.#byTools.get(toolsKey(request))
    if (!ofFamily && !ofModel && !ofTools) return undefined
    return { ...ofFamily, ...this.#ofPath, ...ofModel, ...ofTools }
  }

  /** Undefined if the refusal does not say what to change. */
  learn(refused: Refused, error: GatewayError): Lesson | undefined {
    return this.#learnOfTools(refused, error) ?? this.#learnOfModel(refused, error)
  }

  #learnOfTools(refused: Refused, { message: text, upstream }: GatewayError): Lesson | undefined {
    const { request, body, isStrictAsked, traits } = refused
    // Some builds of llama.cpp refuse a grammar with a 500.
    if (![400, 422, 500].includes(upstream?.status ?? 0)) return undefined
    const found = toolLessonOf({ text, body, isStrictAsked })
    if (!found || !isNew(found.lesson, traits)) return undefined
    const [map, key] =
      found.scope === 'tools' ? [this.#byTools, toolsKey(request)] : [this.#byModel, request.model]
    remember(map, key, found.lesson)
    return found.lesson
  }

  #learnOfModel(
    { request, body, traits }: Refused,
    { code, message: text, param }: GatewayError,
  ): Lesson | undefined {
    if (code !== 'invalid-request') return undefined
    const lesson = lessonOf({ text, param, body, traits })
    if (lesson && !isAboutThisHistory(text)) remember(this.#byModel, request.model, lesson)
    return lesson
  }
}

const toolsKey = ({ model, tools }: TurnRequest) => `${model} ${toolsetDigest(tools)}`

function remember(map: BoundedMap<string, Lesson>, key: string, lesson: Lesson): void {
  map.set(key, mergedLesson(map.get(key), lesson), lessonBytes + 2 * key.length)
}

// Which API a request takes. With "auto" the host and the model decide, then what the service itself said: a refusal that points to
// the other API is followed and remembered for the model, a path that does not exist for the whole backend.

import { BoundedMap } from '../../base/bounded-map.ts'
import type { GatewayError } from '../../core/errors.ts'
import type { TurnRequest } from '../../core/request.ts'
import { isOpenAIHost, isResponsesModel, isResponsesOnly } from '../../protocols/openai-chat/servers/gpt.ts'
import type { ApiName } from './api.ts'

export type ApiSetting = 'auto' | ApiName

/** What was learned expires, because services change. */
const limits = { maxEntries: 1_000, ttlMs: 6 * 60 * 60 * 1000 }

export class ApiChoice {
  readonly #setting: ApiSetting
  readonly #isOpenAI: boolean
  readonly #byModel = new BoundedMap<string, ApiName>(limits)
  /** The backend's base URL has no `/responses`. */
  #isPathMissing = false

  constructor(setting: ApiSetting, host: string, baseUrl: string) {
    this.#setting = setting
    // Azure's older addresses name the deployment and have Chat only.
    this.#isOpenAI = isOpenAIHost(host) && !baseUrl.includes('/deployments/')
  }

  /** For people; undefined if it is Chat, as with most services. */
  get description(): string | undefined {
    if (this.#setting === 'responses') return 'requests go to the Responses API ("api": "responses")'
    return this.#setting === 'auto' && this.#isOpenAI
      ? 'requests with tools go to the Responses API for gpt-5.4 and later, others to Chat Completions ("api": "auto")'
      : undefined
  }

  /** What the service itself has said; undefined if nothing. */
  learnedOf(model: string): ApiName | undefined {
    if (this.#isPathMissing) return 'chat'
    return this.#byModel.size === 0 ? undefined : this.#byModel.get(model)
  }

  of(request: TurnRequest, learned = this.learnedOf(request.model)): ApiName {
    if (this.#setting !== 'auto') return this.#setting
    const { model, tools, origin } = request
    if (learned !== undefined) return learned
    if (!this.#isOpenAI || !isResponsesModel(model)) return 'chat'
    // A Chat request without tools goes out byte for byte.
    const isPlainChat = origin.dialect === 'openai-chat' && tools.length === 0
    return isPlainChat && !isResponsesOnly(model) ? 'chat' : 'responses'
  }

  /** The API to try after this refusal; undefined if it does not point to the other one. */
  after(error: GatewayError, model: string, tried: ApiName): ApiName | undefined {
    if (this.#setting !== 'auto') return undefined
    if (tried === 'chat') {
      if (this.#isPathMissing || !wantsResponses(error)) return undefined
      this.#byModel.set(model, 'responses')
      return 'responses'
    }
    if (isMissingPath(error)) this.#isPathMissing = true
    else if (/v1\/chat\/completions/i.test(error.message)) this.#byModel.set(model, 'chat')
    else return undefined
    return 'chat'
  }
}

/**
 * `Function tools with reasoning_effort are not supported … use /v1/responses`, `This model is only supported in v1/responses`, and
 * Azure's text for the latter.
 */
const wantsResponses = ({ code, message }: GatewayError) =>
  (code === 'invalid-request' || code === 'not-found') &&
  /\bv1\/responses\b|chatCompletion operation does not work with the specified model/i.test(message)

/** A model that does not exist is a 404, too. */
const isMissingPath = ({ upstream, detail }: GatewayError) =>
  [404, 405, 501].includes(upstream?.status ?? 0) && detail !== 'model_not_found'

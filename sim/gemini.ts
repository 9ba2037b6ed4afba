// A simulator of the Gemini API: generateContent, streamGenerateContent, countTokens and models. As strict as the service, by its
// documented shapes (https://ai.google.dev/api). docs/simulators.md describes its options.

import { checkContents } from './gemini/check-contents.ts'
import { checkSettings } from './gemini/check-settings.ts'
import { toConversation } from './gemini/conversation.ts'
import { describeModel, findModel, LISTED } from './gemini/models.ts'
import { parseMessage } from './gemini/proto.ts'
import { detail, Refusal, toErrorReply } from './gemini/refusal.ts'
import { createGeminiRenderer } from './gemini/render.ts'
import { countMessage, type GeminiRequest, requestMessage } from './gemini/request.ts'
import { sign } from './gemini/signature.ts'
import type { RecordedRequest } from './recording.ts'
import { type Dialect, type Exchange, type Reply, type Sim, type SimOptions, startSim } from './server.ts'
import { estimateTokens } from './tokens.ts'

interface GeminiSimOptions extends SimOptions {
  /** False: calls have no ids, and ids are refused, as on Vertex and on older servers. */
  readonly hasCallIds?: boolean
  /** The input tokens above which a request is too long. */
  readonly contextTokens?: number
}

export function startGeminiSim(options: GeminiSimOptions = {}): Promise<Sim> {
  return startSim(new GeminiDialect(options), options)
}

const PREFIX = '/v1beta/models'
const VERBS = ['generateContent', 'streamGenerateContent', 'countTokens']

class GeminiDialect implements Dialect {
  readonly kind = 'gemini'
  readonly #options: GeminiSimOptions

  constructor(options: GeminiSimOptions) {
    this.#options = options
  }

  receive(request: RecordedRequest): Reply | Exchange {
    const headers = { 'x-gemini-service-tier': 'standard' }
    try {
      checkKey(request, this.#options)
      return this.#route(request, headers)
    } catch (error) {
      if (error instanceof Refusal) return toErrorReply(error, headers)
      throw error
    }
  }

  failure(status: number, message: string): Reply {
    return { ...toErrorReply(new Refusal(message, 'INTERNAL'), {}), status }
  }

  #route(request: RecordedRequest, headers: Record<string, string>): Reply | Exchange {
    const { method, path } = request
    if (method === 'GET' && path === PREFIX) return { status: 200, headers, body: this.#page(request) }
    const [, name = '', verb] = /^\/v1beta\/models\/([^:]+)(?::(\w+))?$/.exec(path) ?? []
    if (method === 'GET' && name !== '' && verb === undefined)
      return { status: 200, headers, body: describeModel(this.#known(decodeURIComponent(name))) }
    if (method !== 'POST' || verb === undefined || !VERBS.includes(verb))
      throw new Refusal(`The requested URL ${path} was not found on this server.`, 'NOT_FOUND')
    const model = this.#known(decodeURIComponent(name))
    return verb === 'countTokens' ? this.#count(request, model, headers) : this.#turn(request, model, headers)
  }

  get #callIds() {
    return { hasIds: this.#options.hasCallIds ?? true }
  }

  #turn(request: RecordedRequest, id: string, headers: Record<string, string>): Exchange {
    const body = this.#check(parseMessage(jsonOf(request), requestMessage(this.#callIds)), id)
    const model = findModel(id)
    const isStream = request.path.endsWith(':streamGenerateContent')
    const isSse = request.query.get('alt') === 'sse'
    const renderer = createGeminiRenderer({
      model: id,
      promptTokens: countOf(body),
      showsThoughts: body.generationConfig?.thinkingConfig?.includeThoughts === true,
      hasIds: this.#callIds.hasIds,
      sign: model.generation < 3 ? undefined : () => sign(id),
      isArray: isStream && !isSse,
    })
    return {
      stream: isStream && isSse,
      headers,
      renderer,
      conversation: toConversation(body),
      showsReasoning: model.thinking !== undefined,
    }
  }

  #count(request: RecordedRequest, id: string, headers: Record<string, string>): Reply {
    const { generateContentRequest: inner, ...rest } = parseMessage(
      jsonOf(request),
      countMessage(this.#callIds),
    )
    const whole = inner as ({ model?: string } & GeminiRequest) | undefined
    if (whole && whole.model !== `models/${id}`)
      throw new Refusal('* CountTokensRequest.generate_content_request.model: must be the model of the URL\n')
    const body = this.#check(whole ?? rest, id)
    const totalTokens = countOf(body)
    const promptTokensDetails = [{ modality: 'TEXT', tokenCount: totalTokens }]
    return { status: 200, headers, body: { totalTokens, promptTokensDetails } }
  }

  #check(read: object, id: string): GeminiRequest {
    const body = read as GeminiRequest
    const model = findModel(id)
    checkContents(body.contents, model)
    checkSettings(body, model)
    const { contextTokens = 1_048_576 } = this.#options
    const count = countOf(body)
    if (count > contextTokens)
      throw new Refusal(
        `The input token count (${count}) exceeds the maximum number of tokens allowed (${contextTokens}).`,
      )
    return body
  }

  #known(id: string): string {
    const { models } = this.#options
    if (models === undefined || models.includes(id)) return id
    throw new Refusal(
      `models/${id} is not found for API version v1beta, or is not supported for generateContent. Call ListModels to see the list of available models and their supported methods.`,
      'NOT_FOUND',
    )
  }

  #page({ query }: RecordedRequest) {
    const { models = LISTED } = this.#options
    const size = Math.min(Number(query.get('pageSize') ?? 50), 1_000)
    const from = Number(query.get('pageToken') ?? 0)
    const embedding = {
      ...describeModel('gemini-embedding-001'),
      supportedGenerationMethods: ['embedContent', 'countTextTokens'],
    }
    const all = [...models.map(describeModel), embedding]
    const next = from + size
    return { models: all.slice(from, next), ...(next < all.length && { nextPageToken: String(next) }) }
  }
}

const countOf = ({ contents, systemInstruction, tools }: GeminiRequest): number =>
  estimateTokens([contents, systemInstruction, tools])

function checkKey({ headers, query }: RecordedRequest, { apiKey }: GeminiSimOptions): void {
  if (apiKey === undefined) return
  const key = headers['x-goog-api-key'] ?? query.get('key') ?? undefined
  if (key === undefined)
    throw new Refusal(
      "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
      'PERMISSION_DENIED',
    )
  if (key !== apiKey)
    throw new Refusal('API key not valid. Please pass a valid API key.', 'INVALID_ARGUMENT', [
      detail('ErrorInfo', { reason: 'API_KEY_INVALID', domain: 'googleapis.com' }),
      detail('LocalizedMessage', {
        locale: 'en-US',
        message: 'API key not valid. Please pass a valid API key.',
      }),
    ])
}

function jsonOf({ body }: RecordedRequest): unknown {
  if (body === undefined) throw new Refusal('Invalid JSON payload received. Unexpected token.')
  return body
}

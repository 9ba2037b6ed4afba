// A simulator of the Anthropic Messages API: /v1/messages, /v1/messages/count_tokens and /v1/models. As strict as the service, by its
// documented shapes (https://platform.claude.com/docs/en/api). docs/simulators.md describes its options.

import { createHash, randomBytes } from 'node:crypto'
import { checkMessages } from './anthropic/check-messages.ts'
import { checkSettings, countPromptTokens } from './anthropic/check-settings.ts'
import { checkThinkingConfig, checkThinkingHistory, isThinkingOn } from './anthropic/check-thinking.ts'
import { checkTools } from './anthropic/check-tools.ts'
import { COMPATIBLE, checkPlainTools, checkRepliedThinking } from './anthropic/compatible.ts'
import { toConversation } from './anthropic/conversation.ts'
import { describeModel, listModelPage } from './anthropic/model-list.ts'
import { type AnthropicModel, findModel, isRetired } from './anthropic/models.ts'
import {
  type Account,
  CONTROLS_BETA,
  checkPreservedThinking,
  type PreservedThinking,
} from './anthropic/preserved-thinking.ts'
import { PromptCache } from './anthropic/prompt-cache.ts'
import { Refusal, toErrorReply, WORDING } from './anthropic/refusal.ts'
import { createAnthropicRenderer } from './anthropic/render.ts'
import { isThinking, type MessagesRequest } from './anthropic/request.ts'
import { countTokensShape, messagesShape } from './anthropic/schema.ts'
import { ThinkingMemory } from './anthropic/thinking-memory.ts'
import type { RecordedRequest } from './recording.ts'
import type { Step } from './script.ts'
import { type Dialect, type Exchange, type Reply, type Sim, type SimOptions, startSim } from './server.ts'
import type { Shape } from './shape.ts'

export interface AnthropicSimOptions extends SimOptions {
  /** The account was created before 2026-08-31: some models check its thinking only if the request asks for it. */
  readonly isOlderAccount?: boolean
  /** False: the model listing has no capabilities. */
  readonly tellsCapabilities?: boolean
  /** Values of `anthropic-beta` that are not enabled. */
  readonly refusedBetas?: readonly string[]
  /**
   * A compatible server (MiniMax, GLM, Kimi and DeepSeek offer one): models of any name think by default, nothing is signed, and
   * calls without their thinking are refused.
   */
  readonly isCompatible?: boolean
  /** The most characters of all strict schemas. */
  readonly largestGrammar?: number
}

export function startAnthropicSim(options: AnthropicSimOptions = {}): Promise<Sim> {
  return startSim(new AnthropicDialect(options), options)
}

const MAX_BODY_BYTES = 32 * 1024 * 1024

export class AnthropicDialect implements Dialect {
  readonly kind = 'anthropic'
  readonly #options: AnthropicSimOptions
  readonly #memory = new ThinkingMemory()
  readonly #cache = new PromptCache()

  constructor(options: AnthropicSimOptions) {
    this.#options = options
  }

  get #listing() {
    const { isCompatible = false, tellsCapabilities = !isCompatible } = this.#options
    return { tells: tellsCapabilities }
  }

  receive(request: RecordedRequest): Reply | Exchange {
    const headers = responseHeaders()
    try {
      checkHeaders(request, this.#options)
      return this.#route(request, headers)
    } catch (error) {
      if (error instanceof Refusal) return toErrorReply(error, headers)
      throw error
    }
  }

  failure(status: number, message: string): Reply {
    return toErrorReply(new Refusal(message, 'api_error', status), responseHeaders())
  }

  #route(request: RecordedRequest, headers: Record<string, string>): Reply | Exchange {
    const { path, method } = request
    const modelId = /^\/v1\/models\/(.+)$/.exec(path)?.[1]
    if (path === '/v1/models' && method === 'GET') {
      return { status: 200, headers, body: listModelPage(this.#options.models, request.query, this.#listing) }
    }
    if (modelId !== undefined && method === 'GET') {
      return {
        status: 200,
        headers,
        body: describeModel(this.#findModel(decodeURIComponent(modelId)), this.#listing),
      }
    }
    if (path === '/v1/messages' && method === 'POST') return this.#message(request, headers)
    if (path === '/v1/messages/count_tokens' && method === 'POST') {
      const shape = countTokensShape(betasOf(request), !this.#options.isCompatible)
      const { body } = this.#check(request, shape)
      return { status: 200, headers, body: { input_tokens: countPromptTokens(body) } }
    }
    if (modelId !== undefined || ['/v1/models', '/v1/messages', '/v1/messages/count_tokens'].includes(path)) {
      throw new Refusal('Method Not Allowed', 'invalid_request_error', 405)
    }
    throw new Refusal('Not Found', 'not_found_error')
  }

  #message(request: RecordedRequest, headers: Record<string, string>): Exchange {
    const shape = messagesShape(betasOf(request), !this.#options.isCompatible)
    const { body, model, preserved } = this.#check(request, shape)
    const display = body.thinking?.display ?? (model.omitsThinking ? 'omitted' : 'summarized')
    const isThinkingHere = isThinkingOn(body, model)
    const renderer = createAnthropicRenderer({
      model: body.model,
      input: this.#cache.count(body),
      omitsThinking: display === 'omitted',
      stopSequences: body.stop_sequences ?? [],
      ...(preserved && { sign: preserved.sign }),
      ...(preserved && hasControls(request) && { transformations: preserved.transformations }),
      onContent: (blocks) => {
        const calls = blocks.filter(({ type }) => type === 'tool_use').map(({ id }) => String(id))
        this.#memory.remember(blocks.filter(isThinking), calls, body.model)
      },
    })
    return {
      stream: body.stream === true,
      headers,
      renderer,
      conversation: toConversation(body),
      showsReasoning: isThinkingHere,
      prepare: (steps) => withinLimit(steps, body, model),
    }
  }

  #check(request: RecordedRequest, shape: Shape): Checked {
    if (request.bodyBytes > MAX_BODY_BYTES) {
      throw new Refusal('Request exceeds the maximum size', 'request_too_large')
    }
    if (request.body === undefined) throw new Refusal(notJson(request.bodyText))
    shape(request.body, [], WORDING)
    const body = request.body as MessagesRequest
    const model = this.#findModel(body.model)
    checkMessages(body, model)
    if (this.#options.isCompatible) checkPlainTools(body)
    checkTools(body, model, this.#options.largestGrammar)
    checkThinkingConfig(body, model)
    if (this.#options.isCompatible) checkRepliedThinking(body)
    else checkThinkingHistory(body, model, this.#memory)
    checkSettings(body, model, String(request.headers['anthropic-version']))
    if (this.#options.isCompatible) return { body, model }
    const account = accountOf(request, this.#options)
    const memory = this.#memory
    const preserved = checkPreservedThinking({
      request: body,
      model,
      account,
      memory,
      hasControls: hasControls(request),
    })
    return { body, model, preserved }
  }

  #findModel(name: string): AnthropicModel {
    const { models } = this.#options
    if (models && !models.includes(name)) throw new Refusal(`model: ${name}`, 'not_found_error')
    if (isRetired(name)) throw new Refusal(`model: ${name}`, 'not_found_error')
    return this.#options.isCompatible ? { ...findModel(name), ...COMPATIBLE } : findModel(name)
  }
}

interface Checked {
  body: MessagesRequest
  model: AnthropicModel
  preserved?: PreservedThinking
}

/** Thinking counts toward the limit: a smaller limit leaves nothing for the answer. */
const ROOM_FOR_THINKING = 1024

function withinLimit(steps: readonly Step[], body: MessagesRequest, model: AnthropicModel): readonly Step[] {
  const { max_tokens: limit = 0 } = body
  if (limit === 0) return [{ end: 'max_tokens' }]
  const thinks = model.thinksByDefault && body.thinking?.type !== 'disabled'
  const thoughts = steps.filter((step) => 'think' in step)
  if (!thinks || thoughts.length === 0 || limit >= ROOM_FOR_THINKING) return steps
  return [...thoughts, { end: 'max_tokens' }]
}

const hasControls = (request: RecordedRequest) => betasOf(request).includes(CONTROLS_BETA)

function accountOf({ headers }: RecordedRequest, { isOlderAccount = false }: AnthropicSimOptions): Account {
  const key = String(headers['x-api-key'] ?? headers.authorization ?? '').replace(/^Bearer /i, '')
  return { id: createHash('sha256').update(key).digest('base64url').slice(0, 8), isOlder: isOlderAccount }
}

const VERSIONS = ['2023-01-01', '2023-06-01', '2026-10-21']

function checkHeaders(request: RecordedRequest, { apiKey, refusedBetas = [] }: AnthropicSimOptions): void {
  const { headers } = request
  const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1]
  if (apiKey !== undefined) {
    const key = headers['x-api-key'] ?? bearer
    if (key === undefined) throw new Refusal('x-api-key header is required', 'authentication_error')
    if (key !== apiKey) {
      const which = headers['x-api-key'] === undefined ? 'Invalid bearer token' : 'invalid x-api-key'
      throw new Refusal(which, 'authentication_error')
    }
  }
  const version = headers['anthropic-version']
  if (version === undefined) throw new Refusal('anthropic-version: header is required')
  if (!VERSIONS.includes(String(version))) {
    throw new Refusal(`anthropic-version: "${version}" is not a valid version`)
  }
  const refused = betasOf(request).filter((beta) => refusedBetas.includes(beta))
  if (refused.length > 0) {
    const values = refused.map((beta) => `\`${beta}\``).join(', ')
    throw new Refusal(`Unexpected value(s) ${values} for the \`anthropic-beta\` header.`)
  }
}

function betasOf({ headers }: RecordedRequest): string[] {
  const header = headers['anthropic-beta']
  return [header ?? ''].flat().flatMap((value) => value.split(',').map((beta) => beta.trim()))
}

function notJson(text: string): string {
  try {
    JSON.parse(text)
    return 'The request body is not valid JSON'
  } catch (error) {
    return `The request body is not valid JSON: ${error instanceof Error ? error.message : error}`
  }
}

/** The rate limits never run out: a script can return a 429. */
function responseHeaders(): Record<string, string> {
  const reset = new Date(Date.now() + 60_000).toISOString()
  const limits = { requests: 1000, tokens: 1_000_000, 'input-tokens': 800_000, 'output-tokens': 200_000 }
  const entries = Object.entries(limits).flatMap(([name, limit]): [string, string][] => [
    [`anthropic-ratelimit-${name}-limit`, String(limit)],
    [`anthropic-ratelimit-${name}-remaining`, String(limit - 1)],
    [`anthropic-ratelimit-${name}-reset`, reset],
  ])
  return {
    'request-id': `req_${randomBytes(12).toString('hex')}`,
    'anthropic-organization-id': 'f0000000-0000-4000-8000-000000000001',
    'cf-ray': `${randomBytes(8).toString('hex')}-FRA`,
    via: '1.1 google',
    ...Object.fromEntries(entries),
  }
}

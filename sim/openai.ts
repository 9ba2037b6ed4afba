// A simulator of OpenAI: /v1/chat/completions, /v1/responses and /v1/models. As strict as OpenAI, by its documented shapes
// (https://platform.openai.com/docs/api-reference), or with the quirks of the many nearly compatible servers.

import { randomBytes } from 'node:crypto'
import { checkBody } from './openai/check-body.ts'
import { checkCalls } from './openai/check-calls.ts'
import { constrain } from './openai/constrain.ts'
import { toConversation } from './openai/conversation.ts'
import { PROFILES, type ServerName, type ServerProfile } from './openai/profiles.ts'
import type { Quirk } from './openai/quirks.ts'
import { type ErrorShape, Refusal, toErrorReply } from './openai/refusal.ts'
import { createOpenAIRenderer } from './openai/render.ts'
import { type ChatRequest, toPromptTexts } from './openai/request.ts'
import { isResponsesQuirk, type ResponsesQuirk } from './openai/responses/quirks.ts'
import { ResponsesApi } from './openai/responses.ts'
import type { RecordedRequest } from './recording.ts'
import type { Step } from './script.ts'
import { type Dialect, type Exchange, type Reply, type Sim, type SimOptions, startSim } from './server.ts'
import { isRecord } from './shape.ts'
import { readPrompt } from './text-chat/prompt.ts'
import { speak } from './text-chat/speak.ts'
import { estimateTokens } from './tokens.ts'

export { PROFILES, type ServerName } from './openai/profiles.ts'
export { QUIRKS, type Quirk } from './openai/quirks.ts'
export { RESPONSES_QUIRKS, type ResponsesQuirk } from './openai/responses/quirks.ts'

export interface OpenAISimOptions extends SimOptions {
  /** The server to simulate: its URLs, refusals, errors and quirks. Default: OpenAI. */
  readonly server?: ServerName
  /** Differences from OpenAI in otherwise correct answers. */
  readonly quirks?: Iterable<Quirk | ResponsesQuirk>
  /** Accepts unknown fields, as most compatible servers do. */
  readonly lenient?: boolean
  /** Like DeepSeek and Kimi: shows its reasoning, and wants it back with every message that contains tool calls. */
  readonly requiresReasoning?: boolean
}

export function startOpenAISim(options: OpenAISimOptions = {}): Promise<Sim> {
  return startSim(new OpenAIDialect(options), options)
}

const COMPLETIONS = '/chat/completions'
const RESPONSES = '/responses'
const DEFAULT_MODELS = [
  'gpt-demo',
  'careless-demo',
  'gpt-5',
  'gpt-5-mini',
  'gpt-4.1',
  'gpt-4o',
  'gpt-4o-mini',
  'o4-mini',
]
const REASONING_QUIRKS: readonly Quirk[] = [
  'reasoning_content',
  'reasoning',
  'content-parts',
  'think-tags',
  'details-fragments',
]
const ERROR_QUIRKS: Partial<Record<Quirk, ErrorShape>> = {
  'error-array': 'array',
  'error-flat': 'flat',
  'error-text': 'text',
  'error-empty': 'no-body',
}

class OpenAIDialect implements Dialect {
  readonly kind = 'openai'
  readonly #options: OpenAISimOptions
  readonly #profile: ServerProfile
  readonly #quirks: ReadonlySet<Quirk>
  readonly #errors: ErrorShape
  readonly #responses: ResponsesApi

  constructor(options: OpenAISimOptions) {
    this.#options = options
    this.#profile = PROFILES[options.server ?? 'openai']
    const given = [...(options.quirks ?? [])]
    const quirks = new Set([
      ...(this.#profile.quirks ?? []),
      ...given.filter((quirk): quirk is Quirk => !isResponsesQuirk(quirk)),
    ])
    this.#responses = new ResponsesApi({
      quirks: new Set(given.filter(isResponsesQuirk)),
      isLenient: options.lenient ?? false,
    })
    if (options.requiresReasoning) quirks.add('reasoning_content')
    this.#quirks = quirks
    const ofQuirk = [...quirks].flatMap((quirk) => ERROR_QUIRKS[quirk] ?? [])
    this.#errors = ofQuirk[0] ?? this.#profile.errors ?? 'nested'
  }

  isListing({ method, path }: RecordedRequest): boolean {
    return method === 'GET' && path.endsWith('/models')
  }

  receive(request: RecordedRequest): Reply | Exchange {
    const headers = {
      'x-request-id': `req_${randomBytes(12).toString('hex')}`,
      'openai-version': '2020-10-01',
      'openai-organization': 'org-simulated',
      'openai-project': 'proj_simulated',
      'openai-processing-ms': '12',
      'x-ratelimit-limit-requests': '10000',
      'x-ratelimit-remaining-requests': '9999',
    }
    try {
      checkKey(request, this.#options.apiKey, this.#profile.keyHeader)
      return this.#route(request, headers)
    } catch (error) {
      if (error instanceof Refusal) return toErrorReply(error, headers, this.#errors)
      throw error
    }
  }

  failure(status: number, message: string): Reply {
    return toErrorReply(new Refusal(message, { status, type: 'server_error' }), {}, this.#errors)
  }

  #route(request: RecordedRequest, headers: Record<string, string>): Reply | Exchange {
    const { path, method, query } = request
    const { base, route } = splitPath(path)
    const isComplete = (this.#profile.query ?? []).every((name) => query.has(name))
    const isPosted = route === COMPLETIONS || (route === RESPONSES && this.#profile.responses === true)
    const isRoute = isPosted || route === '/models' || route.startsWith('/models/')
    if (!isRoute || !this.#profile.base.test(base) || !isComplete)
      throw new Refusal(`Invalid URL (${method} ${path})`, { status: 404 })
    if (method === 'POST' && route === COMPLETIONS) return this.#complete(request, headers)
    if (method === 'POST' && route === RESPONSES) return this.#respond(request, headers)
    if (isPosted || (route === '/models' && method !== 'GET')) {
      throw new Refusal(`Not allowed to ${method} on ${path}.`, { status: 405, code: 'method_not_supported' })
    }
    if (method !== 'GET') throw new Refusal(`Invalid URL (${method} ${path})`, { status: 404 })
    if (route === '/models') {
      const models = this.#options.models ?? DEFAULT_MODELS
      return {
        status: 200,
        headers,
        body: { object: 'list', data: models.map((name) => this.#describe(name)) },
      }
    }
    const name = decodeURIComponent(route.slice('/models/'.length))
    this.#checkModel(name)
    return { status: 200, headers, body: this.#describe(name) }
  }

  #respond(request: RecordedRequest, headers: Record<string, string>): Exchange {
    if (request.body === undefined) throw notJson()
    if (isRecord(request.body)) this.#checkModel(String(request.body.model))
    const key = keyOf(request, this.#profile.keyHeader) ?? ''
    return this.#responses.respond(request.body, key, headers)
  }

  #complete(request: RecordedRequest, headers: Record<string, string>): Exchange {
    if (request.body === undefined) throw notJson()
    const body = checkBody(request.body, this.#profile, this.#options)
    this.#checkModel(body.model)
    const prompt = toolsInPrompt(body)
    return {
      stream: body.stream === true && !this.#quirks.has('not-streamed'),
      headers,
      renderer: createOpenAIRenderer({
        model: body.model,
        promptTokens: estimateTokens([body.messages, body.tools ?? []]),
        includeUsage: body.stream_options?.include_usage === true,
        choices: body.n ?? 1,
        quirks: isCareless(body.model) ? new Set([...this.#quirks, 'careless-calls' as const]) : this.#quirks,
      }),
      conversation: prompt?.conversation ?? toConversation(body),
      prepare: (steps) => this.#prepare(steps, body),
      showsReasoning: REASONING_QUIRKS.some((quirk) => this.#quirks.has(quirk)),
      ...(prompt && {
        prepareAnswer: (steps) => speak(steps, { markup: prompt.markup, manner: () => 'asked' }),
      }),
    }
  }

  #describe(id: string) {
    return { id, object: 'model', created: 1_735_689_600, owned_by: this.#profile.ownedBy ?? 'simulator' }
  }

  /** What the server makes of an answer: calls that fit their tools, or its own complaint about them. */
  #prepare(steps: readonly Step[], body: ChatRequest): readonly Step[] {
    const { constrains, checksCalls } = this.#profile
    const held = constrains ? constrain(steps, body, constrains) : steps
    return checksCalls ? checkCalls(held, body) : held
  }

  #checkModel(name: string): void {
    const { models } = this.#options
    if (models && !models.includes(name)) {
      throw new Refusal(`The model \`${name}\` does not exist or you do not have access to it.`, {
        status: 404,
        code: 'model_not_found',
      })
    }
  }
}

/** A model that gets its tool calls slightly wrong. */
const isCareless = (model: string) => model.startsWith('careless')

/** Any model follows a prompt that teaches tools as text; undefined if there is none, or the request has tools itself. */
function toolsInPrompt({ tools, messages }: ChatRequest): ReturnType<typeof readPrompt> | undefined {
  if (tools !== undefined) return undefined
  const prompt = readPrompt(toPromptTexts(messages))
  return prompt.conversation.tools.length > 0 ? prompt : undefined
}

/** The path before the route, and the route. */
function splitPath(path: string): { base: string; route: string } {
  const posted = [COMPLETIONS, RESPONSES].find((route) => path.endsWith(route))
  const at = posted === undefined ? path.indexOf('/models') : path.length - posted.length
  return { base: path.slice(0, Math.max(at, 0)), route: at < 0 ? '' : path.slice(at) }
}

const notJson = () =>
  new Refusal(
    "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. The OpenAI API expects a JSON payload, but what was sent was not valid JSON.)",
  )

function keyOf({ headers }: RecordedRequest, keyHeader: string | undefined): string | undefined {
  const bare = keyHeader === undefined ? undefined : headers[keyHeader]
  return bare === undefined ? /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1] : String(bare)
}

function checkKey(request: RecordedRequest, apiKey: string | undefined, keyHeader: string | undefined): void {
  if (apiKey === undefined) return
  const key = keyOf(request, keyHeader)
  if (key === undefined) {
    throw new Refusal(
      "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY).",
      { status: 401 },
    )
  }
  if (key !== apiKey) {
    const shown = `${key.slice(0, 3)}***${key.slice(-2)}`
    throw new Refusal(
      `Incorrect API key provided: ${shown}. You can find your API key at https://platform.openai.com/account/api-keys.`,
      { status: 401, code: 'invalid_api_key' },
    )
  }
}

// A simulator of Claude on Google's Vertex AI: rawPredict, streamRawPredict and the count of tokens. It checks tokens and refuses what
// Vertex refuses; what is left is checked and answered as by Anthropic. docs/simulators.md.

import { randomBytes } from 'node:crypto'
import { AnthropicDialect, type AnthropicSimOptions } from './anthropic.ts'
import { cloudProblem } from './clouds/check-cloud-body.ts'
import { type RecordedRequest, RequestRecord } from './recording.ts'
import { type Dialect, type Exchange, type Reply, type Sim, startSim } from './server.ts'
import { isRecord, type Json } from './shape.ts'

export interface VertexSimOptions extends AnthropicSimOptions {
  /** Default: us-east5. */
  readonly region?: string
  /** Default: my-project. */
  readonly project?: string
  /** The tokens that are good now. Read anew for each request; absent: any will do. */
  readonly tokens?: readonly string[]
  /** Requests that meet a quota before the next is answered. */
  throttled?: number
}

export const startVertexSim = (options: VertexSimOptions = {}): Promise<Sim> =>
  startSim(new VertexDialect(options), options)

class GoogleRefusal extends Error {
  readonly code: number
  readonly status: string

  constructor(code: number, status: string, message: string) {
    super(message)
    this.code = code
    this.status = status
  }
}

const FIELDS = new Set([
  'anthropic_version', 'cache_control', 'context_management', 'max_tokens', 'messages', 'metadata', 'output_config',
  'stop_sequences', 'stream', 'system', 'temperature', 'thinking', 'tool_choice', 'tools', 'top_k', 'top_p',
]) // biome-ignore format: a list to be read as one

const BETAS =
  /^(?:interleaved-thinking|context-1m|context-management|compact|computer-use|tool-search-tool|web-search)-\d{4}-\d\d-\d\d$/

const PATH =
  /^\/v1\/projects\/([^/]+)\/locations\/([^/]+)\/publishers\/anthropic\/models\/([^/:]+):(rawPredict|streamRawPredict)$/
/** Only these have a date in their ids. */
const DATED = /^claude-(?:haiku|opus|sonnet)-4-5$/

export class VertexDialect implements Dialect {
  readonly kind = 'vertex'
  readonly #options: VertexSimOptions
  readonly #anthropic: AnthropicDialect

  constructor(options: VertexSimOptions) {
    this.#options = options
    const { apiKey: _apiKey, models: _models, ...rest } = options
    this.#anthropic = new AnthropicDialect(rest)
  }

  receive(request: RecordedRequest): Reply | Exchange {
    try {
      this.#authenticate(request)
      if ((this.#options.throttled ?? 0) > 0) {
        this.#options.throttled = (this.#options.throttled ?? 0) - 1
        throw new GoogleRefusal(429, 'RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.')
      }
      return this.#route(request)
    } catch (error) {
      if (!(error instanceof GoogleRefusal)) throw error
      const { code, status, message } = error
      const body = { error: { code, message, status } }
      // The streaming method answers with a list.
      return { status: code, body: request.path.endsWith(':streamRawPredict') ? [body] : body }
    }
  }

  failure(status: number, message: string): Reply {
    return { status, body: { error: { code: status, message, status: 'INTERNAL' } } }
  }

  #authenticate({ headers }: RecordedRequest): void {
    const { tokens } = this.#options
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
    if (token === undefined)
      throw new GoogleRefusal(
        401,
        'UNAUTHENTICATED',
        'Request is missing required authentication credential.',
      )
    if (tokens === undefined || tokens.includes(token)) return
    throw new GoogleRefusal(
      401,
      'UNAUTHENTICATED',
      'Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.',
    )
  }

  #route(request: RecordedRequest): Reply | Exchange {
    const { project = 'my-project', region = 'us-east5' } = this.#options
    const [, asked, location, id = '', action] = PATH.exec(request.path) ?? []
    if (request.method !== 'POST' || action === undefined)
      throw new GoogleRefusal(404, 'NOT_FOUND', `No such method: ${request.path}`)
    if (asked !== project)
      throw new GoogleRefusal(
        403,
        'PERMISSION_DENIED',
        `Permission 'aiplatform.endpoints.predict' denied on resource '//aiplatform.googleapis.com/projects/${asked}'`,
      )
    const isCount = id === 'count-tokens'
    const body = request.body
    if (!isRecord(body)) throw new GoogleRefusal(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.')
    const name = this.#nameOf(isCount ? String(body.model) : decodeURIComponent(id), String(location), region)
    return this.#ask(request, isCount ? without(body, 'model') : body, {
      name,
      path: isCount ? '/v1/messages/count_tokens' : '/v1/messages',
      stream: action === 'streamRawPredict',
    })
  }

  #ask(
    { method, headers, startedAt }: RecordedRequest,
    body: Json,
    { name, path, stream }: { name: string; path: string; stream: boolean },
  ): Reply | Exchange {
    const problem = this.#problem(body, headers, stream)
    const answerHeaders = { 'request-id': `req_vrtx_${randomBytes(12).toString('hex')}` }
    if (problem !== undefined) {
      const error = { type: 'invalid_request_error', message: problem }
      return { status: 400, headers: answerHeaders, body: { type: 'error', error } }
    }
    const bodyText = JSON.stringify({ ...without(body, 'anthropic_version'), model: name })
    const answered = this.#anthropic.receive(
      new RequestRecord({
        method,
        path,
        query: new URLSearchParams(),
        headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': headers['anthropic-beta'] },
        bodyText,
        bodyBytes: bodyText.length,
        startedAt,
      }),
    )
    return { ...answered, headers: answerHeaders }
  }

  #problem(body: Json, headers: RecordedRequest['headers'], stream: boolean): string | undefined {
    if (body.anthropic_version !== 'vertex-2023-10-16') return 'anthropic_version: Field required'
    if (headers['anthropic-version'] !== undefined) return 'anthropic-version: not a header here'
    if ((body.stream === true) !== stream) return 'stream: must agree with the method'
    const betas = String(headers['anthropic-beta'] ?? '')
      .split(',')
      .map((beta) => beta.trim())
      .filter(Boolean)
    const refused = betas.filter((beta) => !BETAS.test(beta)).map((beta) => `\`${beta}\``)
    if (refused.length > 0)
      return `Unexpected value(s) ${refused.join(', ')} for the \`anthropic-beta\` header.`
    return cloudProblem(body, FIELDS)
  }

  /** The name as Anthropic has it. */
  #nameOf(id: string, location: string, region: string): string {
    const [name = '', date] = id.split('@')
    const { models } = this.#options
    const isKnown =
      location === region &&
      /^claude-[a-z0-9-]+$/.test(name) &&
      (date !== undefined) === DATED.test(name) &&
      (!models || models.includes(name))
    if (isKnown) return name
    const path = `projects/my-project/locations/${location}/publishers/anthropic/models/${id}`
    throw new GoogleRefusal(
      404,
      'NOT_FOUND',
      `Publisher Model \`${path}\` was not found or your project does not have access to it. Please ensure you are using a valid model version.`,
    )
  }
}

const without = (body: Json, name: string): Json =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))

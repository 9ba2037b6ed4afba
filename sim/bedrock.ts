// A simulator of Claude on Amazon Bedrock: InvokeModel, streamed and whole, CountTokens, and the lists of the control plane. It checks
// signatures and refuses what Bedrock refuses; what is left is checked and answered as by Anthropic. docs/simulators.md.

import { randomUUID } from 'node:crypto'
import { AnthropicDialect, type AnthropicSimOptions } from './anthropic.ts'
import { AwsRefusal, awsReply } from './clouds/aws-refusal.ts'
import { cloudProblem } from './clouds/check-cloud-body.ts'
import { encodeChunk, encodeException } from './clouds/event-stream.ts'
import { type AwsAccount, checkSignature } from './clouds/signature.ts'
import { type RecordedRequest, RequestRecord } from './recording.ts'
import { type Dialect, type Exchange, type Reply, type Sim, startSim } from './server.ts'
import { isRecord, type Json } from './shape.ts'

export interface BedrockSimOptions extends AnthropicSimOptions {
  /** Default: us-east-1. */
  readonly region?: string
  /** Who may sign. Read anew for each request. With neither signers nor `apiKey`, anyone may call. */
  readonly signers?: readonly AwsAccount[]
  /** How far the service's clock is ahead of this machine's. */
  readonly clockAheadMs?: number
  /** Names of models that need no inference profile. */
  readonly onDemand?: readonly string[]
  /** Requests that are throttled before the next is answered. */
  throttled?: number
}

export const startBedrockSim = (options: BedrockSimOptions = {}): Promise<Sim> =>
  startSim(new BedrockDialect(options), options)

const FIELDS = new Set([
  'anthropic_beta', 'anthropic_version', 'context_management', 'max_tokens', 'messages', 'output_config', 'stop_sequences',
  'system', 'temperature', 'thinking', 'tool_choice', 'tools', 'top_k', 'top_p',
]) // biome-ignore format: a list to be read as one

const BETAS =
  /^(?:computer-use-2025-(?:01|11)-24|context-1m-2025-08-07|context-management-2025-06-27|compact-2026-01-12|effort-2025-11-24|fine-grained-tool-streaming-2025-05-14|tool-search-tool-2025-10-19)$/

const EDITS = ['clear_tool_uses_20250919', 'compact_20260112']

const PATH = /^\/model\/([^/]+)\/(invoke|invoke-with-response-stream|count-tokens)$/
const MODEL = /^(?:(?:us|eu|apac|jp|au|us-gov|global)\.)?anthropic\.(claude-[a-z0-9-]+?)(-v\d+:\d+)?$/

export class BedrockDialect implements Dialect {
  readonly kind = 'bedrock'
  readonly #options: BedrockSimOptions
  readonly #anthropic: AnthropicDialect

  constructor(options: BedrockSimOptions) {
    this.#options = options
    const { apiKey: _apiKey, models: _models, ...rest } = options
    this.#anthropic = new AnthropicDialect(rest)
  }

  receive(request: RecordedRequest): Reply | Exchange {
    const headers = { 'x-amzn-requestid': randomUUID() }
    try {
      this.#authenticate(request)
      if ((this.#options.throttled ?? 0) > 0) {
        this.#options.throttled = (this.#options.throttled ?? 0) - 1
        throw new AwsRefusal('ThrottlingException', 'Too many requests, please wait before trying again.')
      }
      return this.#route(request, headers)
    } catch (error) {
      if (error instanceof AwsRefusal) return awsReply(error, headers)
      throw error
    }
  }

  failure(status: number, message: string): Reply {
    const type = status >= 500 ? 'InternalServerException' : 'ValidationException'
    return { ...awsReply(new AwsRefusal(type, message), {}), status }
  }

  #authenticate(request: RecordedRequest): void {
    const { apiKey, signers, region = 'us-east-1', clockAheadMs = 0 } = this.#options
    if (apiKey === undefined && signers === undefined) return
    if (apiKey !== undefined && request.headers.authorization === `Bearer ${apiKey}`) return
    if (request.headers.authorization?.startsWith('Bearer '))
      throw new AwsRefusal(
        'AccessDeniedException',
        'Authentication failed: Please make sure your API Key is valid.',
      )
    checkSignature(request, {
      region,
      service: 'bedrock',
      accounts: signers ?? [],
      now: Date.now() + clockAheadMs,
    })
  }

  #route(request: RecordedRequest, headers: Record<string, string>): Reply | Exchange {
    const { method, path } = request
    if (method === 'GET' && path === '/inference-profiles')
      return { status: 200, headers, body: { inferenceProfileSummaries: this.#profiles() } }
    if (method === 'GET' && path === '/foundation-models')
      return { status: 200, headers, body: { modelSummaries: this.#models() } }
    const [, id = '', action] = method === 'POST' ? (PATH.exec(path) ?? []) : []
    if (action === undefined) throw new AwsRefusal('ResourceNotFoundException', `No such operation: ${path}`)
    const model = decodeURIComponent(id)
    return action === 'count-tokens'
      ? this.#count(request, model, headers)
      : this.#invoke(request, { model, stream: action !== 'invoke' }, headers)
  }

  #invoke(
    request: RecordedRequest,
    { model, stream }: { model: string; stream: boolean },
    headers: Record<string, string>,
  ): Reply | Exchange {
    const name = this.#nameOf(model)
    if (model.startsWith('anthropic.') && !(this.#options.onDemand ?? []).includes(name)) {
      throw new AwsRefusal(
        'ValidationException',
        `Invocation of model ID ${model} with on-demand throughput isn’t supported. Retry your request with the ID or ARN of an inference profile that contains this model.`,
      )
    }
    const answered = this.#ask(request, checkedBody(request.body), { name, stream, path: '/v1/messages' })
    return { ...answered, headers, ...(stream ? { framing: eventStream } : {}) }
  }

  #count(request: RecordedRequest, model: string, headers: Record<string, string>): Reply {
    if (!model.startsWith('anthropic.'))
      throw new AwsRefusal('ValidationException', "The provided model doesn't support counting tokens.")
    const body = checkedBody(countedBody(request.body))
    const { max_tokens: _limit, ...counted } = body
    const path = '/v1/messages/count_tokens'
    const answered = this.#ask(request, counted, { name: this.#nameOf(model), path }) as Reply
    return { ...answered, headers, body: { inputTokens: (answered.body as Json).input_tokens } }
  }

  /** Asks the Anthropic simulator, and puts its refusals into Bedrock's form. */
  #ask(
    { method, startedAt }: RecordedRequest,
    { anthropic_version: _version, anthropic_beta: betas, ...body }: Json,
    { name, stream, path }: { name: string; stream?: boolean; path: string },
  ): Reply | Exchange {
    const bodyText = JSON.stringify({ ...body, model: name, ...(stream ? { stream } : {}) })
    const answered = this.#anthropic.receive(
      new RequestRecord({
        method,
        path,
        query: new URLSearchParams(),
        headers: { 'anthropic-version': '2023-06-01', 'anthropic-beta': String(betas ?? '') },
        bodyText,
        bodyBytes: bodyText.length,
        startedAt,
      }),
    )
    if ('renderer' in answered || answered.status === 200) return answered
    const { error } = answered.body as { error: { message: string } }
    if (answered.status === 404) throw new AwsRefusal('ResourceNotFoundException', error.message)
    throw new AwsRefusal(
      answered.status < 500 ? 'ValidationException' : 'InternalServerException',
      error.message,
    )
  }

  #nameOf(model: string): string {
    const name = MODEL.exec(model)?.[1]
    const { models } = this.#options
    if (name === undefined || (models && !models.includes(name)))
      throw new AwsRefusal('ValidationException', 'The provided model identifier is invalid.')
    return name
  }

  #profiles(): Json[] {
    return (this.#options.models ?? ['claude-sonnet-5-5', 'claude-haiku-5-5']).map((name) => ({
      inferenceProfileId: `us.anthropic.${name}`,
      inferenceProfileName: `US ${name}`,
      status: 'ACTIVE',
      type: 'SYSTEM_DEFINED',
      models: [],
    }))
  }

  #models(): Json[] {
    return (this.#options.onDemand ?? []).map((name) => ({
      modelId: `anthropic.${name}`,
      modelName: name,
      providerName: 'Anthropic',
      inferenceTypesSupported: ['ON_DEMAND'],
      modelLifecycle: { status: 'ACTIVE' },
    }))
  }
}

function checkedBody(body: unknown): Json {
  if (!isRecord(body))
    throw new AwsRefusal('ValidationException', 'Malformed input request: expected a JSON object')
  if (body.anthropic_version !== 'bedrock-2023-05-31')
    throw new AwsRefusal('ValidationException', 'anthropic_version: "bedrock-2023-05-31" is required')
  const problem = cloudProblem(body, FIELDS)
  if (problem !== undefined) throw new AwsRefusal('ValidationException', problem)
  const betas = Array.isArray(body.anthropic_beta) ? body.anthropic_beta : []
  if (betas.some((beta) => !BETAS.test(String(beta))))
    throw new AwsRefusal('ValidationException', 'invalid beta flag')
  const tools = Array.isArray(body.tools) ? body.tools.filter(isRecord) : []
  const eager = tools.findIndex((tool) => 'eager_input_streaming' in tool)
  if (eager >= 0)
    throw new AwsRefusal(
      'ValidationException',
      `tools.${eager}.custom.eager_input_streaming: Extra inputs are not permitted`,
    )
  const edits = isRecord(body.context_management) ? body.context_management.edits : []
  if (Array.isArray(edits) && edits.some((edit) => !isRecord(edit) || !EDITS.includes(String(edit.type))))
    throw new AwsRefusal(
      'ValidationException',
      'context_management.edits: Input tag found does not match any of the expected tags',
    )
  return body
}

function countedBody(body: unknown): unknown {
  const input = isRecord(body) && isRecord(body.input) ? body.input.invokeModel : undefined
  if (!isRecord(input) || typeof input.body !== 'string')
    throw new AwsRefusal('ValidationException', 'input: expected invokeModel or converse')
  try {
    return JSON.parse(Buffer.from(input.body, 'base64').toString('utf8'))
  } catch {
    throw new AwsRefusal('ValidationException', 'input.invokeModel.body: not JSON')
  }
}

const EXCEPTIONS = new Map<unknown, string>([
  ['rate_limit_error', 'throttlingException'],
  ['invalid_request_error', 'validationException'],
  ['overloaded_error', 'serviceUnavailableException'],
  ['timeout_error', 'modelTimeoutException'],
])

const METRICS = { inputTokenCount: 1, outputTokenCount: 1, invocationLatency: 900, firstByteLatency: 300 }

const eventStream = {
  contentType: 'application/vnd.amazon.eventstream',
  encode(event: string): Buffer {
    // A dot does not match every character that JSON may have.
    const json = /^data: ([^\r\n]*)/m.exec(event)?.[1] ?? ''
    const value: unknown = json.startsWith('{') ? JSON.parse(json) : undefined
    if (!isRecord(value)) return encodeChunk(json)
    if (value.type === 'error' && isRecord(value.error))
      return encodeException(
        EXCEPTIONS.get(value.error.type) ?? 'internalServerException',
        String(value.error.message),
      )
    if (value.type === 'message_stop')
      return encodeChunk(JSON.stringify({ ...value, 'amazon-bedrock-invocationMetrics': METRICS }))
    return encodeChunk(json)
  },
}

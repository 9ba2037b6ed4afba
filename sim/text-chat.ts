// A simulator of a chat server whose model has no native tools: Chat Completions that refuse every field about tools, and a
// model that finds tools in its prompt and writes its calls as text, as requested or in another manner.

import { checkRequest } from './openai/check-request.ts'
import type { Quirk } from './openai/quirks.ts'
import { Refusal, toErrorReply, WORDING } from './openai/refusal.ts'
import { createOpenAIRenderer } from './openai/render.ts'
import { type ChatRequest, toPromptTexts } from './openai/request.ts'
import { chatShape } from './openai/schema.ts'
import type { RecordedRequest } from './recording.ts'
import { type Dialect, type Exchange, type Reply, type Sim, type SimOptions, startSim } from './server.ts'
import type { Wording } from './shape.ts'
import { checkTextOnly } from './text-chat/check-request.ts'
import { readPrompt } from './text-chat/prompt.ts'
import { checkManners, type MannerChoice, MannerSource, speak } from './text-chat/speak.ts'
import { estimateTokens } from './tokens.ts'

export { isManner, MANNERS, type Manner } from './text-chat/manners.ts'
export type { MannerChoice } from './text-chat/speak.ts'

export interface TextSimOptions extends SimOptions {
  /** The manner of calls; absent: as the prompt asks. */
  readonly manner?: MannerChoice
  /** False: refuses system messages, like the templates of some models. */
  readonly systemRole?: boolean
  /** False: accepts messages of any role in any order. */
  readonly alternating?: boolean
  /** Characters per chunk of an answer; overrides the steps. */
  readonly pieceLength?: number
  /** Like those of the openai simulator. */
  readonly quirks?: Iterable<Quirk>
  readonly lenient?: boolean
}

export interface TextSim extends Sim {
  /** From now on, until `clear`. */
  setManner(choice: MannerChoice): void
}

export async function startTextSim(options: TextSimOptions = {}): Promise<TextSim> {
  checkManners(options.script)
  const dialect = new TextDialect(options)
  const sim = await startSim(dialect, options)
  const { clear } = sim
  // Assigned, not spread: `queued` is a getter.
  return Object.assign(sim, {
    setManner: (choice: MannerChoice) => dialect.setManner(choice),
    clear: () => {
      clear()
      dialect.setManner(options.manner)
    },
  })
}

const DEFAULT_MODELS = ['text-demo', 'qwen2.5-7b', 'qwen3-coder']
const REASONING_QUIRKS: readonly Quirk[] = ['reasoning_content', 'reasoning', 'content-parts']

class TextDialect implements Dialect {
  readonly kind = 'text'
  readonly #options: TextSimOptions
  readonly #quirks: ReadonlySet<Quirk>
  readonly #wording: Wording
  #manners: MannerSource

  constructor(options: TextSimOptions) {
    this.#options = options
    this.#quirks = new Set(options.quirks)
    this.#wording = options.lenient ? { ...WORDING, unknown: () => undefined } : WORDING
    this.#manners = new MannerSource(options.manner)
  }

  setManner(choice: MannerChoice | undefined): void {
    this.#manners = new MannerSource(choice)
  }

  receive(request: RecordedRequest): Reply | Exchange {
    try {
      this.#checkKey(request)
      return this.#route(request)
    } catch (error) {
      if (error instanceof Refusal) return toErrorReply(error, {})
      throw error
    }
  }

  failure(status: number, message: string): Reply {
    return toErrorReply(new Refusal(message, { status, type: 'server_error' }), {})
  }

  #checkKey({ headers }: RecordedRequest): void {
    const { apiKey } = this.#options
    if (apiKey === undefined || headers.authorization === `Bearer ${apiKey}`) return
    throw new Refusal('Invalid API key', { status: 401, code: 'invalid_api_key' })
  }

  #route(request: RecordedRequest): Reply | Exchange {
    const route = `${request.method} ${request.path}`
    if (route === 'POST /v1/chat/completions') return this.#complete(request)
    if (route === 'GET /v1/models') {
      const models = this.#options.models ?? DEFAULT_MODELS
      const data = models.map((id) => ({
        id,
        object: 'model',
        created: 1_735_689_600,
        owned_by: 'simulator',
      }))
      return { status: 200, body: { object: 'list', data } }
    }
    throw new Refusal('Not Found', { status: 404 })
  }

  #complete({ body }: RecordedRequest): Exchange {
    const { systemRole = true, alternating = true, models } = this.#options
    // Tools come first, before any other problem: refusing them is the purpose of this server.
    checkTextOnly(body, { systemRole, alternating })
    chatShape(body, [], this.#wording)
    const request = body as ChatRequest
    if (models?.includes(request.model) === false) {
      throw new Refusal(`The model \`${request.model}\` does not exist.`, {
        status: 404,
        code: 'model_not_found',
      })
    }
    checkRequest(request, { requiresReasoning: false })
    return this.#exchange(request)
  }

  #exchange(request: ChatRequest): Exchange {
    const { conversation, markup } = readPrompt(toPromptTexts(request.messages))
    const { pieceLength } = this.#options
    return {
      stream: request.stream === true,
      headers: {},
      renderer: createOpenAIRenderer({
        model: request.model,
        promptTokens: estimateTokens(request.messages),
        includeUsage: request.stream_options?.include_usage === true,
        choices: request.n ?? 1,
        quirks: this.#quirks,
      }),
      conversation,
      showsReasoning: REASONING_QUIRKS.some((quirk) => this.#quirks.has(quirk)),
      prepare: (steps) => speak(steps, { markup, manner: () => this.#manners.next(), pieceLength }),
    }
  }
}

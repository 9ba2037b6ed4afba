// The routes of the web chat: each request is checked, then answered from the stored chats or by the model.

import { randomUUID } from 'node:crypto'
import type { RecordedRequest } from '../recording.ts'
import type { Dialect, Exchange, Reply, SimOptions } from '../server.ts'
import type { Json } from '../shape.ts'
import { readPrompt } from '../text-chat/prompt.ts'
import { type MannerChoice, MannerSource } from '../text-chat/speak.ts'
import { estimateTokens } from '../tokens.ts'
import { prepareAnswer } from './answer.ts'
import { type Chat, Chats } from './chats.ts'
import { type FailureChoice, FailureSource, type Place } from './failures.ts'
import { toTexts } from './folded.ts'
import { DEFAULT_MODELS, describeModel } from './models.ts'
import { page, Refusal, succeed, toReply, WORDING } from './refusal.ts'
import { QwenWebRenderer } from './render.ts'
import {
  type CompletionRequest,
  completionShape,
  contentOf,
  LONGEST_MESSAGE,
  newChatShape,
  oddities,
  thinkingOf,
  type WireMessage,
} from './request.ts'

export interface QwenWebSimOptions extends SimOptions {
  /** The manner of calls; absent: as the prompt asks. */
  readonly manner?: MannerChoice
  /** Failures that are active from the start. */
  readonly errors?: Iterable<FailureChoice>
  /** False: native calls pass. */
  readonly intercepts?: boolean
  /** Characters per chunk of an answer; overrides the steps. */
  readonly pieceLength?: number
}

export class QwenWebDialect implements Dialect {
  readonly kind = 'qwen-web'
  readonly chats = new Chats()
  readonly violations: string[] = []
  failures: FailureSource
  manners: MannerSource
  readonly #options: QwenWebSimOptions

  constructor(options: QwenWebSimOptions) {
    this.#options = options
    this.failures = new FailureSource(options.errors)
    this.manners = new MannerSource(options.manner)
  }

  receive(request: RecordedRequest): Reply | Exchange {
    try {
      return this.#route(request)
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      if (error.details.isViolation !== false) this.violations.push(error.message)
      return toReply(error)
    }
  }

  failure(status: number, message: string): Reply {
    return toReply(new Refusal('Internal_Error', message, { status }))
  }

  #route(request: RecordedRequest): Reply | Exchange {
    const { method, path } = request
    const route = `${method} ${path}`
    const [, chatId] = /^\/api\/v2\/chats\/([^/]+)$/.exec(path) ?? []
    if (route === 'POST /api/v2/chats/new') return this.#guard('new', request, () => this.#newChat(request))
    if (route === 'POST /api/v2/chat/completions') {
      return this.#guard('completions', request, () => this.#complete(request))
    }
    if (route === 'GET /api/models') return this.#listModels((data) => ({ status: 200, body: { data } }))
    if (route === 'GET /api/v2/models/') return this.#listModels((data) => succeed({ data }))
    if (route === 'GET /api/v2/chats/') return this.#guard('chats', request, () => this.#listChats())
    if (chatId !== undefined && (method === 'GET' || method === 'DELETE')) {
      return this.#guard('chats', request, () => this.#oneChat(method, chatId))
    }
    // The retired first version of the interface answers every request like this.
    if (route === 'POST /api/chat/completions') {
      this.violations.push(`${path} is retired`)
      return page(504, '<html><body>504 Gateway Time-out</body></html>')
    }
    throw new Refusal('Not_Found', `${route} is not exist`, { status: 404 })
  }

  /** The gate comes first, then the version, then the token. */
  #guard(place: Place, { headers }: RecordedRequest, act: () => Reply | Exchange): Reply | Exchange {
    const failed = this.failures.reply(place)
    if (failed) return failed
    if (!headers.version) throw new Refusal('Bad_Request', 'the header "version" is missing')
    const { apiKey } = this.#options
    if (apiKey !== undefined && tokenOf(headers) !== apiKey) {
      throw new Refusal('Unauthorized', 'Token has expired', { status: 401, isViolation: false })
    }
    return act()
  }

  #newChat({ body }: RecordedRequest): Reply {
    newChatShape(body, [], WORDING)
    const { title, timestamp } = body as Json
    if (Number(timestamp) < 1e11) this.violations.push('timestamp: of a new chat is in milliseconds')
    return succeed({ id: this.chats.create(String(title)).id })
  }

  #listModels(wrap: (models: unknown[]) => Reply): Reply {
    const models = this.#options.models ?? DEFAULT_MODELS
    return this.failures.reply('models') ?? wrap(models.map(describeModel))
  }

  #listChats(): Reply {
    return succeed([...this.chats.byId.values()].map(({ id, title }) => ({ id, title })))
  }

  #oneChat(method: string, id: string): Reply {
    const chat = this.chats.find(id)
    if (method === 'GET') return succeed(chat.toJson())
    this.chats.byId.delete(id)
    return succeed({ status: true })
  }

  #complete(request: RecordedRequest): Exchange | Reply {
    completionShape(request.body, [], WORDING)
    const body = request.body as CompletionRequest
    const { messages, chat_id: chatId, model, parent_id: parentId } = body
    if (request.query.get('chat_id') !== chatId) {
      throw new Refusal('Bad_Request', 'chat_id: is not the same in the query and in the body')
    }
    this.violations.push(...oddities(body, tokenOf(request.headers) !== undefined))
    if (this.#options.models?.includes(model) === false) {
      throw new Refusal('Not_Found', `the model ${model} is not exist`, { isViolation: false })
    }
    const chat = this.chats.find(chatId)
    if (parentId !== null && chat.find(parentId).role === 'user') {
      this.violations.push('parent_id: is a message of the user; the next one hangs below the answer')
    }
    if (chat.isBusy) throw new Refusal('Bad_Request', 'The chat is in progress!', { isViolation: false })
    const [message] = messages
    if (message === undefined || messages.length > 1 || message.role !== 'user') {
      this.violations.push(
        `messages: are ${messages.length} (${messages.map(({ role }) => role).join(', ')}); one of the user is answered`,
      )
      return this.#answerNothing(chat)
    }
    return this.#exchange(chat, message, body)
  }

  /** Like the service: a valid stream without content. */
  #answerNothing(chat: Chat): Reply {
    const created = { chat_id: chat.id, parent_id: null, response_id: randomUUID() }
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      body: `data: ${JSON.stringify({ 'response.created': created })}\n\n`,
    }
  }

  #exchange(chat: Chat, message: WireMessage, body: CompletionRequest): Exchange {
    const text = contentOf(message)
    if (text.length > LONGEST_MESSAGE) {
      throw new Refusal(
        'Bad_Request',
        `The message is too long: ${text.length} characters, and at most 131,072 are taken`,
      )
    }
    if (chat.messages.has(message.fid)) throw new Refusal('Bad_Request', `fid: ${message.fid} is taken`)
    const path = [...chat.pathTo(body.parent_id), { role: 'user' as const, text }]
    const { conversation, markup } = readPrompt(toTexts(path))
    const responseId = randomUUID()
    const failures = new Set(this.failures.takeStreamed())
    const thinking = thinkingOf(message)
    chat.begin(responseId)
    const release = () => chat.finish(responseId)
    return {
      stream: true,
      headers: {},
      conversation,
      showsReasoning: thinking !== 'none',
      renderer: new QwenWebRenderer({
        chatId: chat.id,
        userId: message.fid,
        responseId,
        inputTokens: estimateTokens(path.map((part) => part.text).join('\n')),
        hasPhases: message.feature_config.output_schema === 'phase',
        thinking,
        isCumulative: () => body.incremental_output !== true || failures.has('cumulative'),
        failures,
        onEnd: release,
      }),
      prepare: (steps) => {
        const { intercepts = true, pieceLength } = this.#options
        const speech = { markup, manner: () => this.manners.next(), pieceLength }
        const answer = prepareAnswer(steps, { speech, intercepts, failures })
        if (answer.text !== undefined) {
          chat.keep(
            { id: message.fid, parentId: body.parent_id, role: 'user', text },
            { id: responseId, parentId: message.fid, role: 'assistant', text: answer.text },
          )
        }
        return answer.steps
      },
      onClose: release,
    }
  }
}

function tokenOf({ authorization, cookie }: RecordedRequest['headers']): string | undefined {
  const bearer = /^Bearer (.+)$/i.exec(authorization ?? '')?.[1]
  return bearer ?? /(?:^|;\s*)token=([^;]+)/.exec(cookie ?? '')?.[1]
}

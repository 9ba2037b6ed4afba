// One request and its chat: the known chat of its conversation, if that is free, which gets only the new messages; otherwise a
// new chat, which gets the whole conversation in one message.

import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { nativeSignal } from '../../base/signal.ts'
import type { TurnContext } from '../../core/backend.ts'
import { callerId } from '../../core/caller.ts'
import type { CollectedTurn } from '../../core/collect.ts'
import { type ErrorCode, GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { AssistantPart, Message, TurnRequest } from '../../core/request.ts'
import { Turn } from '../../core/turn.ts'
import { conversationKey, remindersIn } from '../../protocols/qwen-web/conversation-key.ts'
import { ChatRefusal, challengeIn, fromQwenWebError } from '../../protocols/qwen-web/errors.ts'
import {
  fitting,
  fold,
  inWords,
  longestMessage,
  textOf,
  withoutHeadings,
} from '../../protocols/qwen-web/fold.ts'
import { QwenWebReader } from '../../protocols/qwen-web/read.ts'
import { type Thinking, thinkingFor, toCompletion } from '../../protocols/qwen-web/request-out.ts'
import { bodyText } from '../../protocols/requests/body-text.ts'
import { formatRequest } from '../../protocols/tool-text/answer-format.ts'
import type { Markup } from '../../protocols/tool-text/markup.ts'
import type { UpstreamClient } from '../../upstream/client.ts'
import { httpTurn } from '../http/http-turn.ts'
import type { Chat, Chats, Tip } from './chats.ts'
import type { QwenWebService } from './service.ts'

interface ConversationOptions {
  name: string
  client: UpstreamClient
  service: QwenWebService
  chats: Chats
  thinking: Thinking
  markup: Markup
  progressMs: number
  firstByteMs: number
  /** How long to wait for a busy chat. */
  busyWaitMs: number
}

/** An answer under way. */
interface Exchange {
  turn: Turn
  batches: AsyncGenerator<TurnEvent[]>
  reader: QwenWebReader
  chat: Chat
}

/** Failures that do not concern the chat. */
const blameless = new Set<ErrorCode>([
  'canceled',
  'rate-limited',
  'upstream-credential',
  'upstream-challenge',
])

export class Conversation {
  readonly #request: TurnRequest
  readonly #context: TurnContext
  readonly #options: ConversationOptions
  readonly #key: string | undefined
  #chat: Chat | undefined
  /** The last complete answer. */
  #tip: Tip | undefined

  constructor(request: TurnRequest, context: TurnContext, options: ConversationOptions) {
    this.#request = request
    this.#context = context
    this.#options = options
    this.#key = conversationKey(callerId(context.caller), request)
  }

  /** `rendered` is text only. `attempt` 1 follows the answer to attempt 0; its last message is the complaint. */
  async *ask(rendered: TurnRequest, attempt: number): AsyncGenerator<TurnEvent[]> {
    const messages = withFormat(rendered.messages, formatRequest(this.#request))
    const tip = attempt === 0 ? this.#claim() : this.#tip
    this.#tip = undefined
    const exchange =
      (tip && (await this.#goOn(tip, newsIn(messages, attempt)))) ?? (await this.#begin(messages))
    try {
      for (let batch = await exchange.turn.next(); batch; batch = await exchange.turn.next()) {
        const { responseId } = exchange.reader
        if (batch.at(-1)?.type === 'turn-end' && responseId !== undefined)
          this.#tip = { chat: exchange.chat, responseId }
        yield batch
      }
    } finally {
      void exchange.batches.return(undefined).catch(() => undefined)
    }
  }

  /** Remembers the answer: the client sends it back with its next message, which can continue from here. */
  keep({ parts }: CollectedTurn): void {
    if (!this.#tip) return
    const content = parts.filter((part): part is AssistantPart & typeof part => part.type !== 'reasoning')
    const { messages } = this.#request
    const key = conversationKey(callerId(this.#context.caller), this.#request, [
      ...messages,
      { role: 'assistant', content },
    ])
    if (key !== undefined) this.#options.chats.keep(key, this.#tip, remindersIn(messages))
  }

  release(): void {
    if (this.#chat) this.#options.chats.release(this.#chat)
    this.#chat = undefined
  }

  #claim(): Tip | undefined {
    const { messages } = this.#request
    const answered = messages.slice(0, messages.findLastIndex(({ role }) => role === 'assistant') + 1)
    const tip = this.#options.chats.claim(this.#key, remindersIn(answered))
    this.#chat = tip?.chat
    return tip
  }

  /** Undefined if the chat cannot be continued: a new one is needed. */
  async #goOn(tip: Tip, news: string): Promise<Exchange | undefined> {
    const { name, chats, busyWaitMs } = this.#options
    if (news.trim() === '') return undefined
    // The chat may have begun with a folded conversation, which had headings.
    const text = fitting(withoutHeadings(news), name)
    for (let tries = 0; ; tries++) {
      const exchange = this.#send(tip.chat, tip.responseId, text)
      try {
        await exchange.turn.open()
        return exchange
      } catch (error) {
        const { code } = GatewayError.from(error)
        const state = error instanceof ChatRefusal ? error.chat : undefined
        if (state === 'busy' && tries === 0) await pause(busyWaitMs, nativeSignal(this.#context.signal))
        else if (state === undefined) {
          if (!blameless.has(code)) chats.forget(this.#key)
          throw error
        } else {
          if (state === 'gone') chats.drop(tip.chat)
          return undefined
        }
      }
    }
  }

  async #begin(messages: readonly Message[]): Promise<Exchange> {
    const { name, chats, service, markup } = this.#options
    const { notes, signal, tap } = this.#context
    const isResults = (text: string) => holdsResults(text, markup, formatRequest(this.#request))
    const { text, leftOut } = fold(messages, { backend: name, isResults })
    if (leftOut > 0) {
      const turns = leftOut === 1 ? 'the oldest turn was' : `the ${leftOut} oldest turns were`
      notes.add(`${turns} left out: the upstream takes ${inWords(longestMessage)} characters in one message`)
    }
    this.release()
    const chat = chats.begin(await service.newChat(this.#request.model, nativeSignal(signal), tap))
    this.#chat = chat
    const exchange = this.#send(chat, null, text)
    try {
      await exchange.turn.open()
    } catch (error) {
      if (GatewayError.from(error).code === 'upstream-challenge') chats.putOff(chat)
      throw error
    }
    return exchange
  }

  #send(chat: Chat, parentId: string | null, text: string): Exchange {
    const { name, client, service, thinking, progressMs, firstByteMs } = this.#options
    const { model, tools, toolChoice } = this.#request
    const { notes } = this.#context
    const reader = new QwenWebReader({
      ...this.#context,
      model,
      backend: name,
      toolsOffered: tools.length > 0 && toolChoice?.type !== 'none',
      note: (note) => notes.add(note),
    })
    const batches = seeingChallenges(
      name,
      httpTurn({
        client,
        backend: name,
        path: `/api/v2/chat/completions?chat_id=${encodeURIComponent(chat.id)}`,
        headers: service.headers(chat.id),
        body: bodyText(
          toCompletion({
            chatId: chat.id,
            parentId,
            model,
            text,
            thinking: thinkingFor(thinking, this.#request),
            messageId: randomUUID(),
            answerId: randomUUID(),
            nowMs: Date.now(),
          }),
        ),
        stream: true,
        reader,
        signal: this.#context.signal,
        tap: this.#context.tap,
        progressMs,
        firstByteMs,
        toError: fromQwenWebError,
      }),
    )
    return { turn: new Turn(batches), batches, reader, chat }
  }
}

async function* seeingChallenges(
  name: string,
  batches: AsyncIterable<TurnEvent[]>,
): AsyncGenerator<TurnEvent[]> {
  try {
    yield* batches
  } catch (error) {
    throw challengeIn(GatewayError.from(error), name) ?? error
  }
}

/** The messages that the chat has not received. */
function newsIn(messages: readonly Message[], attempt: number): string {
  const last = messages.findLastIndex(({ role }) => role === 'assistant')
  return messages
    .slice(attempt === 0 ? last + 1 : -1)
    .map(textOf)
    .join('\n\n')
}

/** Nothing but results; the sentence about the answer format is ours. */
function holdsResults(text: string, { resultTag }: Markup, sentence: string): boolean {
  const said = sentence !== '' && text.endsWith(sentence) ? text.slice(0, -sentence.length) : text
  return said.startsWith(`<${resultTag}>`) && said.trimEnd().endsWith(`</${resultTag}>`)
}

function withFormat(messages: readonly Message[], sentence: string): readonly Message[] {
  if (sentence === '') return messages
  const last = messages.at(-1)
  if (last?.role !== 'user')
    return [...messages, { role: 'user', content: [{ type: 'text', text: sentence }] }]
  const text = `${textOf(last)}\n\n${sentence}`
  return [...messages.slice(0, -1), { role: 'user', content: [{ type: 'text', text }] }]
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined)
  if (signal.aborted) throw GatewayError.ofAbort(signal)
}

// TurnEvents → Chat Completions: the chunks of a stream, or one whole answer. The constant part of a chunk is built once per turn;
// only the delta is encoded. docs/wire-cases.md lists what real clients insist on. In a lane the server's own chunks are forwarded, and
// the end is written here.

import { jsonString } from '../../base/json-string.ts'
import { endsWith } from '../../base/text-edges.ts'
import type { CollectedTurn } from '../../core/collect.ts'
import type { FinishReason, TurnEvent, Usage } from '../../core/events.ts'
import type { Framing } from '../../core/fast-path.ts'
import { openaiErrorBody } from '../errors/openai-error.ts'
import { customText } from '../requests/custom-tools.ts'
import { notesComment } from '../streams/notes-comment.ts'
import { dialect } from './dialect.ts'
import { forwardedAnswer, ModelName } from './forwarded.ts'
import type { CustomForm } from './tools-in.ts'

export interface ChatWriterOptions {
  id: string
  /** The model as the client named it. */
  model: string
  createdAt: number
  includeUsage: boolean
  /** whole: a call is sent once, complete. streamed: its arguments are sent as they arrive. */
  toolArguments: 'whole' | 'streamed'
  /** The form of a custom tool's calls; undefined for functions. */
  customForm?(name: string): CustomForm | undefined
  /** Notes that were added after the response header was sent. */
  lateNotes(): string[]
}

type AnswerOptions = Pick<ChatWriterOptions, 'id' | 'model' | 'createdAt' | 'customForm'> & {
  note?(text: string): void
}

const finishReasons: Record<FinishReason, string> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
  other: 'stop',
}

/** Names of members: inside of a text, quotes are escaped. */
const finishMark = /"finish_reason"\s{0,9}:\s{0,9}"/
const usageMark = /"usage"\s{0,9}:\s{0,9}\{/
const roleMark = /"role"\s{0,9}:\s{0,9}"assistant"/
const createdMark = /"created"\s{0,9}:\s{0,9}(\d{1,15})/
const noChoice = /"choices"\s{0,9}:\s{0,9}\[\s{0,9}\]/

type OpaqueEvent = Extract<TurnEvent, { type: 'opaque' }>

const isOutput = ({ type }: TurnEvent) => type.endsWith('-delta') || type.endsWith('-end')

const openChoice = ',"choices":[{"index":0,"delta":'
const suffix = ',"finish_reason":null}]}\n\n'

export class ChatWriter {
  readonly #options: ChatWriterOptions
  #head = ''
  #prefix = ''
  #textPrefix = ''
  #reasoningPrefix = ''
  #field = 'content'
  #textDeltaFraming: Framing | undefined
  #call = -1
  #streaming = false
  /** Set in a lane. */
  #forwarded: ModelName | undefined
  #hasRole = false
  #hasFinish = false
  #hasUsage = false
  #id = ''
  #openEnd = ''

  constructor(options: ChatWriterOptions) {
    this.#options = options
    this.#setHead(options.id, options.createdAt)
  }

  #setHead(id: string, createdAt: number): void {
    const { model } = this.#options
    this.#head = `data: {"id":${jsonString(id)},"object":"chat.completion.chunk","created":${createdAt},"model":${jsonString(model)}`
    this.#prefix = this.#head + openChoice
    this.#textPrefix = `${this.#prefix}{"content":`
    this.#reasoningPrefix = `${this.#prefix}{"reasoning_content":`
  }

  /** The events as SSE text; empty if none of them is visible in this dialect. */
  push(events: readonly TurnEvent[]): string {
    let out = ''
    for (let at = 0; at < events.length; at++) {
      const event = events[at] as TurnEvent
      if (event.type === 'opaque' && this.#forwarded) {
        out += this.#forward(this.#forwarded, event.data, events, at)
        at += event.covers
      } else if (this.#forwarded && !this.#hasRole && isOutput(event)) {
        this.#hasRole = true
        out += this.#role() + this.#write(event)
      } else out += this.#write(event)
    }
    return out
  }

  /** `at`: the position of the forwarded chunk among the events. Those that it covers follow it. */
  #forward(name: ModelName, data: string, events: readonly TurnEvent[], at: number): string {
    if (!this.#hasRole) this.#takeTime(data)
    const role = this.#hasRole || roleMark.test(data) ? '' : this.#role()
    this.#hasRole = true
    const { covers } = events[at] as OpaqueEvent
    const isText = covers === 1 && events[at + 1]?.type === 'text-delta'
    if (!isText || !this.#isUnfinished(data)) {
      for (let place = at + 1; place <= at + covers; place++)
        if (events[place]?.type === 'tool-call-end') this.#call++
      this.#hasFinish ||= finishMark.test(data)
      const hasUsage = noChoice.test(data) && usageMark.test(data)
      // The gateway asks for usage, the client need not have.
      if (hasUsage && !this.#options.includeUsage) return ''
      this.#hasUsage ||= hasUsage
    }
    return role === '' ? name.event(data) : role + name.event(data)
  }

  /** Own chunks have the time of the server's. */
  #takeTime(data: string): void {
    const created = createdMark.exec(data)?.[1]
    if (created !== undefined) this.#setHead(this.#id, Number(created))
  }

  /** The chunk ends like an earlier one without a finish reason, or is one. */
  #isUnfinished(data: string): boolean {
    if (this.#openEnd !== '' && endsWith(data, this.#openEnd)) return true
    const place = data.lastIndexOf('"finish_reason":null')
    if (place < 0) return false
    this.#openEnd = data.slice(place)
    return true
  }

  textDelta(text: string, received?: Framing): string | undefined {
    if (this.#forwarded) {
      const sent = received && this.#forwarded.around(received)
      return sent && `${sent.before}${text}${sent.after}`
    }
    return this.#field === 'content' ? `${this.#textPrefix}"${text}"}${suffix}` : undefined
  }

  get textDeltaFraming(): Framing | undefined {
    if (this.#forwarded) return undefined
    this.#textDeltaFraming ??= { before: `${this.#textPrefix}"`, after: `"}${suffix}` }
    return this.#textDeltaFraming
  }

  #write(event: TurnEvent): string {
    switch (event.type) {
      case 'turn-start':
        if (event.lane !== dialect) return this.#role()
        this.#forwarded = new ModelName(this.#options.model)
        this.#setHead(event.id, this.#options.createdAt)
        this.#id = event.id
        return ''
      case 'text-start':
        this.#field = event.refusal ? 'refusal' : 'content'
        return ''
      case 'text-delta':
        return this.#field === 'content'
          ? `${this.#textPrefix}${jsonString(event.delta)}}${suffix}`
          : `${this.#prefix}{"refusal":${jsonString(event.delta)}}${suffix}`
      case 'reasoning-delta':
        return `${this.#reasoningPrefix}${jsonString(event.delta)}}${suffix}`
      case 'tool-call-start':
        return this.#streams(event.name) ? this.#callHeader(event.callId, event.name) : ''
      case 'tool-call-delta':
        return this.#streaming ? this.#callArguments(event.delta) : ''
      case 'tool-call-end':
        return this.#streaming ? this.#callEnd() : this.#wholeCall(event)
      case 'turn-end':
        return this.#end(event.reason, event.usage)
      case 'turn-error':
        return `data: ${JSON.stringify(openaiErrorBody(event.error))}\n\n${this.#done()}`
      default:
        return ''
    }
  }

  #role(): string {
    return `${this.#prefix}{"role":"assistant","content":""}${suffix}`
  }

  /** Arguments of a custom tool cannot be streamed: its text is inside JSON until the call is complete. */
  #streams(name: string): boolean {
    this.#streaming =
      this.#options.toolArguments === 'streamed' && this.#options.customForm?.(name) === undefined
    return this.#streaming
  }

  #callEnd(): string {
    this.#streaming = false
    return ''
  }

  #wholeCall(call: { callId: string; name: string; input: string }): string {
    const form = this.#options.customForm?.(call.name)
    if (form === 'custom') return this.#customCall(call)
    const text = form === 'function' ? customText(call) : call.input
    return this.#callHeader(call.callId, call.name) + this.#callArguments(text)
  }

  #customCall(call: { callId: string; name: string; input: string }): string {
    const index = ++this.#call
    const header = { index, id: call.callId, type: 'custom', custom: { name: call.name, input: '' } }
    const input = { index, custom: { input: customText(call) } }
    return [header, input]
      .map((delta) => `${this.#prefix}{"tool_calls":[${JSON.stringify(delta)}]}${suffix}`)
      .join('')
  }

  #callHeader(callId: string, name: string): string {
    this.#call++
    const call = { index: this.#call, id: callId, type: 'function', function: { name, arguments: '' } }
    return `${this.#prefix}{"tool_calls":[${JSON.stringify(call)}]}${suffix}`
  }

  #callArguments(delta: string): string {
    return `${this.#prefix}{"tool_calls":[{"index":${this.#call},"function":{"arguments":${jsonString(delta)}}}]}${suffix}`
  }

  #end(reason: FinishReason, usage: Usage | undefined): string {
    const finish = this.#hasFinish
      ? ''
      : `${this.#prefix}{},"finish_reason":"${finishReasons[reason]}"}]}\n\n`
    const counted =
      this.#options.includeUsage && !this.#hasUsage
        ? `${this.#head},"choices":[],"usage":${chatUsage(usage)}}\n\n`
        : ''
    return finish + counted + this.#done()
  }

  #done(): string {
    return `${notesComment(this.#options.lateNotes())}data: [DONE]\n\n`
  }
}

/** One newline only: decoders have been seen to dispatch an empty event for a comment followed by a blank line. */
export const chatKeepAlive = ': keepalive\n'

function chatUsage(usage: Usage | undefined): string {
  const {
    inputTokens = 0,
    outputTokens = 0,
    cacheReadTokens = 0,
    cacheWriteTokens,
    reasoningTokens = 0,
    estimated,
  } = usage ?? {}
  const created = cacheWriteTokens === undefined ? '' : `,"cache_creation_tokens":${cacheWriteTokens}`
  const counted = `{"prompt_tokens":${inputTokens},"completion_tokens":${outputTokens},"total_tokens":${inputTokens + outputTokens}`
  const details = `"prompt_tokens_details":{"cached_tokens":${cacheReadTokens}${created}},"completion_tokens_details":{"reasoning_tokens":${reasoningTokens}}`
  return `${counted},${details}${estimated ? ',"estimated":true' : ''}}`
}

/** A whole answer, written directly as text, without an intermediate object. */
export function chatAnswer(
  { parts, reason, usage, original }: CollectedTurn,
  { id, createdAt, model, customForm, note = () => undefined }: AnswerOptions,
): string {
  let text = ''
  let refusal = ''
  let reasoning = ''
  let calls = ''
  for (const part of parts)
    if (part.type === 'reasoning') reasoning += part.text
    else if (part.type === 'tool-call')
      calls += `${calls === '' ? '' : ','}${JSON.stringify(wholeCall(part, customForm?.(part.name)))}`
    else if (part.refusal) refusal += part.text
    else text += part.text
  if (original?.lane === dialect) {
    const made = parts.flatMap((part) => (part.type === 'tool-call' ? [wholeCall(part, undefined)] : []))
    const finish = finishReasons[reason]
    const read = { id, createdAt, model, text, reasoning, calls: made, finish, usage: chatUsage(usage), note }
    const forwarded = forwardedAnswer(original.text, read)
    if (forwarded !== undefined) return forwarded
  }
  const saysNothing = text === '' && (calls !== '' || refusal !== '')
  const content = `"content":${saysNothing ? 'null' : jsonString(text)},"refusal":${refusal === '' ? 'null' : jsonString(refusal)}`
  const rest = `${reasoning === '' ? '' : `,"reasoning_content":${jsonString(reasoning)}`}${calls === '' ? '' : `,"tool_calls":[${calls}]`}`
  const choice = `{"index":0,"message":{"role":"assistant",${content}${rest}},"logprobs":null,"finish_reason":"${finishReasons[reason]}"}`
  return `{"id":${jsonString(id)},"object":"chat.completion","created":${createdAt},"model":${jsonString(model)},"choices":[${choice}],"usage":${chatUsage(usage)}}`
}

function wholeCall(
  call: { callId: string; name: string; input: string },
  form: CustomForm | undefined,
): Record<string, unknown> {
  const { callId: id, name, input } = call
  if (form === 'custom') return { id, type: 'custom', custom: { name, input: customText(call) } }
  return {
    id,
    type: 'function',
    function: { name, arguments: form === 'function' ? customText(call) : input },
  }
}

// The event stream of Qwen's web chat → TurnEvents. Text comes in phases: thinking, the answer, or the output of one of the
// service's own tools.

import { type Fields, isObject } from '../../base/json.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent, Usage } from '../../core/events.ts'
import { type ReaderOptions, TurnReader } from '../streams/reader.ts'
import { fromQwenWebError, isGate, isRefusal } from './errors.ts'
import { GrowingText } from './growing-text.ts'
import { Interception } from './intercepted.ts'

interface QwenWebReaderOptions extends ReaderOptions {
  /** Tools were offered in the text. */
  toolsOffered: boolean
}

type Phase = 'answer' | 'think' | 'summary'

const phases = new Map<unknown, Phase>([
  ['answer', 'answer'],
  [null, 'answer'],
  [undefined, 'answer'],
  ['', 'answer'],
  ['think', 'think'],
  ['thinking_summary', 'summary'],
])

/** The raw finish reason of a complete answer. */
export const answerEnd = 'finished'

/** More than any model writes: an answer is kept until its end, which may never come. */
const longestAnswer = 16 * 1024 * 1024

export class QwenWebReader extends TurnReader<QwenWebReaderOptions> {
  readonly #texts = { answer: new GrowingText(), think: new GrowingText(), summary: new GrowingText() }
  readonly #interception: Interception | undefined
  readonly #ignored = new Set<string>()
  #phase: Phase = 'answer'
  #paragraphs: readonly string[] = []
  #started = false
  #finished = false
  /** Any text, shown or held back. */
  #anything = false
  #answered = false
  #length = 0
  /** The current chunk brought something new. */
  #moved = false
  #atEnd = false
  #usage: Usage | undefined
  /** The id of the answer's message, which is the parent of the next one. */
  responseId: string | undefined

  constructor(options: QwenWebReaderOptions) {
    super(options)
    this.#interception = options.toolsOffered ? new Interception() : undefined
  }

  /** An empty stream with a clean end has a special meaning: see `finish`. */
  get settled(): boolean {
    return this.#finished || (this.#atEnd && !this.#anything)
  }

  override end(): TurnEvent[] {
    this.#atEnd = true
    return super.end()
  }

  protected onMessage(data: string): void {
    if (data.trim() === '[DONE]') {
      this.#finished = true
      this.finish()
    } else this.#onChunk(this.parse(data))
  }

  /** Answers are always streamed: an unstreamed one is a refusal. */
  protected onWhole(answer: Fields): void {
    if (!isRefusal(answer) && !isGate(answer))
      throw this.malformed('one JSON answer, and no stream', JSON.stringify(answer))
    throw fromQwenWebError({ backend: this.options.backend, status: 200, body: answer })
  }

  #onChunk(chunk: Fields): void {
    if (isRefusal(chunk)) throw this.#failure(chunk)
    this.#moved = false
    if (isObject(chunk['response.created'])) this.#onCreated(chunk['response.created'])
    if (isObject(chunk.usage)) this.#usage = toUsage(chunk.usage)
    const choice = Array.isArray(chunk.choices) ? chunk.choices.find(isObject) : undefined
    if (isObject(choice?.delta)) this.#onDelta(choice.delta)
    // Chunks without text can come forever, like pings.
    if (!this.#moved) this.progress--
  }

  #onCreated({ response_id: id }: Fields): void {
    if (typeof id === 'string' && id !== '') this.responseId = id
    this.#start()
  }

  #start(): void {
    if (this.#started) return
    this.#started = true
    this.#moved = true
    const { turnId, model } = this.options
    this.blocks.push({ type: 'turn-start', id: this.responseId ?? turnId, model })
  }

  #onDelta(delta: Fields): void {
    if (delta.status === 'error') throw this.#failure({ error: delta.error ?? delta.extra ?? delta.content })
    const phase = delta.role === 'function' ? undefined : phases.get(delta.phase)
    if (phase === undefined) return this.#ignore(delta)
    this.#start()
    if (phase !== this.#phase) this.#leave(phase)
    if (phase === 'summary') this.#onSummary(delta)
    else if (typeof delta.content === 'string') this.#onText(phase, delta.content)
    if (delta.status === 'finished') this.#onFinished(delta.phase)
  }

  /** The end of thinking does not end the turn. Without a phase name, only an answer can have ended. */
  #onFinished(named: unknown): void {
    if (this.#phase !== 'answer' || (named !== 'answer' && !this.#answered)) return
    this.#finished = true
    this.finish()
  }

  #onSummary(delta: Fields): void {
    const thought = isObject(delta.extra) ? delta.extra.summary_thought : undefined
    const content = isObject(thought) ? thought.content : undefined
    if (!Array.isArray(content)) {
      if (typeof delta.content === 'string') this.#onText('summary', delta.content)
      return
    }
    const paragraphs = content.filter((paragraph) => typeof paragraph === 'string')
    this.#give('summary', newIn(paragraphs, this.#paragraphs))
    if (paragraphs.length >= this.#paragraphs.length) this.#paragraphs = paragraphs
  }

  #onText(phase: Phase, content: string): void {
    if (content === '') return
    this.#anything = true
    this.#give(phase, this.#texts[phase].push(content))
  }

  #leave(next: Phase): void {
    this.#settle()
    this.blocks.text(this.#interception?.settle() ?? '')
    this.#phase = next
    this.#moved = true
  }

  /** Emits text that was undecided until the end of the phase. */
  #settle(): void {
    this.#give(this.#phase, this.#texts[this.#phase].settle())
  }

  #give(phase: Phase, text: string): void {
    if (text === '') return
    this.#anything = true
    this.#moved = true
    this.#length += text.length
    if (this.#length > longestAnswer) throw this.malformed('an answer without an end')
    if (phase !== 'answer') return this.blocks.reasoning(text)
    this.#answered = true
    this.blocks.text(this.#interception?.push(text) ?? text)
  }

  #ignore(delta: Fields): void {
    const what = delta.role === 'function' ? delta.role : delta.phase
    const isText = (word: unknown) => typeof word === 'string'
    const name = [delta.name, what].find(isText)?.slice(0, 40) ?? 'unnamed'
    if (this.#ignored.size >= 8 || this.#ignored.has(name)) return
    this.#ignored.add(name)
    this.options.note(`the service used a tool of its own (${JSON.stringify(name)}); its output is not shown`)
  }

  #failure(body: Fields): GatewayError {
    return fromQwenWebError({ backend: this.options.backend, status: 200, body })
  }

  protected finish(): void {
    this.#start()
    this.#settle()
    if (this.#interception?.isSure) throw this.#intercepted(this.#interception.words)
    this.blocks.text(this.#interception?.settle() ?? '')
    if (!this.blocks.hasText) throw this.#empty()
    this.blocks.close()
    this.ended = true
    this.blocks.push({
      type: 'turn-end',
      reason: 'stop',
      rawReason: answerEnd,
      ...(this.#usage ? { usage: this.#usage } : {}),
    })
  }

  #empty(): GatewayError {
    const { backend } = this.options
    if (this.#anything)
      return new GatewayError(
        'upstream-protocol',
        `${backend}: the model finished thinking without an answer; ask again.`,
      )
    return new GatewayError(
      'upstream-protocol',
      `${backend}: an empty answer. The service does so when it blocks an account or a client without saying it; see whether ` +
        'the chat still answers in your browser.',
      // A retry of a blocked account prolongs the block.
      { retryable: false },
    )
  }

  #intercepted(said: string): GatewayError {
    return new GatewayError(
      'upstream-protocol',
      `${this.options.backend}: the service took the model's tool call for one of its own tools ("${said}"). ` +
        'Ask again; if it happens often, take another model, or set "toolText.tag" of this backend to another name.',
      { retryable: false },
    )
  }
}

/** Every chunk has all paragraphs, and the last may have grown. Shown text cannot be retracted. */
function newIn(paragraphs: readonly string[], before: readonly string[]): string {
  const [now, earlier] = [paragraphs.join('\n\n'), before.join('\n\n')]
  if (now.startsWith(earlier)) return now.slice(earlier.length)
  return paragraphs
    .slice(before.length)
    .map((paragraph) => `\n\n${paragraph}`)
    .join('')
}

function toUsage(usage: Fields): Usage {
  const count = (value: unknown) => (typeof value === 'number' && value >= 0 ? value : undefined)
  const details = (value: unknown): Fields => (isObject(value) ? value : {})
  const cacheReadTokens =
    count(usage.cached_tokens) ?? count(details(usage.input_tokens_details).cached_tokens)
  const reasoningTokens = count(details(usage.output_tokens_details).reasoning_tokens)
  return {
    inputTokens: count(usage.input_tokens) ?? count(usage.prompt_tokens) ?? 0,
    outputTokens: count(usage.output_tokens) ?? count(usage.completion_tokens) ?? 0,
    ...(cacheReadTokens ? { cacheReadTokens } : {}),
    ...(reasoningTokens ? { reasoningTokens } : {}),
  }
}

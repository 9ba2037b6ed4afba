// Renders scripted steps as Messages answers: an event stream with strictly sequential content blocks, or one message.

import { randomBytes } from 'node:crypto'
import { cutIntoPieces, cutText } from '../pieces.ts'
import type { Renderer } from '../player.ts'
import type { CallStep, ContentStep, EndStep, ThinkStep } from '../script.ts'
import { isRecord, type Json } from '../shape.ts'
import { estimateTokens } from '../tokens.ts'
import type { Transformation } from './preserved-thinking.ts'
import type { InputUsage } from './prompt-cache.ts'
import type { Block } from './request.ts'

interface RenderContext {
  readonly model: string
  readonly input: InputUsage
  /** Thinking is sent with empty text. */
  readonly omitsThinking: boolean
  readonly stopSequences: readonly string[]
  /** The signature of a thinking block after these; undefined for a server that does not sign. */
  readonly sign?: (text: string, before: readonly Block[]) => string
  /** What happened to the request's thinking, if it asked for a report. */
  readonly transformations?: readonly Transformation[]
  /** Called with the blocks of each finished answer. */
  readonly onContent: (blocks: readonly Block[]) => void
}

/** OpenAI's finish reasons in terms of this dialect. */
const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  tool_calls: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
}

export function createAnthropicRenderer(context: RenderContext): Renderer {
  return new AnthropicRenderer(context)
}

class AnthropicRenderer implements Renderer {
  readonly #context: RenderContext
  readonly #id = `msg_${randomBytes(12).toString('hex')}`
  readonly #blocks: Block[] = []
  #outputTokens = 1
  #thinkingTokens = 0
  #pinged = false

  constructor(context: RenderContext) {
    this.#context = context
  }

  open(): string[] {
    const message = { ...this.#message([], null), usage: this.#usage() }
    return [event({ type: 'message_start', message })]
  }

  content(steps: readonly ContentStep[]): string[] {
    return steps.flatMap((step) => {
      const block = this.#take(step)
      return this.#blockEvents(this.#blocks.length - 1, emptied(block), deltasOf(block, step))
    })
  }

  repeat(text: string, times: number) {
    this.#count({ type: 'text', text: text.repeat(times) })
    const index = this.#blocks.length - 1
    const [start = '', ...rest] = this.#blockEvents(index, { type: 'text', text: '' }, [])
    const stop = rest.pop() ?? ''
    const delta = event({ type: 'content_block_delta', index, delta: { type: 'text_delta', text } })
    return { before: [start, ...rest], delta, after: [stop] }
  }

  end(step: EndStep | undefined): string[] {
    const { stop_reason, stop_sequence } = this.#stop(step)
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = this.#context.input
    const usage = {
      input_tokens,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      ...this.#outputUsage(),
      ...step?.usage,
    }
    this.#context.onContent(this.#blocks)
    return [
      event({ type: 'message_delta', delta: { stop_reason, stop_sequence }, usage }),
      event({ type: 'message_stop' }),
    ]
  }

  frame(json: unknown, name: string | undefined): string {
    return event(json, name)
  }

  whole(steps: readonly ContentStep[], end: EndStep | undefined): unknown {
    for (const step of steps) this.#take(step)
    this.#context.onContent(this.#blocks)
    const { stop_reason, stop_sequence } = this.#stop(end)
    const usage = { ...this.#usage(), ...end?.usage }
    return { ...this.#message(this.#blocks, stop_reason), stop_sequence, usage }
  }

  #take(step: ContentStep): Block {
    const block = this.#toBlock(step)
    this.#count(block)
    return block
  }

  #count(block: Block): void {
    this.#blocks.push(block)
    const tokens = estimateTokens(block.text ?? block.thinking ?? block.data ?? block.input)
    this.#outputTokens += tokens
    if (block.type === 'thinking' || block.type === 'redacted_thinking') this.#thinkingTokens += tokens
  }

  #toBlock(step: ContentStep): Block {
    if ('say' in step) return { type: 'text', text: step.say }
    if ('think' in step) return this.#toThinking(step)
    if ('redacted' in step) return { type: 'redacted_thinking', data: step.redacted }
    const id = step.call.id ?? `toolu_${randomBytes(12).toString('hex')}`
    return { type: 'tool_use', id, name: step.call.name, input: inputOf(step) }
  }

  #toThinking({ think, signature }: ThinkStep): Block {
    const thinking = this.#context.omitsThinking ? '' : think
    const proof = signature ?? this.#context.sign?.(thinking, this.#blocks)
    return { type: 'thinking', thinking, ...(proof !== undefined && { signature: proof }) }
  }

  #blockEvents(index: number, block: Block, deltas: readonly Json[]): string[] {
    const start = event({ type: 'content_block_start', index, content_block: block })
    const ping = this.#pinged ? [] : [event({ type: 'ping' })]
    this.#pinged = true
    const middle = deltas.map((delta) => event({ type: 'content_block_delta', index, delta }))
    return [start, ...ping, ...middle, event({ type: 'content_block_stop', index })]
  }

  #stop(step: EndStep | undefined) {
    const called = this.#blocks.some((block) => block.type === 'tool_use')
    const reason = step?.end ?? (called ? 'tool_use' : 'end_turn')
    const stop_reason = STOP_REASONS[reason] ?? reason
    const stop_sequence = reason === 'stop_sequence' ? (this.#context.stopSequences[0] ?? null) : null
    return { stop_reason, stop_sequence }
  }

  #message(content: readonly Block[], stopReason: string | null) {
    const { model, transformations } = this.#context
    return {
      id: this.#id,
      type: 'message',
      role: 'assistant',
      model,
      content,
      stop_reason: stopReason,
      stop_sequence: null,
      ...(transformations && { input_transformations: transformations }),
    }
  }

  #usage() {
    return { ...this.#context.input, ...this.#outputUsage(), service_tier: 'standard' }
  }

  #outputUsage() {
    const details = { thinking_tokens: this.#thinkingTokens }
    return { output_tokens: this.#outputTokens, output_tokens_details: details }
  }
}

function event(json: unknown, name?: string): string {
  const type = name ?? (isRecord(json) && typeof json.type === 'string' ? json.type : undefined)
  return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(json)}\n\n`
}

/** The block of content_block_start: fields that grow by deltas are empty, others are complete. */
function emptied(block: Block): Block {
  if (block.type === 'text') return { ...block, text: '' }
  if (block.type === 'thinking')
    return { ...block, thinking: '', ...(block.signature !== undefined && { signature: '' }) }
  return block.type === 'tool_use' ? { ...block, input: {} } : block
}

function deltasOf(block: Block, step: ContentStep): Json[] {
  if ('say' in step) {
    return cutText(step.say, step.pieces ?? 2).map((text) => ({ type: 'text_delta', text }))
  }
  if ('think' in step) {
    const pieces = cutText(String(block.thinking), step.pieces ?? 2)
    const thoughts = pieces.filter(Boolean).map((thinking) => ({ type: 'thinking_delta', thinking }))
    const { signature } = block
    return signature === undefined ? thoughts : [...thoughts, { type: 'signature_delta', signature }]
  }
  return 'call' in step ? callDeltas(step) : []
}

/** The service's first delta is empty. A call without arguments has no other delta. */
function callDeltas({ call, pieces = 2 }: CallStep): Json[] {
  const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  const parts = json === '{}' ? [] : cutIntoPieces(json, pieces)
  return ['', ...parts].map((partial_json) => ({ type: 'input_json_delta', partial_json }))
}

function inputOf({ call }: CallStep): Json {
  if (typeof call.arguments !== 'string') return call.arguments
  try {
    const input: unknown = JSON.parse(call.arguments)
    return isRecord(input) ? input : {}
  } catch {
    // Cut-off arguments can be streamed; a whole message cannot contain them.
    return {}
  }
}

// Renders scripted steps as GenerateContentResponses: chunks of a stream, or one answer. A call is always whole, in one part.

import { randomBytes } from 'node:crypto'
import { cutText } from '../pieces.ts'
import type { Renderer } from '../player.ts'
import type { CallStep, ContentStep, EndStep } from '../script.ts'
import { isRecord, type Json } from '../shape.ts'
import { estimateTokens } from '../tokens.ts'
import type { Part } from './request.ts'

interface RenderContext {
  readonly model: string
  readonly promptTokens: number
  readonly showsThoughts: boolean
  readonly hasIds: boolean
  /** The signature of a part; undefined for a model that does not sign. */
  readonly sign: (() => string) | undefined
  /** One answer is a list of chunks: a stream without `alt=sse`. */
  readonly isArray: boolean
}

/** Finish reasons of other dialects in terms of this one. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  stop: 'STOP',
  end_turn: 'STOP',
  stop_sequence: 'STOP',
  tool_use: 'STOP',
  tool_calls: 'STOP',
  length: 'MAX_TOKENS',
  max_tokens: 'MAX_TOKENS',
  content_filter: 'SAFETY',
  refusal: 'SAFETY',
}

export const createGeminiRenderer = (context: RenderContext): Renderer => new GeminiRenderer(context)

class GeminiRenderer implements Renderer {
  readonly #context: RenderContext
  readonly #id = randomBytes(12).toString('base64url')
  #outputTokens = 0
  #thoughtTokens = 0
  #calls = 0
  #hasText = false
  /** The arguments of a call that is no JSON object: the service answers with a reason of its own. */
  #malformed: string | undefined

  constructor(context: RenderContext) {
    this.#context = context
  }

  open(): string[] {
    return []
  }

  content(steps: readonly ContentStep[]): string[] {
    return steps.flatMap((step) => this.#parts(step).map((part) => this.frame(this.#chunk([part]))))
  }

  repeat(text: string, times: number) {
    this.#hasText = true
    this.#outputTokens += estimateTokens(text.repeat(times))
    return { before: [], delta: this.frame(this.#chunk([{ text }])), after: [] }
  }

  end(step: EndStep | undefined): string[] {
    return [this.frame(this.#last([this.#closing()], step))]
  }

  frame(json: unknown): string {
    return `data: ${JSON.stringify(json)}\r\n\r\n`
  }

  whole(steps: readonly ContentStep[], end: EndStep | undefined): unknown {
    const parts = joined(steps.flatMap((step) => this.#parts(step)))
    const last = parts.at(-1)
    const { thoughtSignature } = this.#closing()
    const signed = thoughtSignature === undefined ? {} : { thoughtSignature }
    const content =
      last?.text === undefined || last.thought ? parts : [...parts.slice(0, -1), { ...last, ...signed }]
    const answer = this.#last(content, end)
    return this.#context.isArray ? [answer] : answer
  }

  /** The last part carries the signature of an answer without calls. */
  #closing(): Part {
    const signature = this.#hasText && this.#calls === 0 ? this.#context.sign?.() : undefined
    return { text: '', ...(signature !== undefined && { thoughtSignature: signature }) }
  }

  #parts(step: ContentStep): Part[] {
    if ('redacted' in step) return []
    if ('think' in step) return this.#thoughts(step.think, step.pieces)
    if ('call' in step) return this.#call(step)
    this.#hasText = true
    this.#outputTokens += estimateTokens(step.say)
    return cutText(step.say, step.pieces ?? 2).map((text) => ({ text }))
  }

  #thoughts(text: string, pieces = 2): Part[] {
    this.#thoughtTokens += estimateTokens(text)
    if (!this.#context.showsThoughts) return []
    return cutText(text, pieces).map((piece) => ({ text: piece, thought: true }))
  }

  #call({ call }: CallStep): Part[] {
    const args = argumentsOf(call.arguments)
    if (args === undefined) {
      this.#malformed = String(call.arguments)
      return []
    }
    const { hasIds, sign } = this.#context
    this.#outputTokens += estimateTokens(args)
    const signature = this.#calls++ === 0 ? sign?.() : undefined
    const id = hasIds ? { id: call.id ?? randomBytes(6).toString('base64url') } : {}
    // The service leaves out empty arguments on some of its servers.
    const given = !hasIds && Object.keys(args).length === 0 ? {} : { args }
    return [
      {
        functionCall: { ...id, name: call.name, ...given },
        ...(signature !== undefined && { thoughtSignature: signature }),
      },
    ]
  }

  #chunk(parts: readonly Part[]): Json {
    return { ...this.#head({ content: { parts, role: 'model' } }), ...this.#tail() }
  }

  #last(parts: readonly Part[], step: EndStep | undefined): Json {
    const stated = step?.end ?? 'STOP'
    const isMalformed = this.#malformed !== undefined && FINISH_REASONS[stated] !== 'MAX_TOKENS'
    const finishReason = isMalformed ? 'MALFORMED_FUNCTION_CALL' : (FINISH_REASONS[stated] ?? stated)
    const candidate = isMalformed
      ? { finishReason, finishMessage: `Malformed function call: ${this.#malformed}` }
      : { content: { parts, role: 'model' }, finishReason }
    const { usageMetadata, ...tail } = this.#tail()
    return {
      ...this.#head(candidate),
      usageMetadata: { ...(usageMetadata as Json), ...step?.usage },
      ...tail,
    }
  }

  #head(candidate: Json): Json {
    return { candidates: [{ ...candidate, index: 0 }] }
  }

  #tail(): Json {
    const { promptTokens, model } = this.#context
    return {
      usageMetadata: {
        promptTokenCount: promptTokens,
        candidatesTokenCount: this.#outputTokens,
        totalTokenCount: promptTokens + this.#outputTokens + this.#thoughtTokens,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: promptTokens }],
        ...(this.#thoughtTokens > 0 && { thoughtsTokenCount: this.#thoughtTokens }),
      },
      modelVersion: model,
      responseId: this.#id,
    }
  }
}

/** Undefined for text that is no JSON object. */
function argumentsOf(given: Json | string): Json | undefined {
  if (typeof given !== 'string') return given
  try {
    const read: unknown = JSON.parse(given || '{}')
    return isRecord(read) ? read : undefined
  } catch {
    return undefined
  }
}

/** In a whole answer a text is one part. */
function joined(parts: readonly Part[]): Part[] {
  const out: Part[] = []
  for (const part of parts) {
    const last = out.at(-1)
    if (part.text !== undefined && last?.text !== undefined && last.thought === part.thought)
      out[out.length - 1] = { ...last, text: last.text + part.text }
    else out.push(part)
  }
  return out
}

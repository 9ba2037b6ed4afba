// Renders scripted steps as Chat Completions answers: a stream of chunks, or one completion. Quirks change otherwise correct answers.

import { randomBytes } from 'node:crypto'
import { cutIntoPieces, cutText } from '../pieces.ts'
import type { Renderer } from '../player.ts'
import type { CallStep, ContentStep, EndStep } from '../script.ts'
import type { Json } from '../shape.ts'
import { estimateTokens } from '../tokens.ts'
import { OddChunks } from './odd-chunks.ts'
import { type Call, type Quirk, type QuirkRule, rulesOf, type ToolDelta } from './quirks.ts'
import { signatureOf } from './server-rules.ts'

interface RenderContext {
  readonly model: string
  readonly promptTokens: number
  readonly includeUsage: boolean
  readonly choices: number
  readonly quirks: ReadonlySet<Quirk>
}

/** Anthropic's stop reasons in terms of this dialect. */
const FINISH_REASONS: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

const UPSTREAM_ERROR = { error: { message: 'Provider returned error', code: 502 } }

export function createOpenAIRenderer(context: RenderContext): Renderer {
  return new OpenAIRenderer(context)
}

class OpenAIRenderer implements Renderer {
  readonly #context: RenderContext
  readonly #rules: readonly QuirkRule[]
  readonly #base: Json
  readonly #odd: OddChunks
  #callCount = 0
  #outputTokens = 0
  #reasoningTokens = 0
  /** The text of each thinking block, for its signature. */
  readonly #thoughts: string[] = []

  constructor(context: RenderContext) {
    this.#context = context
    this.#rules = rulesOf(context.quirks)
    this.#odd = new OddChunks(context.quirks)
    this.#base = {
      id: `chatcmpl-${randomBytes(12).toString('hex')}`,
      created: Math.floor(Date.now() / 1000),
      model: context.model,
      service_tier: 'default',
      system_fingerprint: 'fp_simulator',
    }
  }

  open(): string[] {
    if (this.#has('error-in-200')) return [data(UPSTREAM_ERROR)]
    const first = this.#odd.first(this.#base).map(data)
    return this.#has('message-in-stream')
      ? first
      : [...first, ...this.#chunk({ delta: { role: 'assistant', content: '', refusal: null } })]
  }

  content(steps: readonly ContentStep[]): string[] {
    if (this.#has('error-in-200')) return []
    if (this.#has('message-in-stream')) return this.#chunk({ message: this.#message(steps) })
    return inRuns(steps).flatMap((run) => {
      const deltas = 'calls' in run ? this.#callDeltas(run.calls) : this.#spokenDeltas(run.spoken)
      return deltas.flatMap((delta) => this.#chunk({ delta }))
    })
  }

  repeat(text: string, times: number) {
    this.#outputTokens += estimateTokens(text.repeat(times))
    return { before: [], delta: this.#chunk({ delta: { content: text } }).join(''), after: [] }
  }

  end(step: EndStep | undefined): string[] {
    if (this.#has('error-in-200')) return this.#done()
    const usage = { ...this.#usage(), ...step?.usage }
    const inChoice = this.#has('usage-in-choice') ? { usage } : {}
    const choice = this.#has('no-finish') ? {} : { finish_reason: this.#finish(step) }
    const last =
      this.#has('no-finish') && !this.#has('usage-in-choice')
        ? []
        : this.#chunk({ delta: {}, ...choice, ...inChoice }, this.#has('usage-with-finish') ? usage : null)
    const more = this.#odd.last().flatMap((late) => this.#chunk(late))
    return [...this.#signatures(), ...last, ...more, ...this.#usageChunk(usage), ...this.#done()]
  }

  frame(json: unknown, event: string | undefined): string {
    return `${event === undefined ? '' : `event: ${event}\n`}${data(json)}`
  }

  whole(steps: readonly ContentStep[], end: EndStep | undefined): unknown {
    if (this.#has('error-in-200')) return UPSTREAM_ERROR
    const message = this.#message(steps)
    const finish_reason = this.#finish(end)
    const choices = this.#forEachChoice((index) => ({ index, message, logprobs: null, finish_reason }))
    const usage = { ...this.#usage(), ...end?.usage }
    return this.#odd.changed({ ...this.#base, object: 'chat.completion', choices, usage })
  }

  #has(quirk: Quirk): boolean {
    return this.#context.quirks.has(quirk)
  }

  #forEachChoice<T>(make: (index: number) => T): T[] {
    return Array.from({ length: this.#context.choices }, (_, index) => make(index))
  }

  #chunk(choice: Json, counted: Json | null = null): string[] {
    const usage = this.#has('usage-every-chunk') ? this.#usage() : counted
    const withUsage = this.#context.includeUsage || usage !== null ? { usage } : {}
    const comment = this.#has('comments') ? ': OPENROUTER PROCESSING\n\n' : ''
    return this.#forEachChoice((index) => {
      const choices = [{ index, logprobs: null, finish_reason: null, ...choice }]
      const chunk = { ...this.#base, object: 'chat.completion.chunk', choices, ...withUsage }
      return comment + data(this.#odd.changed(chunk))
    })
  }

  #usageChunk(usage: Json): string[] {
    const isElsewhere = (['usage-every-chunk', 'usage-in-choice', 'usage-with-finish'] as const).some(
      (quirk) => this.#has(quirk),
    )
    if (!this.#context.includeUsage || isElsewhere) return []
    const choices = this.#has('no-choices-usage') ? {} : { choices: [] }
    return [data(this.#odd.changed({ ...this.#base, object: 'chat.completion.chunk', ...choices, usage }))]
  }

  #done(): string[] {
    return this.#has('no-done') ? [] : ['data: [DONE]\n\n']
  }

  #finish(step: EndStep | undefined): string {
    const wrong = this.#rules.find((rule) => rule.finish !== undefined)?.finish
    if (wrong !== undefined && (this.#callCount > 0 || wrong === 'tool_calls')) return wrong
    const reason = step?.end ?? (this.#callCount > 0 ? 'tool_use' : 'end_turn')
    return this.#has('foreign-finish') ? reason : (FINISH_REASONS[reason] ?? reason)
  }

  #spokenDeltas(step: ContentStep): Json[] {
    if ('say' in step) {
      this.#outputTokens += estimateTokens(step.say)
      return cutText(step.say, step.pieces ?? 2).map((text) => ({ content: this.#toContent(text) }))
    }
    if (!('think' in step)) return []
    this.#countReasoning(step.think)
    if (this.#has('details-fragments')) this.#thoughts.push(step.think)
    const shown = this.#has('think-tags') ? `<think>${step.think}</think>\n` : step.think
    return cutText(shown, step.pieces ?? 2).flatMap((text) => this.#reasoningFields(text))
  }

  #toContent(text: string): unknown {
    return this.#has('content-parts') ? [{ type: 'text', text }] : text
  }

  /** Signatures arrive in their own chunks, as late as possible. */
  #signatures(): string[] {
    return this.#thoughts.flatMap((text, index) =>
      this.#chunk({ delta: { reasoning_details: [{ ...detail(index), signature: signatureOf(text) }] } }),
    )
  }

  /** OpenAI itself counts reasoning and does not show it. */
  #reasoningFields(text: string): Json[] {
    if (this.#has('think-tags')) return [{ content: text }]
    if (this.#has('details-fragments')) {
      const index = this.#thoughts.length - 1
      return [{ reasoning: text, reasoning_details: [{ ...detail(index), text, signature: null }] }]
    }
    if (this.#has('reasoning_content')) return [{ reasoning_content: text }]
    if (this.#has('reasoning')) return [{ reasoning: text }]
    if (!this.#has('content-parts')) return []
    return [{ content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] }]
  }

  #countReasoning(text: string): void {
    this.#reasoningTokens += estimateTokens(text)
    this.#outputTokens += estimateTokens(text)
  }

  #applyToCalls(steps: readonly CallStep[]): readonly Call[] {
    const calls = steps.map(toCall)
    for (const call of calls) this.#outputTokens += estimateTokens(call.arguments)
    return this.#rules.reduce<readonly Call[]>((all, rule) => rule.calls?.(all) ?? all, calls)
  }

  #callDeltas(steps: readonly CallStep[]): Json[] {
    const deltas = this.#applyToCalls(steps).map((call, position) => {
      const plain = toDeltas(call, this.#callCount++, steps[position]?.pieces ?? 2)
      return this.#rules.reduce<readonly ToolDelta[]>((all, rule) => rule.deltas?.(all) ?? all, plain)
    })
    const order = this.#rules.find((rule) => rule.order !== undefined)?.order
    const inOrder = order?.(deltas) ?? deltas.flat()
    if (this.#has('legacy-call')) return inOrder.map((delta) => ({ function_call: delta.function }))
    return inOrder.map((delta) => ({ tool_calls: [delta] }))
  }

  #message(steps: readonly ContentStep[]): Json {
    const calls = this.#applyToCalls(steps.filter((step) => 'call' in step))
    this.#callCount += calls.length
    const spoken = steps.flatMap((step) => ('say' in step ? [step.say] : []))
    const thought = steps.flatMap((step) => ('think' in step ? [step.think] : []))
    for (const text of spoken) this.#outputTokens += estimateTokens(text)
    for (const text of thought) this.#countReasoning(text)
    const tagged = this.#has('think-tags') ? thought.map((part) => `<think>${part}</think>\n`) : []
    const said = [...tagged, ...spoken]
    const [reasoning = {}] = thought.length > 0 && tagged.length === 0 ? this.#wholeReasoning(thought) : []
    const text = said.length > 0 ? this.#toContent(said.join('')) : null
    const { content: thinkingParts, ...fields } = reasoning
    const content = Array.isArray(thinkingParts)
      ? [...thinkingParts, ...(Array.isArray(text) ? text : [])]
      : text
    const tool_calls = calls.map((call) => this.#wholeCall(call))
    const made = this.#has('legacy-call') ? { function_call: tool_calls[0]?.function } : { tool_calls }
    return {
      role: 'assistant',
      content,
      ...fields,
      refusal: null,
      ...(calls.length > 0 ? made : {}),
    }
  }

  #wholeReasoning(thought: readonly string[]): Json[] {
    if (!this.#has('details-fragments')) return this.#reasoningFields(thought.join('\n'))
    const reasoning_details = thought.map((text, index) => ({
      ...detail(index),
      text,
      signature: signatureOf(text),
    }))
    return [{ reasoning: thought.join('\n'), reasoning_details }]
  }

  /** Joins the deltas of a call, so that quirks of deltas also appear in whole calls. */
  #wholeCall(call: Call): Json {
    const rules = this.#rules.filter(({ deltas }) => deltas !== undefined)
    const [header, body] = rules.reduce<readonly ToolDelta[]>(
      (all, rule) => rule.deltas?.(all) ?? all,
      toDeltas(call, 0, 1),
    )
    const args = body?.function?.arguments ?? header?.function?.arguments
    const { index: _, ...rest } = { ...header }
    return { ...rest, function: { name: call.name, arguments: args } }
  }

  #usage(): Json {
    const prompt_tokens = this.#context.promptTokens
    const completion_tokens = Math.max(1, this.#outputTokens)
    return {
      prompt_tokens,
      completion_tokens,
      total_tokens: prompt_tokens + completion_tokens,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: this.#reasoningTokens, audio_tokens: 0 },
    }
  }
}

/** Groups adjacent calls, so that they can be interleaved. Keeps the order of the script. */
function inRuns(steps: readonly ContentStep[]): ({ calls: CallStep[] } | { spoken: ContentStep })[] {
  const runs: ({ calls: CallStep[] } | { spoken: ContentStep })[] = []
  for (const step of steps) {
    const last = runs.at(-1)
    if (!('call' in step)) runs.push({ spoken: step })
    else if (last && 'calls' in last) last.calls.push(step)
    else runs.push({ calls: [step] })
  }
  return runs
}

const detail = (index: number) => ({ type: 'reasoning.text', format: 'anthropic-claude-v1', index })

function data(json: unknown): string {
  return `data: ${JSON.stringify(json)}\n\n`
}

function toCall({ call }: CallStep): Call {
  const json = typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments)
  return { id: call.id ?? `call_${randomBytes(12).toString('hex')}`, name: call.name, arguments: json }
}

function toDeltas(call: Call, index: number, pieces: number): ToolDelta[] {
  const { id, name, extra: extra_content } = call
  const header: ToolDelta = { index, id, type: 'function', extra_content, function: { name, arguments: '' } }
  const parts = cutIntoPieces(call.arguments, pieces)
  return [header, ...parts.map((part): ToolDelta => ({ index, function: { arguments: part } }))]
}

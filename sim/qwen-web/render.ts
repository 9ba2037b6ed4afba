// Renders steps as the service's event stream: text in phases, thinking as deltas or as a growing list of paragraphs, usage
// that grows with every event, and an end that is only a status.

import { cutText } from '../pieces.ts'
import type { Renderer } from '../player.ts'
import type { ContentStep } from '../script.ts'
import type { Json } from '../shape.ts'
import { estimateTokens } from '../tokens.ts'
import type { Failure } from './failures.ts'

interface RenderContext {
  readonly chatId: string
  readonly userId: string
  readonly responseId: string
  readonly inputTokens: number
  /** Without it, no event has a phase, and thinking is not shown. */
  readonly hasPhases: boolean
  readonly thinking: 'think' | 'summary' | 'none'
  /** A function, because a script can change it. */
  readonly isCumulative: () => boolean
  readonly failures: ReadonlySet<Failure>
  readonly onEnd: () => void
}

type Phase = 'think' | 'thinking_summary' | 'answer'

export class QwenWebRenderer implements Renderer {
  readonly #context: RenderContext
  #phase: Phase | undefined
  #outputTokens = 0
  #said = ''
  readonly #paragraphs: string[] = []

  constructor(context: RenderContext) {
    this.#context = context
  }

  open(): string[] {
    const { chatId, userId, responseId, failures } = this.#context
    const created = { chat_id: chatId, parent_id: userId, response_id: responseId }
    const events = [data({ 'response.created': created })]
    if (failures.has('web-search')) events.push(...this.#searchEvents())
    if (failures.has('finished-on-think')) {
      events.push(this.#event({ content: 'Hm.', phase: 'think', status: 'typing' }))
      events.push(this.#event({ content: '', phase: 'think', status: 'finished' }))
    }
    return events
  }

  content(steps: readonly ContentStep[]): string[] {
    return steps.flatMap((step) => {
      if ('think' in step) return this.#think(step.think, step.pieces ?? 2)
      return 'say' in step ? this.#say(cutText(step.say, step.pieces ?? 2)) : []
    })
  }

  repeat(text: string, times: number) {
    const before = this.#enter('answer')
    this.#outputTokens += estimateTokens(text.repeat(times))
    return { before, delta: this.#event({ content: text, phase: 'answer', status: 'typing' }), after: [] }
  }

  /** The service gives no finish reason. */
  end(): string[] {
    this.#context.onEnd()
    const events = this.#enter('answer')
    const delta = this.#delta({ content: '', phase: 'answer', status: 'finished' })
    return [...events, data({ choices: [{ delta }] })]
  }

  frame(json: unknown): string {
    return data(json)
  }

  /** Answers are always streamed; other requests are refused earlier. */
  whole(): unknown {
    return { success: false }
  }

  #say(pieces: readonly string[]): string[] {
    const isCumulative = this.#context.isCumulative()
    const events = this.#enter('answer')
    for (const piece of pieces) {
      this.#said += piece
      this.#outputTokens += estimateTokens(piece)
      const content = isCumulative ? this.#said : piece
      events.push(this.#event({ content, phase: 'answer', status: 'typing' }))
    }
    return events
  }

  #think(thought: string, pieces: number): string[] {
    const { thinking, hasPhases } = this.#context
    this.#outputTokens += estimateTokens(thought)
    if (thinking === 'none' || !hasPhases) return []
    if (thinking === 'think') {
      const deltas = cutText(thought, pieces)
      const events = this.#enter('think')
      return [
        ...events,
        ...deltas.map((content) => this.#event({ content, phase: 'think', status: 'typing' })),
      ]
    }
    const events = this.#enter('thinking_summary')
    for (const paragraph of thought.split('\n\n')) {
      this.#paragraphs.push(paragraph)
      events.push(this.#event({ ...this.#summary(), status: 'typing' }))
    }
    return events
  }

  #summary(): Json {
    const extra = { summary_thought: { content: [...this.#paragraphs] } }
    return { content: '', phase: 'thinking_summary', extra }
  }

  /** Thinking ends before anything else begins. */
  #enter(phase: Phase): string[] {
    const left = this.#phase
    this.#phase = phase
    if (left === phase || left === undefined || left === 'answer') return []
    const last = left === 'think' ? { content: '', phase: left } : this.#summary()
    return [this.#event({ ...last, status: 'finished' })]
  }

  #searchEvents(): string[] {
    const result = { url: 'https://example.com/', title: 'Example', snippet: 'Not asked for.' }
    const search = { content: '', name: 'web_search', phase: 'web_search' }
    const extra = { web_search_info: [result] }
    return [
      this.#event({ ...search, status: 'typing' }),
      this.#event({ ...search, role: 'function', content: JSON.stringify(result), status: 'typing', extra }),
      this.#event({ ...search, status: 'finished' }),
    ]
  }

  #event(delta: Json): string {
    const { inputTokens, responseId } = this.#context
    const output = this.#outputTokens
    const usage = {
      input_tokens: inputTokens,
      output_tokens: output,
      total_tokens: inputTokens + output,
      input_tokens_details: { text_tokens: inputTokens },
      output_tokens_details: { text_tokens: output },
      cached_tokens: 0,
    }
    return data({ choices: [{ delta: this.#delta(delta) }], usage, response_id: responseId })
  }

  #delta({ phase, ...delta }: Json): Json {
    return { role: 'assistant', ...delta, ...(this.#context.hasPhases && { phase }) }
  }
}

function data(json: unknown): string {
  return `data: ${JSON.stringify(json)}\n\n`
}

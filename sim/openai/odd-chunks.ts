// Quirks of chunks: members that servers leave out of them, change or add. Applied to chunks and to whole answers.

import { isRecord, type Json } from '../shape.ts'
import type { Quirk } from './quirks.ts'

/** The member that each of these leaves out. */
const LEFT_OUT: Partial<Record<Quirk, string>> = {
  'no-answer-id': 'id',
  'no-object': 'object',
  'no-created': 'created',
  'no-model': 'model',
}

export class OddChunks {
  readonly #quirks: ReadonlySet<Quirk>
  #count = 0

  constructor(quirks: ReadonlySet<Quirk>) {
    this.#quirks = quirks
  }

  /** What comes before the first chunk. */
  first(base: Json): Json[] {
    if (!this.#quirks.has('filter-results-first')) return []
    const prompt_filter_results = [{ prompt_index: 0, content_filter_results: {} }]
    return [{ ...base, id: '', object: '', created: 0, model: '', choices: [], prompt_filter_results }]
  }

  /** What comes after the finish reason. */
  last(): Json[] {
    return this.#quirks.has('text-after-end') ? [{ delta: { content: ' And more.' } }] : []
  }

  changed(answer: Json): Json {
    const count = this.#count++
    const out: Json = { ...answer }
    if (this.#quirks.has('changing-answer-id')) out.id = `${out.id}-${count}`
    if (this.#quirks.has('changing-created')) out.created = Number(out.created) + count
    for (const [quirk, member] of Object.entries(LEFT_OUT))
      if (this.#quirks.has(quirk as Quirk)) delete out[member]
    if (Array.isArray(out.choices)) out.choices = out.choices.map((choice) => this.#choice(choice))
    return out
  }

  #choice(choice: Json): Json {
    const { index, delta, message, ...rest } = choice
    const isEnd = rest.finish_reason !== null && rest.finish_reason !== undefined
    const beside = this.#quirks.has('message-beside-delta') && isRecord(delta)
    const said = beside ? { role: 'assistant', content: '', ...delta } : message
    return {
      ...(this.#quirks.has('no-choice-index') ? {} : { index }),
      ...(isRecord(delta) && !(isEnd && this.#quirks.has('no-delta')) ? { delta: this.#delta(delta) } : {}),
      ...(isRecord(said) ? { message: beside ? said : this.#delta(said) } : {}),
      ...rest,
    }
  }

  #delta({ role, ...rest }: Json): Json {
    if (this.#quirks.has('repeat-role')) return { role: 'assistant', ...rest }
    return role === undefined || this.#quirks.has('no-role') ? rest : { role, ...rest }
  }
}

// What clients of the same dialect could not rely on in a server's chunks. ChunkLane repairs it; here it is noted. Not noted: usage in
// the chunk with the finish reason, as most servers send it, and the same member as null in place of none.

import { type Fields, isObject } from '../../base/json.ts'
import type { Repairs } from '../../core/repairs.ts'

export const chunkObject = 'chat.completion.chunk'

export class ChunkFaults {
  readonly #repairs: Repairs
  #hasRole = false
  #isFirst = true
  /** A chunk of its own had usage: it should be the last. */
  #hasUsage = false
  /** The first ones: those of later chunks should be equal. */
  #id = ''
  #created: unknown

  constructor(repairs: Repairs) {
    this.#repairs = repairs
  }

  /** A chunk with output. `isLast`: it has the finish reason. */
  onChoice(chunk: Fields, choice: Fields, isLast: boolean): void {
    const { delta, message, usage } = choice
    if (choice.index !== 0) this.#repairs.add('no-choice-index')
    if (isObject(usage) || (isObject(chunk.usage) && !isLast) || this.#hasUsage)
      this.#repairs.add('usage-place')
    if (isObject(delta)) {
      if (isObject(message)) this.#repairs.add('message-beside-delta')
      this.#onDelta(delta)
    } else if (isObject(message)) this.#onDelta(message)
    else this.#repairs.add('no-delta')
    this.onHead(chunk)
  }

  #onDelta({ role, reasoning, reasoning_content: shown }: Fields): void {
    if (this.#isFirst && role !== 'assistant') this.#repairs.add('no-role')
    else if (this.#hasRole && isStated(role)) this.#repairs.add('repeated-role')
    this.#isFirst = false
    this.#hasRole ||= isStated(role)
    if (typeof reasoning === 'string' && reasoning !== '' && !shown) this.#repairs.add('reasoning-field')
  }

  /** The members that all chunks have. */
  onHead({ id, created, model, object }: Fields): void {
    if (typeof id !== 'string' || id === '') this.#repairs.add('no-answer-id')
    else if (this.#id === '') this.#id = id
    else if (id !== this.#id) this.#repairs.add('changing-answer-id')
    if (!Number.isInteger(created)) this.#repairs.add('no-created')
    else if (this.#created === undefined) this.#created = created
    else if (created !== this.#created) this.#repairs.add('changing-created')
    if (typeof model !== 'string' || model === '') this.#repairs.add('no-model')
    if (object !== chunkObject) this.#repairs.add('no-object')
  }

  /** A chunk that is not part of the output. */
  onOther({ choices, usage }: Fields): void {
    const hasChoice = Array.isArray(choices) && choices.length > 0
    if (!Array.isArray(choices)) this.#repairs.add('no-choices')
    if (!isObject(usage)) return
    if (hasChoice || this.#hasUsage) this.#repairs.add('usage-place')
    this.#hasUsage = true
  }

  /** Members that came before the output, and go out with its first chunk. */
  onEarly(early: Fields, chunk: Fields): void {
    if (Object.keys(early).some((name) => !Object.hasOwn(chunk, name))) this.#repairs.add('early-chunk')
  }
}

const isStated = (role: unknown) => role !== undefined && role !== null

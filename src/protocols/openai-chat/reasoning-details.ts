// `reasoning_details`: OpenRouter's field for reasoning blocks with the proof that a provider wants back. Streams send them in
// fragments; the next request must contain whole blocks.

import { type Fields, isObject } from '../../base/json.ts'

/** Fragments of one block share type and index. An entry without an index is a whole block. */
export function mergeDetails(fragments: readonly unknown[]): unknown[] {
  const blocks: unknown[] = []
  const open = new Map<string, Block>()
  for (const fragment of fragments) {
    if (!isObject(fragment) || !Number.isInteger(fragment.index)) {
      blocks.push(fragment)
      continue
    }
    const key = JSON.stringify([fragment.type, fragment.index])
    const known = open.get(key)
    const block = known ?? new Block()
    if (!known) {
      open.set(key, block)
      blocks.push(block)
    }
    block.add(fragment)
  }
  return blocks.map((block) => (block instanceof Block ? block.whole : block)).filter(isReplayable)
}

/** Fields that arrive in pieces. They are joined unchanged: the signature covers the exact text. */
const cut = ['text', 'summary', 'data']

class Block {
  readonly #fields = new Map<string, unknown>()
  readonly #pieces = new Map<string, string[]>()

  add(fragment: Fields): void {
    for (const [name, value] of Object.entries(fragment)) {
      if (typeof value === 'string' && cut.includes(name)) this.#addPiece(name, value)
      else if (this.#takes(name, value)) this.#fields.set(name, value)
    }
  }

  get whole(): Fields {
    const texts = [...this.#pieces].map(([name, pieces]) => [name, pieces.join('')] as const)
    return Object.fromEntries([...this.#fields, ...texts])
  }

  /** The first value of a field counts; for `signature`, the last. Null is no value. */
  #takes(name: string, value: unknown): boolean {
    const known = this.#fields.get(name) ?? null
    return value === null ? !this.#fields.has(name) : known === null || name === 'signature'
  }

  #addPiece(name: string, piece: string): void {
    const pieces = this.#pieces.get(name)
    if (pieces) pieces.push(piece)
    else this.#pieces.set(name, [piece])
  }
}

/** Claude refuses a conversation that contains thinking without its signature. */
const isReplayable = (block: unknown) =>
  !isObject(block) ||
  block.type !== 'reasoning.text' ||
  block.format !== 'anthropic-claude-v1' ||
  (typeof block.signature === 'string' && block.signature !== '')

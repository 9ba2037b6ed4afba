// `reasoning_details`, by which OpenRouter hands on what single providers want back: each block with its proof. A stream cuts
// them; what goes back must be whole.

import { type Fields, isObject } from '../../base/json.ts'

/** Fragments of one block share type and index. What has no index is a block already. */
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

/** What is cut, and goes together again without a change: the signature covers the exact text. */
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

  /** The first value of a field counts, of signatures the last; null is none. */
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

/** Claude refuses thinking without its signature, and the whole conversation with it. */
const isReplayable = (block: unknown) =>
  !isObject(block) ||
  block.type !== 'reasoning.text' ||
  block.format !== 'anthropic-claude-v1' ||
  (typeof block.signature === 'string' && block.signature !== '')

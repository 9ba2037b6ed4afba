// The parts of an answer while its events are read: text that comes in pieces is joined once.

import type { NewPart } from './entry.ts'

interface Draft extends Omit<NewPart, 'text'> {
  pieces: string[]
}

export class AnswerParts {
  readonly #drafts: (Draft | NewPart)[] = []
  readonly #calls = new Map<string, Draft>()
  /** What the last text belongs to: one of several choices, an item. */
  #owner: unknown
  /** The items of which pieces came. */
  readonly inPieces = new Set<unknown>()

  get isEmpty(): boolean {
    return this.#drafts.length === 0
  }

  get hasError(): boolean {
    return this.#drafts.some(({ kind }) => kind === 'error')
  }

  /** Continues the last part if it is of the same kind and owner. */
  text(kind: 'text' | 'reasoning', text: unknown, owner?: unknown): void {
    if (typeof text !== 'string' || text === '') return
    const last = this.#drafts.at(-1)
    if (last?.kind === kind && 'pieces' in last && this.#owner === owner) last.pieces.push(text)
    else {
      this.#drafts.push({ kind, pieces: [text] })
      this.#owner = owner
    }
  }

  call(key: string, id: unknown, name: unknown): void {
    if (this.#calls.has(key) || typeof name !== 'string' || name === '') return
    const draft: Draft = { kind: 'call', name, pieces: [], ...(typeof id === 'string' ? { callId: id } : {}) }
    this.#calls.set(key, draft)
    this.#drafts.push(draft)
  }

  extendCall(key: string, text: unknown): void {
    if (typeof text === 'string') this.#calls.get(key)?.pieces.push(text)
  }

  /** The arguments, where no piece of them came before. */
  wholeCall(key: string, text: unknown): void {
    const call = this.#calls.get(key)
    if (call && call.pieces.length === 0 && typeof text === 'string') call.pieces.push(text)
  }

  add(part: NewPart): void {
    this.#drafts.push(part)
  }

  /** Some dialects tell the same error twice, in other words. */
  error(name: unknown, message: unknown): void {
    if (this.hasError) return
    const text = typeof message === 'string' ? message : JSON.stringify(message ?? 'no message')
    this.add({ kind: 'error', name: typeof name === 'string' ? name : 'error', text })
  }

  finished(): NewPart[] {
    return this.#drafts.map((draft) => {
      if (!('pieces' in draft)) return draft
      const { pieces, ...part } = draft
      return { ...part, text: pieces.join('') }
    })
  }
}

// The arguments of one tool call while they arrive.

import type { Fields } from '../../base/json.ts'
import { elementsOf, memberText } from '../../base/json-text.ts'
import { TextBuffer } from '../../base/text-buffer.ts'
import { readToolInput } from '../requests/tool-input.ts'

/** The input of a finished call, with the repair it needed; or why there is none. */
type CallInput =
  | { input: string; changed: string | undefined; value: Fields | undefined }
  | 'cut'
  | 'malformed'

export class OpenCall {
  readonly name: string
  /** `content_block_stop` has arrived. */
  stopped = false
  /** The input of content_block_start, as text. It counts only if no delta follows. */
  readonly #initial: string
  readonly #text = new TextBuffer()
  /** The client has received some of the text. */
  #passed = false

  constructor(name: string, initial: string) {
    this.name = name
    this.#initial = initial
  }

  get length(): number {
    return this.#text.length
  }

  get text(): string {
    return this.#text.toString()
  }

  append(piece: string): void {
    this.#text.append(piece)
  }

  /** The text to hand on after `piece` was appended; undefined while all text is blank: then the arguments may still be {}. */
  passOn(piece: string): string | undefined {
    if (this.#passed) return piece
    if (this.length < 64 && this.text.trim() === '') return undefined
    this.#passed = true
    return this.text
  }

  /** With `cut`, the answer ended early: incomplete arguments are no error of the service. */
  finalInput(cut: boolean): CallInput {
    const streamed = this.text
    const text = streamed.trim() === '' && this.#initial !== '' ? this.#initial : streamed
    if (cut && (!this.stopped || text.trim() === '')) return 'cut'
    const read = readToolInput(text)
    if (read.ok && read.inputs.length === 1 && (!this.#passed || read.inputs[0] === text))
      return { input: read.inputs[0], changed: read.changed, value: read.value }
    return cut ? 'cut' : 'malformed'
  }
}

/** The input of each block of a whole answer, as text: numbers keep their spelling. */
export const inputTexts = (answer: string): (string | undefined)[] =>
  elementsOf(memberText(answer, 'content') ?? '[]').map((block) =>
    block.startsWith('{') ? memberText(block, 'input') : undefined,
  )

/** Of a call's block. What is no object counts too: the end of the call tells whether it can be read. */
export const isEmptyInput = (input: unknown): boolean =>
  input === undefined ||
  input === null ||
  input === '' ||
  (typeof input === 'object' && Object.keys(input).length === 0)

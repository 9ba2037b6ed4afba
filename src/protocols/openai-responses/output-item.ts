// One item of a Responses answer while it arrives. Servers differ in what they stream: the deltas, the `.done` events and the whole
// item may each be missing, so every text is passed on as far as it was not passed on before.

import { writeExact } from '../../base/exact-json.ts'
import { type Fields, isObject } from '../../base/json.ts'
import { TextBuffer } from '../../base/text-buffer.ts'

type ItemKind = 'message' | 'reasoning' | 'call' | 'custom-call' | 'other'

const kinds = new Map<unknown, ItemKind>([
  ['message', 'message'],
  ['reasoning', 'reasoning'],
  ['function_call', 'call'],
  ['custom_tool_call', 'custom-call'],
])

export const kindOf = ({ type }: Fields): ItemKind => kinds.get(type) ?? 'other'

export class OutputItem {
  readonly kind: ItemKind
  /** The item as last received. */
  item: Fields
  state: 'waiting' | 'open' | 'ended' = 'waiting'
  /** The complete item has arrived. */
  isDone = false
  /** Of a call: its arguments so far. */
  readonly input = new TextBuffer()
  /** Of a custom call: its text so far as the content of a JSON string, in the pieces that the client has received. */
  readonly escaped = new TextBuffer()
  /** Of a call: its arguments are complete, empty ones too. */
  hasWholeInput = false
  /** Of a call: the id that clients see, once it is open. */
  shownId: string | undefined
  /** Of a call: the client sees it under another id than the service's. */
  isReplaced = false
  /** The client has received some of the arguments. */
  isPassed = false
  /** Of reasoning: whether its summary or its raw text is shown. */
  shows: 'summary' | 'content' | undefined
  /** Text that arrived before the items in front of this one were complete. */
  readonly waiting: (() => void)[] = []
  /** Per part: how many characters were passed on, and the last of them. */
  readonly #passed = new Map<string, { length: number; tail: string }>()

  constructor(kind: ItemKind, item: Fields) {
    this.kind = kind
    this.item = item
  }

  get isCall(): boolean {
    return this.kind === 'call' || this.kind === 'custom-call'
  }

  get hasPassed(): boolean {
    return this.#passed.size > 0
  }

  /** The first text of this part. */
  isNewPart(part: string): boolean {
    return !this.#passed.has(part)
  }

  pass(part: string, delta: string): string {
    const passed = this.#passed.get(part)
    if (!passed) this.#passed.set(part, { length: delta.length, tail: delta })
    else if (delta !== '') {
      passed.length += delta.length
      passed.tail = delta
    }
    return delta
  }

  /** What the whole text of a part has beyond the deltas; undefined if they are another text. */
  rest(part: string, text: string): string | undefined {
    const { length, tail } = this.#passed.get(part) ?? { length: 0, tail: '' }
    return text.startsWith(tail, length - tail.length) ? text.slice(length) : undefined
  }
}

/** The arguments of a function call, or the text of a custom one; undefined if the item has none yet. */
export function inputOf({ arguments: given, input }: Fields): string | undefined {
  const value = given ?? input
  if (typeof value === 'string') return value
  return isObject(value) ? writeExact(value) : undefined
}

export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** The texts of a list of parts, with their places. */
export const partTexts = (parts: unknown): { at: number; text: string; isRefusal: boolean }[] =>
  (Array.isArray(parts) ? parts : []).flatMap((part, at) =>
    isObject(part)
      ? [{ at, text: textOf(part.text ?? part.refusal), isRefusal: part.type === 'refusal' }]
      : [],
  )

// The arguments of one tool call, from an upstream or a client's history: a JSON object, something that can be repaired without
// guessing, or malformed. Valid text stays unchanged, byte for byte.

import { isDeeper } from '../../base/depth.ts'
import { type Fields, isObject, parseJson } from '../../base/json.ts'

const maxDepth = 128

/** In characters. Arguments are buffered until the call is complete; this limits a call that never ends. */
export const longestInput = 8 * 1024 * 1024

type ToolInput =
  /**
   * One object, or several if a server concatenated the arguments of parallel calls. `changed` describes the repair. `value`: the
   * parsed object, if there is one and it was not repaired.
   */
  { ok: true; inputs: [string, ...string[]]; changed?: string; value?: Fields } | { ok: false }

export const cutCallNote = 'a tool call that was cut off in the middle was left out'

export const emptyStartRemoved = 'an empty object before the arguments was removed'

export function readToolInput(text: string): ToolInput {
  if (text.trim() === '') return { ok: true, inputs: ['{}'] }
  const value = parse(text)
  if (isObject(value)) return { ok: true, inputs: [text], value }
  if (value === null) return { ok: true, inputs: ['{}'], changed: 'null arguments became {}' }
  if (typeof value === 'string') {
    if (value.trim() !== '' && isObject(parse(value))) {
      return { ok: true, inputs: [value], changed: 'doubly encoded arguments were decoded' }
    }
    return value.trim() === ''
      ? { ok: true, inputs: ['{}'], changed: 'empty arguments became {}' }
      : { ok: false }
  }
  if (value !== undefined) return { ok: false }
  return separate(text)
}

/** `{}{"city":"X"}` and `{"a":1}{"b":2}`: concatenated objects. A leading `{}` and exact repeats are noise. */
function separate(text: string): ToolInput {
  const objects = splitObjects(text)
  if (objects === undefined || objects.length < 2 || !objects.every((object) => isObject(parse(object))))
    return { ok: false }
  const meant = objects.filter((object, at) => parsedSize(object) > 0 && object !== objects[at - 1])
  const [first = '{}', ...others] = meant
  const isEmptyFirst = others.length === 0 && parsedSize(objects[0] as string) === 0
  const changed =
    others.length > 0
      ? `arguments of ${meant.length} calls run together were separated`
      : isEmptyFirst
        ? emptyStartRemoved
        : 'repeated arguments were removed'
  return { ok: true, inputs: [first, ...others], changed }
}

/** The concatenated objects in `text`; undefined if it contains anything else. */
function splitObjects(text: string): string[] | undefined {
  const objects: string[] = []
  const scanner = new ObjectScanner()
  let start = 0
  for (let at = 0; at < text.length; at++) {
    scanner.push(text[at] as string)
    if (scanner.stray) return undefined
    if (!scanner.complete || text[at] !== '}') continue
    objects.push(text.slice(start, at + 1))
    start = at + 1
  }
  return scanner.complete ? objects : undefined
}

/** Tracks the nesting of JSON objects that arrive in pieces. Visits each character once. */
export class ObjectScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #closed = false
  /** There was something other than white space outside an object. */
  stray = false

  push(text: string): void {
    for (let at = 0; at < text.length; at++) this.#on(text.charCodeAt(at))
  }

  /** At least one object has ended, and none is open. */
  get complete(): boolean {
    return this.#closed && this.#depth === 0 && !this.stray
  }

  #on(code: number): void {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false
      else if (code === 0x5c) this.#escaped = true
      else if (code === 0x22) this.#inString = false
    } else if (code === 0x7b) this.#depth++
    else if (this.#depth === 0) this.stray ||= code > 0x20
    else if (code === 0x22) this.#inString = true
    else if (code === 0x7d && --this.#depth === 0) this.#closed = true
  }
}

/** Undefined for invalid JSON, and for JSON too deeply nested to be written again. */
function parse(text: string): unknown {
  const value = parseJson(text)
  return isDeeper(value, maxDepth) ? undefined : value
}

const parsedSize = (object: string) => Object.keys(parse(object) as object).length

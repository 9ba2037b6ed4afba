// The arguments of one tool call as they came from an upstream or from a client's history: what is a JSON object, what
// can be put right without guessing, and what is malformed. Text that is good stays as it is, byte for byte.

import { isDeeper } from '../../base/depth.ts'
import { isObject, parseJson } from '../../base/json.ts'

const maxDepth = 128

/** In characters. A call counts when it is complete, and until then it is held: one without an end is not held for ever. */
export const longestInput = 8 * 1024 * 1024

type ToolInput =
  /** One object, or several when a server ran the arguments of parallel calls together. `changed` says what was done. */
  { ok: true; inputs: [string, ...string[]]; changed?: string } | { ok: false }

export const cutCallNote = 'a tool call that was cut off in the middle was left out'

export function readToolInput(text: string): ToolInput {
  if (text.trim() === '') return { ok: true, inputs: ['{}'] }
  const value = parse(text)
  if (isObject(value)) return { ok: true, inputs: [text] }
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

/** `{}{"city":"X"}` and `{"a":1}{"b":2}`: objects run together. A leading `{}` and exact repeats are noise. */
function separate(text: string): ToolInput {
  const objects = splitObjects(text)
  if (objects === undefined || objects.length < 2 || !objects.every((object) => isObject(parse(object))))
    return { ok: false }
  const meant = objects.filter((object, at) => parsedSize(object) > 0 && object !== objects[at - 1])
  const [first = '{}', ...others] = meant
  const changed =
    others.length > 0
      ? `arguments of ${meant.length} calls run together were separated`
      : 'repeated arguments were removed'
  return { ok: true, inputs: [first, ...others], changed }
}

/** The objects that follow each other in `text`, or undefined when it holds anything else. */
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

/** Follows the nesting of JSON objects that come in pieces, looking at each character once. */
export class ObjectScanner {
  #depth = 0
  #inString = false
  #escaped = false
  #closed = false
  /** Something other than white space stood outside an object. */
  stray = false

  push(text: string): void {
    for (let at = 0; at < text.length; at++) this.#on(text.charCodeAt(at))
  }

  /** At least one object, and none is open. */
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

/** Undefined for what is not JSON, or nested so deep that it could not be written out again. */
function parse(text: string): unknown {
  const value = parseJson(text)
  return isDeeper(value, maxDepth) ? undefined : value
}

const parsedSize = (object: string) => Object.keys(parse(object) as object).length

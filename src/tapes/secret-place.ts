// Where a secret stands on a tape, in words: the frame, and the path of the value in it. Never the secret: it may be part of a name.

import { looksSecret } from '../base/secrets/find.ts'
import { visibleLine } from '../base/visible-text.ts'
import { frameTitle } from './format.ts'
import { JsonPath } from './json-path.ts'
import type { ReadTape } from './read.ts'
import type { Place, Slot } from './text-slots.ts'

const longestPath = 120

/** Reads the places of a slot in one pass, if they come in order. */
export class SecretPlaces {
  readonly #titles: ReadonlyMap<number, string>
  #read: { slot: Slot; start: number; path: JsonPath } | undefined

  constructor({ frames, lines }: Pick<ReadTape, 'frames' | 'lines'>) {
    this.#titles = new Map(frames.map((frame, at) => [lines[at] ?? 0, frameTitle(frame)]))
  }

  /** Such as `client request, messages[3].content`. */
  words({ slot, index }: Place): string {
    const title = this.#titles.get(slot.line) ?? 'first line'
    const path = slot.isContent ? this.#pathInside(slot, index) : slot.path
    return path === '' ? title : `${title}, ${shortened(path)}`
  }

  /** Of a body, or of the event of a stream. */
  #pathInside(slot: Slot, index: number): string {
    const text = slot.read()
    const line = text.lastIndexOf('\n', index) + 1
    const start = text.startsWith('data:', line) ? line + 'data:'.length : 0
    if (this.#read?.slot !== slot || this.#read.start !== start) {
      const end = start === 0 ? -1 : text.indexOf('\n', start)
      this.#read = { slot, start, path: new JsonPath(text.slice(start, end === -1 ? undefined : end)) }
    }
    return this.#read.path.at(index - start)
  }
}

/** Names are those of the client. */
function shortened(path: string): string {
  if (looksSecret.find(path).length > 0) return 'in a value whose path holds a secret too'
  return visibleLine(path.length > longestPath ? `…${path.slice(-longestPath)}` : path)
}

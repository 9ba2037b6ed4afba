// What a turn recalled of earlier turns, as frames of its tape.

import { isObject } from '../base/json.ts'
import type { Recall } from '../core/recall.ts'
import type { Frame } from './frame.ts'
import { gatewayFrames } from './summary.ts'
import type { TurnTape } from './tape-source.ts'

/** Records what is found. */
export function recallOnto(tape: TurnTape): Recall {
  const looks = new Looks()
  return (memory, find) => {
    const look = looks.next(memory)
    const found = find()
    if (found !== undefined) tape.add({ side: 'gateway', do: 'recall', memory, look, value: plain(found) })
    return found
  }
}

/** Finds what was recorded, where the memory of a replay has nothing. */
export function recallFrom(frames: readonly Frame[]): Recall {
  const looks = new Looks()
  const known = gatewayFrames(frames, 'recall')
  return <Value>(memory: string, find: () => Value | undefined) => {
    const look = looks.next(memory)
    const frame = known.find((one) => one.memory === memory && one.look === look)
    return find() ?? (frame && (lively(frame.value) as Value))
  }
}

class Looks {
  /** Most turns look nowhere. */
  #counts: Map<string, number> | undefined

  /** Counted from 1 in each memory. */
  next(memory: string): number {
    this.#counts ??= new Map()
    const count = (this.#counts.get(memory) ?? 0) + 1
    this.#counts.set(memory, count)
    return count
  }
}

const mapName = '$map'

/** Maps as JSON. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, inner: unknown) =>
      inner instanceof Map ? { [mapName]: [...inner] } : inner,
    ),
  )

const lively = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_name, inner: unknown) =>
    isObject(inner) && Array.isArray(inner[mapName]) ? new Map(inner[mapName]) : inner,
  )

// Tool names and call ids in the alphabet that the Messages API takes. What conforms stays as it is, byte for byte;
// the rest is mapped the same way every time, never two to one, and names are mapped back in the answer.

import { createHash } from 'node:crypto'

const longestName = 128
const goodName = /^[a-zA-Z0-9_-]{1,128}$/
const goodId = /^[a-zA-Z0-9_-]{1,64}$/

export const isGoodName = (name: string): boolean => goodName.test(name)

export interface ToolNames {
  toUpstream(name: string): string
  toClient(name: string): string
  /** Names that had to be changed. */
  readonly changed: readonly string[]
}

/** `names`: every tool name of the request, those of its history included, in a stable order. */
export function mapToolNames(names: Iterable<string>, longest = longestName): ToolNames {
  const all = [...names]
  const fits = (name: string) => goodName.test(name) && name.length <= longest
  return all.every(fits) ? asTheyAre : renamed(new Set(all), fits, longest)
}

const same = (name: string) => name
const asTheyAre: ToolNames = { toUpstream: same, toClient: same, changed: [] }

function renamed(all: ReadonlySet<string>, fits: (name: string) => boolean, longest: number): ToolNames {
  const forward = new Map<string, string>()
  const back = new Map<string, string>()
  for (const name of all) {
    if (fits(name)) continue
    const mapped = freeName(fittingName(name, longest), (taken) => all.has(taken) || back.has(taken))
    forward.set(name, mapped)
    back.set(mapped, name)
  }
  return {
    toUpstream: (name) => forward.get(name) ?? name,
    toClient: (name) => back.get(name) ?? name,
    changed: [...forward.keys()],
  }
}

/** By the name alone: a tool that comes later must not change what another is called. */
function fittingName(name: string, longest: number): string {
  const cleaned = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest - 10) || 'tool'
  return `${cleaned}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** Two names for one fitting name are no accident; both are kept apart all the same. */
function freeName(name: string, isTaken: (name: string) => boolean): string {
  let free = name
  for (let copy = 2; isTaken(free); copy++) free = `${name.slice(0, -8)}${copy.toString(36).padStart(8, '0')}`
  return free
}

export function conformingId(id: string): string {
  if (goodId.test(id)) return id
  const cleaned = id.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 40)
  return `${cleaned}_${createHash('sha256').update(id).digest('hex').slice(0, 12)}`
}

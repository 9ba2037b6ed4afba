// Tool names and call ids in the alphabet of the Messages API. Conforming ones stay unchanged. Others are mapped deterministically
// and without collisions, and names are mapped back in the answer.

import { createHash } from 'node:crypto'

const longestName = 128
const goodName = /^[a-zA-Z0-9_-]{1,128}$/
const goodId = /^[a-zA-Z0-9_-]{1,64}$/

export const isGoodName = (name: string): boolean => goodName.test(name)

export interface ToolNames {
  toUpstream(name: string): string
  toClient(name: string): string
  /** Names that did not conform. */
  readonly changed: readonly string[]
}

/** `names`: all tool names of the request, including its history, in a stable order. `isGood`: what the service takes, if that is not what the Messages API takes. */
export function mapToolNames(
  names: Iterable<string>,
  longest = longestName,
  isGood: (name: string) => boolean = isGoodName,
): ToolNames {
  const all = [...names]
  const fits = (name: string) => isGood(name) && name.length <= longest
  return all.every(fits) ? unchanged : renamed(new Set(all), fits, longest)
}

const same = (name: string) => name
const unchanged: ToolNames = { toUpstream: same, toClient: same, changed: [] }

function renamed(all: ReadonlySet<string>, fits: (name: string) => boolean, longest: number): ToolNames {
  const forward = new Map<string, string>()
  const back = new Map<string, string>()
  for (const name of all) {
    if (fits(name)) continue
    const fitting = fittingName(name, longest)
    // Some services want a letter at the start.
    const begun = fits(fitting) ? fitting : `t${fitting.slice(1)}`
    const mapped = freeName(begun, (taken) => all.has(taken) || back.has(taken))
    forward.set(name, mapped)
    back.set(mapped, name)
  }
  return {
    toUpstream: (name) => forward.get(name) ?? name,
    toClient: (name) => back.get(name) ?? name,
    changed: [...forward.keys()],
  }
}

/** Depends on the name alone: a tool that is added later must not change the mapping of another. */
function fittingName(name: string, longest: number): string {
  const cleaned = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, longest - 10) || 'tool'
  return `${cleaned}_${createHash('sha256').update(name).digest('hex').slice(0, 8)}`
}

/** Resolves collisions. They do not happen by accident, only by a crafted name. */
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

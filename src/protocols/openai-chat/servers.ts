// The traits of an OpenAI-compatible service: what it refuses or insists on, found by host and model in the rows of servers/.

import { effortsOf } from './servers/efforts.ts'
import { rows } from './servers/rows.ts'
import { commonGround, type ServerTraits } from './servers/traits.ts'

export type { ReasoningPlace, ServerTraits } from './servers/traits.ts'

/** Cache: every request looks its traits up, and most name one of few models. */
const known = new Map<string, Readonly<ServerTraits>>()
const maxKnown = 500
const longestKey = 300

/** `host` is as in a URL: with the port unless that is the scheme's default. */
export function serverTraits(host: string, model: string): Readonly<ServerTraits> {
  const key = `${host} ${model}`
  const found = known.get(key)
  if (found) return found
  const traits = findTraits(host, model)
  if (known.size >= maxKnown) known.clear()
  if (key.length <= longestKey) known.set(key, traits)
  return traits
}

function findTraits(host: string, model: string): ServerTraits {
  const [name = host] = host.split(':', 1)
  const fitting = rows.filter(
    (row) =>
      (row.host === undefined || row.host.test(name) || row.host.test(host)) &&
      (row.model?.test(model) ?? true),
  )
  const traits: ServerTraits = Object.assign({}, commonGround, ...fitting.map((row) => row.traits))
  traits.efforts ??= effortsOf(name, model)
  traits.refuses = fitting.flatMap((row) => row.traits.refuses ?? [])
  return traits
}

// What an OpenAI-compatible service refuses or insists on, as data: servers/ has the rows.

import { effortsOf } from './servers/efforts.ts'
import { rows } from './servers/rows.ts'
import { commonGround, type ServerTraits } from './servers/traits.ts'

export type { ReasoningPlace, ServerTraits } from './servers/traits.ts'

/** Every request asks; few models are asked for. */
const known = new Map<string, Readonly<ServerTraits>>()
const mostKnown = 500
const longestKnown = 300

/** `host` as in an address: with the port where it is not the scheme's own. */
export function serverTraits(host: string, model: string): Readonly<ServerTraits> {
  const key = `${host} ${model}`
  const found = known.get(key)
  if (found) return found
  const traits = findTraits(host, model)
  if (known.size >= mostKnown) known.clear()
  if (key.length <= longestKnown) known.set(key, traits)
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

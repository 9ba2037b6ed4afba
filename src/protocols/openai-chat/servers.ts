// What an OpenAI-compatible service refuses or insists on, as data: servers/ has the rows.

import { effortsOf } from './servers/efforts.ts'
import { rows } from './servers/rows.ts'
import { commonGround, type ServerTraits } from './servers/traits.ts'

export type { ReasoningPlace, ServerTraits } from './servers/traits.ts'

/** `host` as in an address: with the port where it is not the scheme's own. */
export function serverTraits(host: string, model: string): ServerTraits {
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

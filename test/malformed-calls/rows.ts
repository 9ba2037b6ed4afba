// Every kind of call, by every dialect of a model, at every door, in every form and with every setting of the check.

import { type Mode, modes } from './bench.ts'
import { allDoorNames, type DoorName, doorNames } from './doors.ts'
import type { Kind } from './kind.ts'
import { kinds } from './kinds.ts'
import { allDialects, type Dialect, dialects } from './renderings.ts'

export interface Row {
  kind: Kind
  dialect: Dialect
  door: DoorName
  mode: Mode
  parallel: boolean
  stream: boolean
}

const forms = [
  { parallel: false, stream: true },
  { parallel: true, stream: true },
  { parallel: false, stream: false },
  { parallel: true, stream: false },
] as const

export const allRows: readonly Row[] = kinds.flatMap((kind) =>
  allDialects.flatMap((dialect) =>
    allDoorNames.flatMap((door) =>
      modes.flatMap((mode) => forms.map((form) => ({ kind, dialect, door, mode, ...form }))),
    ),
  ),
)

/**
 * By day eight rows of each kind, in which it meets every dialect, door, setting and form twice; the kinds differ in which of them
 * meet. The places are a Latin square of order four, whose sums and products are those of its field. Two more are of Gemini.
 */
export function rowsOfTheDay(): Row[] {
  const twice = [0, 2, 3, 1]
  return kinds.flatMap((kind, at) => {
    const [shift, turn, flip] = [at % 4, (at >> 2) % 4, (at >> 4) % 4]
    const row = (a: number, b: number): Row => ({
      kind,
      dialect: dialects[a] as Dialect,
      door: doorNames[b] as DoorName,
      mode: modes[a ^ (twice[b] as number) ^ turn] as Mode,
      ...(forms[a ^ (twice[b] as number) ^ b ^ flip] as (typeof forms)[number]),
    })
    const ofGemini = [0, 1].map((more) => ({ ...row(more, turn ^ more), dialect: 'gemini' as const }))
    const ofDialect = (a: number) => [row(a, a ^ shift), row(a, a ^ shift ^ (1 + (turn % 3)))]
    return [...[0, 1, 2, 3].flatMap(ofDialect), ...ofGemini]
  })
}

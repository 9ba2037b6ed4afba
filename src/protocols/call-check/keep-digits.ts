// Numbers in fitted arguments keep their digits: `9007199254740993` is another number once it is parsed and written.

import { spell, spellingIn } from '../../base/exact-json.ts'
import { innermost } from './readings.ts'
import { readLongNumber } from './text-literals.ts'

type Holder = Readonly<Record<string, unknown>> | readonly unknown[]

/** `copy` is `before` with members that were fitted. `nameBefore`: of a member that has another name now. */
export function keepDigits<Copy extends Holder>(
  copy: Copy,
  before: Holder,
  nameBefore: (name: string) => string = (name) => name,
): Copy {
  for (const [name, value] of Object.entries(copy)) {
    const isAlone = Array.isArray(value) && value.length === 1 && typeof value[0] === 'number'
    if (typeof value !== 'number' && !isAlone) continue
    const earlier = nameBefore(name)
    const digits = digitsOf(before, earlier, (before as Record<string, unknown>)[earlier])
    if (digits === undefined) continue
    if (isAlone) spell(value, '0', digits)
    else spell(copy, name, digits)
  }
  return copy
}

/** Of a number, or of a text that stands for one. */
function digitsOf(holder: Holder, name: string, value: unknown): string | undefined {
  if (typeof value !== 'string') return spellingIn(holder, name, value)
  const text = innermost(value.trim())
  return readLongNumber(text) === undefined ? undefined : text
}

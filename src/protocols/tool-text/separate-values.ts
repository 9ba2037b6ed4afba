// Separates values whose closing tag is missing or was taken for content: such a value contains the next one.

import type { ValueDialect } from './families.ts'
import type { RawValue } from './values-body.ts'

/**
 * A value with the opening tag of another value, but without its closing tag, is two values, unless the other value has been
 * given elsewhere: then the tag is content.
 */
export function separateValues(
  values: readonly RawValue[],
  dialect: ValueDialect,
  knows: (key: string) => boolean,
): RawValue[] {
  const { valueOpen, valueClose, headEnd, readHead } = dialect
  const given = new Set(values.map(({ key }) => key))
  return values.flatMap((value) => {
    const found: RawValue[] = []
    let { text } = value
    for (;;) {
      const at = text.lastIndexOf(`\n${valueOpen}`)
      const headStop = at < 0 ? -1 : text.indexOf(headEnd, at)
      if (headStop < 0 || text.includes(valueClose, at)) break
      const swallowed = readHead(text.slice(at + 1 + valueOpen.length, headStop))
      if (!swallowed || !knows(swallowed.key) || given.has(swallowed.key)) break
      given.add(swallowed.key)
      found.push({ ...swallowed, text: text.slice(headStop + headEnd.length) })
      const closed = text.slice(0, at).trimEnd()
      text = closed.endsWith(valueClose) ? closed.slice(0, -valueClose.length) : text.slice(0, at + 1)
    }
    return [{ ...value, text }, ...found.reverse()]
  })
}

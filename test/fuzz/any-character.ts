// Any character of Unicode, as a unit of `fc.string`. The unit `binary` of fast-check makes a table of all of them in each process.

import fc from 'fast-check'

const [firstSurrogate, surrogates, last] = [0xd800, 0x800, 0x10ffff]

export const anyCharacter: fc.Arbitrary<string> = fc
  .nat({ max: last - surrogates })
  .map((number) => String.fromCodePoint(number < firstSurrogate ? number : number + surrogates))

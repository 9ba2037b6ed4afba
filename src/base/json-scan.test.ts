import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonScan, jsonExcess } from './json-scan.ts'

const boundless = { values: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY }

/** Values and member names of a parsed value; an empty container counts as two. */
function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1
  const values = Object.values(value)
  const names = Array.isArray(value) ? 0 : values.length
  return values.reduce((sum: number, one) => sum + count(one), 1) + names + (values.length === 0 ? 1 : 0)
}

function depth(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  return 1 + Math.max(0, ...Object.values(value).map(depth))
}

function scanned(pieces: readonly Uint8Array[]) {
  const scan = new JsonScan(boundless)
  for (const piece of pieces) scan.push(piece)
  return scan.values
}

/** Cut at these positions. */
function cut(bytes: Buffer, places: readonly number[]): Buffer[] {
  const at = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return at.slice(1).map((end, index) => bytes.subarray(at[index], end))
}

const trickyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: fc.constantFrom('"', '\\', '{', '[', ',', ':', 'a', '中') }),
  fc.string({ unit: fc.constantFrom('\\', '"', 'x'), minLength: 30, maxLength: 120 }),
)
const tree = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 5 },
    trickyText,
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null),
    fc.array(tie('value')),
    fc.dictionary(trickyText, tie('value'), { noNullPrototype: true }),
  ),
})).value

describe('JsonScan', () => {
  it('counts values and names, one more for an empty container, wherever the bytes are cut', () => {
    fc.assert(
      fc.property(tree, fc.array(fc.nat()), fc.constantFrom(0, 2), (value, places, indent) => {
        const text = JSON.stringify(value, undefined, indent)
        const bytes = Buffer.from(text)
        const whole = scanned([bytes])
        const again = JSON.parse(text)
        expect(whole).toBe(count(again))
        expect(scanned(cut(bytes, places))).toBe(whole)
      }),
    )
  })

  it('reports exactly which bound is exceeded', () => {
    fc.assert(
      fc.property(tree, (value) => {
        const text = JSON.stringify(value)
        const deep = depth(JSON.parse(text))
        expect(jsonExcess(text, { ...boundless, depth: deep })).toBeUndefined()
        if (deep > 0) expect(jsonExcess(text, { ...boundless, depth: deep - 1 })).toBe('depth')
        const values = scanned([Buffer.from(text)])
        expect(jsonExcess(text, { ...boundless, values })).toBeUndefined()
        expect(jsonExcess(text, { ...boundless, values: values - 1 })).toBe('values')
      }),
    )
  })

  it.each([
    ['{}', 2],
    ['[]', 2],
    ['[1,2]', 3],
    ['{"a":1}', 3],
    ['{"a":1,"b":[{}]}', 7],
    ['"a,b:{[\\""', 1],
  ])('%s counts as %i', (text, values) => {
    expect(scanned([Buffer.from(text)])).toBe(values)
  })

  it('accepts any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array(), fc.array(fc.nat()), (bytes, places) => {
        expect(scanned(cut(Buffer.from(bytes), places))).toBe(scanned([bytes]))
      }),
    )
  })
})

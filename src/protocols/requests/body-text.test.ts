import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { outlineOf } from '../../base/json-outline.ts'
import { bodyBytes, bodyText } from './body-text.ts'

const runs = fuzz

type Body = Record<string, unknown>

/** The upstream text for the client's `text` after `change`. */
function sent(text: string, change: (body: Body) => Body): string {
  const body = JSON.parse(text) as Body
  return bodyText(change(body), { body, text })
}

const named = (body: Body): Body => ({ ...body, model: 'm' })

describe('the body of a request', () => {
  const text =
    '{\n "tools": [{"maximum":12345678901234567890, "minimum":1.0, "big":1e400}],\t"model" : "a/m",\n "x":"\\u00e9\\/\\ud83d\\ude00 é", "n":1.50 }\n'

  it('keeps everything unchanged, byte for byte, apart from changed values', () => {
    expect(sent(text, named)).toBe(text.replace('"a/m"', '"m"'))
  })

  it('omits removed fields with their comma', () => {
    const without = (name: string) =>
      sent(text, (body) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name)))
    expect(without('model')).toBe(text.replace('\t"model" : "a/m",', ''))
    expect(without('n')).toBe(text.replace(', "n":1.50', ''))
    expect(sent('{"a":1, "b":[2]}', ({ b }) => ({ b }))).toBe('{"b":[2]}')
  })

  it('is written as bytes if it is large, with the same content', () => {
    for (const filling of ['plain', 'é', '日本😀', '\\ud83d'])
      for (const origin of [(text: string) => ({ text }), (text: string) => ({ text, ...outlineOf(text) })]) {
        const large = `{"model": "a/m", "input": ["${filling.repeat(20_000)}"], "n":1.0 }`
        const body = JSON.parse(large) as Body
        const sentBytes = bodyBytes({ ...body, model: 'm', more: 1 }, { body, ...origin(large) })
        const expected = large.replace('a/m', 'm').replace('1.0', '1.0,"more":1')
        expect(sentBytes.toString()).toBe(expected.replaceAll('\\ud83d', '\ufffd'))
        expect(typeof sentBytes).toBe(filling.startsWith('\\') ? 'string' : 'object')
      }
  })

  it('is the same text in parts as in one, if it is large', () => {
    const value = fc.jsonValue({ maxDepth: 3 })
    const long = fc.array(fc.oneof(value, fc.constant(undefined), fc.constant('x'.repeat(9_000))))
    const bodies = fc.dictionary(fc.string(), fc.oneof(value, long, fc.constant(undefined)))
    const text = JSON.stringify({ other: ' '.repeat(20_000) })
    fc.assert(
      fc.property(bodies, (body) => {
        expect(bodyText(body, { body: {}, text })).toBe(JSON.stringify(body))
        const shared = { ...body, shared: ['a'], model: 'm' }
        const original = { shared: shared.shared, model: 'a/m', filling: text }
        const sentText = bodyText(shared, { body: original, text: JSON.stringify(original) })
        expect(JSON.parse(sentText)).toEqual(JSON.parse(JSON.stringify(shared)))
      }),
      runs,
    )
  })

  it('appends added fields', () => {
    expect(sent('{"a":[1.0] }', (body) => ({ ...body, b: { c: true } }))).toBe('{"a":[1.0],"b":{"c":true} }')
  })

  it('is rewritten if it has a duplicate name: services may disagree about which one counts', () => {
    const twice = '{"a":[1.0],"\\u006dodel":"x","model":"y"}'
    expect(sent(twice, named)).toBe('{"a":[1],"model":"m"}')
  })

  it('is rewritten if it shares nothing with the original', () => {
    expect(bodyText({ a: 1.0 }, { body: { a: 1 }, text: '{"a":1.0}' })).toBe('{"a":1}')
    expect(bodyText({ a: [1] })).toBe('{"a":[1]}')
  })

  it('has no lone surrogates, not even in names; pairs and escaped backslashes stay', () => {
    const halves =
      '{"a\\ud83d":["\\uD83D","\\ude00","\\ud83dx","\\\\ud83d","\\ud83d\\ude00","\\ud83d\\ud83d\\ude00"]}'
    const mended =
      '{"a\ufffd":["\ufffd","\ufffd","\ufffdx","\\\\ud83d","\\ud83d\\ude00","\ufffd\\ud83d\\ude00"]}'
    expect(sent(halves, (body) => body)).toBe(mended)
    expect(bodyText({ a: ['x\ud83d', '😀'] })).toBe('{"a":["x\ufffd","😀"]}')
  })

  it('means the same as a rewritten body, for any change', () => {
    const names = fc.constantFrom<string>('a', 'b', 'model', '__proto__', 'constructor', '"', '\\')
    const bodies = fc.dictionary(names, fc.jsonValue({ maxDepth: 2 }))
    const cases = fc.record({
      came: bodies,
      changes: bodies,
      removed: fc.array(names),
      indent: fc.constantFrom('', '\t'),
    })
    fc.assert(
      fc.property(cases, ({ came, changes, removed, indent }) => {
        const text = JSON.stringify(came, undefined, indent)
        const body: Body = JSON.parse(text)
        const entries = [...Object.entries(body), ...Object.entries(changes)]
        const changed: Body = Object.fromEntries(entries.filter(([name]) => !removed.includes(name)))
        expect(JSON.parse(bodyText(changed, { body, text }))).toEqual(JSON.parse(JSON.stringify(changed)))
      }),
      runs,
    )
  })
})

describe('a lone surrogate', () => {
  const token = fc.constantFrom(
    '\\\\',
    '\\n',
    '\\"',
    '\\ud83d',
    '\\uD83D',
    '\\ude00',
    '\\uDE00',
    '\\u00e9',
    'x',
    'ud83d',
    '🙂',
  )

  it.each([0, 300_000])(
    'becomes U+FFFD, everything else stays, in a text with %i more characters',
    (more) => {
      fc.assert(
        fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
          const text = `{"model":"m","list":["${tokens.join('')}${'y'.repeat(more)}"]}`
          const [came] = (JSON.parse(text) as { list: [string] }).list
          const whole = Buffer.from(came).toString()
          const out = sent(text, (body) => ({ ...body }))
          expect((JSON.parse(out) as { list: [string] }).list[0]).toBe(whole)
          if (came === whole) expect(out).toBe(text)
        }),
        { numRuns: more === 0 ? 500 : 50 },
      )
    },
  )
})

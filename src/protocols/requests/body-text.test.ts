import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { bodyText } from './body-text.ts'

const runs = fuzz

type Body = Record<string, unknown>

/** What goes out for a request that came as `text`, when `change` is what happens to it. */
function sent(text: string, change: (body: Body) => Body): string {
  const body = JSON.parse(text) as Body
  return bodyText(change(body), { body, text })
}

const named = (body: Body): Body => ({ ...body, model: 'm' })

describe('the body of a request', () => {
  const text =
    '{\n "tools": [{"maximum":12345678901234567890, "minimum":1.0, "big":1e400}],\t"model" : "a/m",\n "x":"\\u00e9\\/\\ud83d\\ude00 é", "n":1.50 }\n'

  it('keeps everything but what was changed, to the byte', () => {
    expect(sent(text, named)).toBe(text.replace('"a/m"', '"m"'))
  })

  it('loses what was removed, with its comma', () => {
    const without = (name: string) =>
      sent(text, (body) => Object.fromEntries(Object.entries(body).filter(([key]) => key !== name)))
    expect(without('model')).toBe(text.replace('\t"model" : "a/m",', ''))
    expect(without('n')).toBe(text.replace(', "n":1.50', ''))
    expect(sent('{"a":1, "b":[2]}', ({ b }) => ({ b }))).toBe('{"b":[2]}')
  })

  it('has what was added at its end', () => {
    expect(sent('{"a":[1.0] }', (body) => ({ ...body, b: { c: true } }))).toBe('{"a":[1.0],"b":{"c":true} }')
  })

  it('is written anew where a name stands twice in it: services may not agree which counts', () => {
    const twice = '{"a":[1.0],"\\u006dodel":"x","model":"y"}'
    expect(sent(twice, named)).toBe('{"a":[1],"model":"m"}')
  })

  it('is written anew where nothing of it came so', () => {
    expect(bodyText({ a: 1.0 }, { body: { a: 1 }, text: '{"a":1.0}' })).toBe('{"a":1}')
    expect(bodyText({ a: [1] })).toBe('{"a":[1]}')
  })

  it('has no half characters, in names neither; whole ones and the letters of an escape stay', () => {
    const halves =
      '{"a\\ud83d":["\\uD83D","\\ude00","\\ud83dx","\\\\ud83d","\\ud83d\\ude00","\\ud83d\\ud83d\\ude00"]}'
    const mended =
      '{"a\ufffd":["\ufffd","\ufffd","\ufffdx","\\\\ud83d","\\ud83d\\ude00","\ufffd\\ud83d\\ude00"]}'
    expect(sent(halves, (body) => body)).toBe(mended)
    expect(bodyText({ a: ['x\ud83d', '😀'] })).toBe('{"a":["x\ufffd","😀"]}')
  })

  it('means what it would mean written anew, whatever was changed', () => {
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

describe('half a character', () => {
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
    'becomes U+FFFD, whole ones and all else stay, in a text with %i more characters',
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

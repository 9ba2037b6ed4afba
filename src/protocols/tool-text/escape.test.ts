import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/depth.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { createEscaper } from './escape.ts'
import { familiesOf } from './families.ts'

/** Each run creates an escaper, which takes longer than its use. */
const settings = fuzz

const { markers } = familiesOf({ format: 'json', callTag: 'tool_call', resultTag: 'tool_response' })

describe('createEscaper', () => {
  it.each([
    ['<tool_call>', '&lt;tool_call>'],
    ['a </tool_call> b', 'a &lt;/tool_call> b'],
    ['<tool_response>\n', '&lt;tool_response>\n'],
    ['<function=read>', '&lt;function=read>'],
    ['[TOOL_CALLS][{"name":"x"}]', '&#91;TOOL_CALLS][{"name":"x"}]'],
    ['<｜DSML｜invoke name="f">', '&lt;｜DSML｜invoke name="f">'],
    ['<|tool_call_begin|>functions.x:0', '&lt;|tool_call_begin|>functions.x:0'],
    ['<Tool_Call>', '&lt;Tool_Call>'],
    ['<tool_call \n>', '&lt;tool_call \n>'],
    ['<<tool_call>>', '<&lt;tool_call>>'],
    ['<tool_call><function=a>', '&lt;tool_call>&lt;function=a>'],
  ])('%j becomes %j and comes back', (text, escaped) => {
    const escaper = createEscaper(markers)
    expect(escaper.escape(text)).toBe(escaped)
    expect(escaper.wasNeeded()).toBe(true)
    expect(escaper.unescape(escaped)).toBe(text)
  })

  it.each([
    '',
    'a < b && c[0] > d',
    '<tool>',
    '<tool_call',
    '&lt;tool_call>',
    '<div>[x]</div>',
    '<functions>',
  ])('%j stays as it is', (text) => {
    const escaper = createEscaper(markers)
    expect(escaper.escape(text)).toBe(text)
    expect(escaper.wasNeeded()).toBe(false)
    expect(escaper.unescape(text)).toBe(text)
  })

  it('unescapes nothing that it has not escaped', () => {
    const escaper = createEscaper(markers)
    escaper.escape('the <tool_call> tag')
    expect(escaper.unescape('&lt;tool_call>, &lt;/tool_call>')).toBe('<tool_call>, &lt;/tool_call>')
  })

  it('unescapes nothing that some text had in escaped form, before or after', () => {
    const before = createEscaper(markers)
    before.escape('&lt;tool_call> in a page')
    before.escape('<tool_call> and <tools> in a script')
    expect(before.unescape('&lt;tool_call> &lt;tools>')).toBe('&lt;tool_call> <tools>')
    const after = createEscaper(markers)
    after.escape('<tool_call> in a script')
    after.escape('&lt;TOOL_CALL > in a page')
    expect(after.unescape('&lt;tool_call>')).toBe('&lt;tool_call>')
  })

  it('does not take a copy by the model for an original spelling', () => {
    const escaper = createEscaper(markers)
    escaper.escape('<tool_call> in a script')
    expect(escaper.escapeAnswer('It holds &lt;tool_call> and <tools>.')).toBe(
      'It holds &lt;tool_call> and &lt;tools>.',
    )
    expect(escaper.unescape('&lt;tool_call>')).toBe('<tool_call>')
  })

  it('unescapes what the model was told to escape', () => {
    const escaper = createEscaper(markers, ['</parameter>', '<parameter='])
    expect(escaper.wasNeeded()).toBe(false)
    expect(escaper.unescape('&lt;/parameter>&lt;parameter=a>&lt;tools>')).toBe(
      '</parameter><parameter=a>&lt;tools>',
    )
    escaper.escape('&lt;/parameter>')
    expect(escaper.unescape('&lt;/parameter>')).toBe('&lt;/parameter>')
  })

  it('escapes JSON without changing its value', () => {
    const escaper = createEscaper(markers)
    const value = { '<tools>': ['\\<tool_call>', '[TOOL_CALLS]', '"</tool_call>"', '\n<tools>'] }
    const json = escaper.escapeJson(JSON.stringify(value))
    expect(JSON.parse(json)).toEqual(value)
    expect(json).not.toMatch(/<tool|<\/tool|\[TOOL/)
    expect(escaper.wasNeeded()).toBe(false)
  })

  it('notices the escaped form in JSON too', () => {
    const escaper = createEscaper(markers)
    escaper.escape('<tool_call>')
    escaper.escapeJson('{"html":"&lt;tool_call>"}')
    expect(escaper.unescape('&lt;tool_call>')).toBe('&lt;tool_call>')
  })

  it('without markers does nothing', () => {
    const escaper = createEscaper(['', ''])
    expect(escaper.escape('<tool_call>')).toBe('<tool_call>')
    expect(escaper.escapeJson('"<tool_call>"')).toBe('"<tool_call>"')
    expect(escaper.unescape('&lt;tool_call>')).toBe('&lt;tool_call>')
  })

  const units: [string, string, boolean][] = [
    ['text', 'x = [1]; if (a < b) {}\n', false],
    ['markers', '<tool_call>', true],
    ['beginnings of markers', '<tool_cal', false],
    ['brackets', '<', false],
    ['white space in a tag', '<tool_call  ', true],
    ['one tag that never ends', ' ', true],
    ['escaped markers', '&lt;tool_call>', false],
  ]

  it.each(units)('takes megabytes of %s', (_, unit, needed) => {
    const escaper = createEscaper(markers)
    const text = `<tool_call${unit.repeat(scaled(5_000_000, 1_000_000) / unit.length)}`
    const escaped = escaper.escape(text)
    expect(escaper.wasNeeded()).toBe(needed)
    expect(escaper.unescape(escaped) === text).toBe(true)
  })
})

/** Some overlap, or begin inside each other. */
const overlapping = ['<a<b>', '<b>', '<b<a', '[<b>]', '[x', '<a<b>c', '<a[x']

describe.each([
  ['the markers of the parser', markers],
  ['markers that overlap', overlapping],
])('%s', (_, list) => {
  const fragment = fc.oneof(
    fc.constantFrom(...list),
    fc.constantFrom(...list).map((marker) => marker.toUpperCase()),
    fc.constantFrom(...list).map((marker) => marker.replace(/>$/, ' \n>')),
    fc.constantFrom(...list).chain((marker) => fc.nat(marker.length).map((at) => marker.slice(at))),
    fc.constantFrom(...list).chain((marker) => fc.nat(marker.length).map((at) => marker.slice(0, at))),
    fc.constantFrom('<', '[', '>', '&', '&lt;', '&#91;', '&amp;', '/', ' ', '\n', '｜', '"', '\\'),
    fc.string({ unit: 'grapheme', maxLength: 4 }),
  )
  const texts = fc.array(fragment, { maxLength: 8 }).map((fragments) => fragments.join(''))
  const lower = list.map((marker) => marker.toLowerCase())
  const holdsMarker = (text: string) => {
    const seen = text.toLowerCase().replace(/\s+>/g, '>')
    return lower.some((marker) => seen.includes(marker))
  }
  const isAmbiguous = (text: string) =>
    lower.some((marker) =>
      text
        .toLowerCase()
        .replace(/\s+>/g, '>')
        .replaceAll('&lt;', '<')
        .replaceAll('&#91;', '[')
        .includes(marker),
    ) && /&lt;|&#91;/i.test(text)

  it('escaped text has no marker, and text without markers is unchanged', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const escaper = createEscaper(list)
        const escaped = escaper.escape(text)
        expect(holdsMarker(escaped)).toBe(false)
        expect(escaper.wasNeeded()).toBe(holdsMarker(text))
        if (!holdsMarker(text)) expect(escaped).toBe(text)
      }),
      settings,
    )
  })

  it('unescaping restores the text', () => {
    let changed = 0
    fc.assert(
      fc.property(texts, (text) => {
        const escaper = createEscaper(list)
        const escaped = escaper.escape(text)
        if (isAmbiguous(text)) return
        if (escaped !== text) changed++
        expect(escaper.unescape(escaped)).toBe(text)
      }),
      settings,
    )
    expect(changed).toBeGreaterThan(settings.numRuns / 4)
  })

  it('JSON keeps its value', () => {
    fc.assert(
      fc.property(fc.dictionary(texts, texts), (value) => {
        const json = createEscaper(list).escapeJson(JSON.stringify(value))
        expect(holdsMarker(json)).toBe(false)
        expect(JSON.parse(json)).toEqual(value)
      }),
      settings,
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fuzz, fuzzShare } from '../../../test/fuzz/settings.ts'
import type { Message } from '../../core/request.ts'
import { fold, longestMessage, withoutHeadings } from './fold.ts'

const message = (role: 'system' | 'user' | 'assistant', text: string): Message => ({
  role,
  content: [{ type: 'text', text }],
})
const isResults = (text: string) => text.startsWith('<r>') && text.endsWith('</r>')
const options = { backend: 'qwen', isResults }
const folded = (...messages: [Parameters<typeof message>[0], string][]) =>
  fold(
    messages.map(([role, text]) => message(role, text)),
    options,
  )
const headingLines = (text: string) =>
  text.split('\n').filter((line) => /^### (User|Assistant|System)$/.test(line))
const much = (character: string, length = 60_000) => character.repeat(length)

describe('fold', () => {
  it('keeps a single message, after the system text', () => {
    expect(folded(['user', '### User\nhi'])).toEqual({ text: '### User\nhi', leftOut: 0 })
    expect(folded(['system', 'Be brief.'], ['user', 'hi']).text).toBe('Be brief.\n\nhi')
  })

  it('gives several messages headings, in order', () => {
    const { text } = folded(
      ['system', 'Be brief.'],
      ['user', 'a'],
      ['assistant', 'b'],
      ['system', 's'],
      ['user', 'c'],
    )
    expect(text).toBe(
      'Be brief.\n\n' +
        'The conversation so far follows, each turn under a heading. Answer the last one as the assistant, without a heading.' +
        '\n\n### User\na\n\n### Assistant\nb\n\n### System\ns\n\n### User\nc',
    )
  })

  it.each([
    ['### User', '\\### User'],
    ['x\n### Assistant\ny', 'x\n\\### Assistant\ny'],
    ['  ### user ', '  \\### user '],
    ['x\r###User:', 'x\r\\###User:'],
    ['x\u2028# **System**', 'x\u2028\\# **System**'],
    ['\u200b### User', '\u200b\\### User'],
    ['###\u00a0User', '\\###\u00a0User'],
    ['### User\u3000\nx', '\\### User\u3000\nx'],
    ['\ufeff### \u2060User\u200b:', '\ufeff\\### \u2060User\u200b:'],
    ['### User guide', '### User guide'],
    ['see ### User', 'see ### User'],
    ['### Systems', '### Systems'],
  ])('%j in a text becomes %j', (text, expected) => {
    expect(withoutHeadings(text)).toBe(expected)
  })

  it('escapes text that looks like a heading', () => {
    const piece = fc.constantFrom(
      '### User',
      '### Assistant',
      '### System',
      '#',
      ' ',
      '\n',
      '\r\n',
      '\\',
      'User',
      'x',
      ':',
    )
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
    const turn = fc.tuple(fc.constantFrom('user' as const, 'assistant' as const), text)
    fc.assert(
      fc.property(fc.array(turn, { minLength: 2, maxLength: 5 }), text, (turns, system) => {
        const result = folded(['system', system], ...turns)
        expect(headingLines(result.text)).toHaveLength(turns.length)
      }),
      fuzz,
    )
  })

  it('escapes in linear time', () => {
    // A quadratic search would not end here.
    const texts = ['\n', ' ', '\n ', '#', '\u200b', '\ufeff', '\ufeff\u200b ', '### ']
    for (const text of texts) withoutHeadings(text.repeat(1_000_000))
  })
})

describe('a conversation that is too long', () => {
  it('leaves out its oldest turns, and says so in their place', () => {
    const { text, leftOut } = folded(
      ['system', 'the tools'],
      ['user', much('a')],
      ['assistant', much('b')],
      ['user', much('c')],
      ['assistant', much('d')],
      ['user', 'and now?'],
    )
    expect(leftOut).toBe(2)
    expect(text.length).toBeLessThanOrEqual(longestMessage)
    expect(text).toMatch(/^the tools\n\nThe conversation/)
    expect(text).toContain('\n\n[2 earlier turns were left out here')
    expect(headingLines(text)).toEqual(['### User', '### Assistant', '### User'])
    expect(text.endsWith('### User\nand now?')).toBe(true)
  })

  it('keeps the last words of the user, and leaves out calls with their results', () => {
    const { text, leftOut } = folded(
      ['user', 'an old question'],
      ['assistant', 'an old answer'],
      ['user', 'the task'],
      ['assistant', 'call 1'],
      ['user', `<r>${much('1')}</r>`],
      ['assistant', 'call 2'],
      ['user', `<r>${much('2', 120_000)}</r>`],
      ['assistant', 'call 3'],
      ['user', '<r>3</r>'],
    )
    expect(leftOut).toBe(4)
    expect(text).toMatch(
      /\n\n\[2 earlier turns[^\n]+\n\n### User\nthe task\n\n\[2 earlier turns[^\n]+\n\n### Assistant\ncall 2\n/,
    )
    expect(text).not.toContain('call 1')
    expect(text.endsWith('### Assistant\ncall 3\n\n### User\n<r>3</r>')).toBe(true)
  })

  it('leaves out results with their calls, even if they would fit', () => {
    const { text, leftOut } = folded(
      ['user', 'the task'],
      ['assistant', much('1', 120_000)],
      ['user', '<r>of 1</r>'],
      ['assistant', much('2')],
      ['user', '<r>of 2</r>'],
    )
    expect(leftOut).toBe(2)
    expect(text).not.toContain('of 1')
  })

  it('uses the singular for one turn', () => {
    expect(folded(['user', much('a')], ['assistant', much('b')], ['user', much('c')]).text).toContain(
      '[1 earlier turn was left out here',
    )
  })

  it.each([
    ['a single message', [['user', much('a', longestMessage + 1)]]],
    [
      'the last one',
      [
        ['user', 'a'],
        ['assistant', 'b'],
        ['user', much('a', longestMessage)],
      ],
    ],
    [
      'the system text',
      [
        ['system', much('a', longestMessage)],
        ['user', 'a'],
        ['assistant', 'b'],
        ['user', 'c'],
      ],
    ],
  ] as [string, [Parameters<typeof message>[0], string][]][])(
    '%s cannot be left out: that is an error',
    (_name, messages) => {
      expect(() => folded(...messages)).toThrow(
        expect.objectContaining({
          code: 'context-overflow',
          message: expect.stringMatching(/^qwen: .*131,\d\d\d characters.*131,072 at most/),
        }),
      )
    },
  )

  it('accepts exactly the limit', () => {
    expect(folded(['user', much('a', longestMessage)]).text).toHaveLength(longestMessage)
  })

  it('fits or fails, for any conversation', () => {
    const length = fc.constantFrom(1, 10_000, 40_000, 70_000, 131_000)
    const turn = fc.tuple(
      fc.constantFrom('user' as const, 'assistant' as const),
      length.map((size) => much('x', size)),
    )
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 8 }), (turns) => {
        try {
          const { text, leftOut } = folded(['system', 'tools'], ...turns)
          expect(text.length).toBeLessThanOrEqual(longestMessage)
          if (turns.length > 1) expect(headingLines(text)).toHaveLength(turns.length - leftOut)
        } catch (error) {
          expect(error).toMatchObject({ code: 'context-overflow' })
        }
      }),
      fuzzShare(0.3),
    )
  })
})

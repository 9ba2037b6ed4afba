import { describe, expect, it } from 'vitest'
import type { TurnSummary } from './api.ts'
import { meets, parseFilter, toggled, tokensOf, withFact } from './turn-filter.ts'

const turn: TurnSummary = {
  ...{
    id: 'turn_a',
    startedAt: 1,
    conversation: 'turn_a',
    title: 'Read a.txt',
    door: 'openai-chat',
    key: 'me',
  },
  ...{ model: 'box/claude-4', backend: 'box', upstreamModel: 'claude-4', client: 'opencode', stream: true },
  ...{ tries: 1, running: false, outcome: 'tool-calls', milliseconds: 2_500, calls: ['bash', 'read file'] },
  ...{ notes: 1, frames: 1, bytes: 1, cut: false, error: { code: 'timeout', message: 'box: late' } },
}
const plain: TurnSummary = {
  ...turn,
  calls: [],
  notes: 0,
  outcome: 'stop',
  error: undefined,
  milliseconds: 10,
}

const holds = (text: string, of = turn, isWaiting = false) => meets(of, parseFilter(text), { isWaiting })

describe('a filter in words', () => {
  it.each([
    ['model:claude', true],
    ['model:gpt', false],
    ['model:claude tool:bash error:', true],
    ['tool:"bash"', true],
    ['tool:"bas"', false],
    ['tool:"read file"', true],
    ['-tool:bash', false],
    ['-tool:grep', true],
    ['client:OpenCode backend:box key:me door:chat', true],
    ['outcome:stop outcome:tool-calls', true],
    ['outcome:stop', false],
    ['is:calls is:notes is:error', true],
    ['is:calls is:running', false],
    ['-is:running', true],
    ['is:waiting', false],
    ['slower:2s', true],
    ['slower:2500ms', false],
    ['slower:1m', false],
    ['-slower:3', true],
    ['error:timeout', true],
    ['error:quota', false],
  ] as const)('%s: %j', (text, expected) => {
    expect(holds(text)).toBe(expected)
  })

  it('without a value means that there is any', () => {
    expect([holds('tool:', plain), holds('error:', plain), holds('-error:', plain)]).toEqual([
      false,
      false,
      true,
    ])
  })

  it('keeps free words, also those with a colon', () => {
    expect(parseFilter('http://x "two words" Model: claude').words).toEqual([
      'http://x',
      'two words',
      'model:',
      'claude',
    ])
    expect(parseFilter('toString:x __proto__:y').words).toEqual(['tostring:x', '__proto__:y'])
  })

  it('says what is wrong with a condition', () => {
    expect(parseFilter('is:odd slower:soon').problems).toEqual([
      expect.stringContaining('write is: with running, waiting, error'),
      expect.stringContaining('write slower:500ms'),
    ])
  })

  it('is bounded', () => {
    expect(parseFilter('x '.repeat(10_000)).words).toHaveLength(20)
    expect(parseFilter('x'.repeat(10_000)).words[0]).toHaveLength(500)
  })
})

describe('buttons and menus', () => {
  it('add and remove parts of the filter', () => {
    expect(toggled('claude', 'error:')).toBe('claude error:')
    expect(toggled('claude error: "a b"', 'error:')).toBe('claude "a b"')
    expect(withFact('x tool:bash', 'tool', 'read file')).toBe('x tool:"read file"')
    expect(withFact('x tool:"read file"', 'tool', undefined)).toBe('x')
    expect(withFact('slower:2s', 'slower', '10s')).toBe('slower:10s')
    expect(tokensOf(withFact('', 'tool', 'a " b'))).toEqual(['tool:"a  b"'])
  })
})

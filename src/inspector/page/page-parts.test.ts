// The parts of the page that need no browser.

import { execFileSync } from 'node:child_process'
import { Fragment, h, options } from 'preact'
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../core/errors.ts'
import type { TurnSummary } from '../api.ts'
import { parseFilter } from '../turn-filter.ts'
import { groupTurns, isWaiting, visible } from './conversations.ts'
import { asCurl } from './curl.ts'
import { count, duration, percentile, size } from './format.ts'
import { remedies } from './remedies.ts'
import { barsOf } from './timeline.tsx'
import { showHiddenCharacters } from './visible-nodes.ts'

describe('asCurl', () => {
  it('is a command that a shell parses correctly, without the key', () => {
    const body = JSON.stringify({ text: 'it\'s "quoted" $HOME `id` \\ \n end' })
    const headers = {
      'content-type': 'application/json',
      'anthropic-version': '2023-06-01',
      authorization: '[removed]',
      'user-agent': 'x',
    }
    const command = asCurl({ method: 'POST', path: '/v1/messages', headers, body }, 'http://127.0.0.1:1')
    const script = `curl() { printf '%s\\0' "$@"; }; ${command}`
    const read = execFileSync('sh', ['-c', script], { env: { DRAGOMAN_KEY: 'k e y' }, encoding: 'utf8' })
    expect(read.split('\0').slice(0, -1)).toEqual([
      ...['-N', '-X', 'POST', 'http://127.0.0.1:1/v1/messages', '-H', 'authorization: Bearer k e y'],
      ...['-H', 'content-type: application/json', '-H', 'anthropic-version: 2023-06-01', '--data-raw', body],
    ])
  })
})

const turn = (id: string, more: Partial<TurnSummary> = {}): TurnSummary => ({
  ...{ id, startedAt: 1, conversation: id, title: '', door: 'openai-chat', key: 'me', model: 'box/m' },
  ...{ stream: true, tries: 1, running: false, outcome: 'stop', milliseconds: 1, calls: [], notes: 0 },
  ...{ frames: 1, bytes: 1, cut: false },
  ...more,
})

describe('conversations', () => {
  const turns = [
    turn('turn_a', { startedAt: 1, outcome: 'tool-calls', calls: ['read_file'] }),
    turn('turn_b', { startedAt: 5, conversation: 'turn_a', title: '1 tool result' }),
    turn('turn_c', {
      startedAt: 3,
      client: 'codex',
      error: { code: 'timeout', message: '' },
      outcome: 'timeout',
    }),
    turn('turn_d', { startedAt: 4, outcome: 'tool-calls', calls: ['shell'], backend: 'Second' }),
    turn('turn_e', { startedAt: 2, running: true, outcome: undefined }),
  ]
  const groups = groupTurns(turns)
  const idsOf = (words: string, hits?: Parameters<typeof visible>[2]) =>
    visible(groups, parseFilter(words), hits).flatMap((group) => group.turns.map(({ id }) => id))

  it('are sorted by their latest turn, and so are their turns', () => {
    expect(idsOf('')).toEqual(['turn_b', 'turn_a', 'turn_d', 'turn_c', 'turn_e'])
  })

  it.each([
    ['read_file', ['turn_a']],
    ['codex', ['turn_c']],
    ['second SHELL', ['turn_d']],
    ['turn_e', ['turn_e']],
    ['timeout', ['turn_c']],
    ['running', ['turn_e']],
    ['nothing like it', []],
    ['error:', ['turn_c']],
    ['is:calls', ['turn_a', 'turn_d']],
    ['is:running', ['turn_e']],
    ['is:waiting', ['turn_d']],
    ['shell is:calls is:waiting', ['turn_d']],
  ])('filter %j', (words, ids) => {
    expect(idsOf(words)).toEqual(ids)
  })

  it('match by what was found in their content, within the conditions', () => {
    const hits = new Map(['turn_a', 'turn_c'].map((id) => [id, []]))
    expect(idsOf('needle', hits)).toEqual(['turn_a', 'turn_c'])
    expect(idsOf('needle error:', hits)).toEqual(['turn_c'])
  })

  it('do not seem to wait if the filter hides the next turn', () => {
    const [shown] = visible(groups, parseFilter('read_file'))
    expect(shown?.turns.map((turn) => [turn.id, isWaiting(turn, shown)])).toEqual([['turn_a', false]])
  })

  it('wait if the last turn has calls without results', () => {
    expect(groups.map((group) => isWaiting(group.turns[0] as TurnSummary, group))).toEqual([
      false,
      true,
      false,
      false,
    ])
  })
})

describe('timeline', () => {
  const call = { kind: 'tool-call', from: 100, to: 100, characters: 0, preview: '', name: 'write' } as const

  it.each([
    [true, 'its arguments are not complete yet'],
    [false, 'its arguments were never complete'],
  ])('a call without arguments yet is no silence (running: %j)', (isRunning, words) => {
    const bars = barsOf([call], 2_000, isRunning)
    expect(bars.map(({ lane, from, to }) => [lane, from, to])).toEqual([
      ['wait', 0, 100],
      ['tool-call', 100, 2_000],
    ])
    expect(bars[1]?.words).toContain(words)
  })

  it('silence after a whole call is one bar', () => {
    const bars = barsOf([{ ...call, to: 300, characters: 9, preview: '{"a":"b"}' }], 2_000, true)
    expect(bars.at(-1)).toMatchObject({ lane: 'wait', from: 300, to: 2_000 })
  })
})

describe('format', () => {
  it('durations', () => {
    expect([undefined, 0, 999, 999.7, 1_234, 9_996, 12_345, 59_999, 65_000, 119_700].map(duration)).toEqual([
      '–',
      '0 ms',
      '999 ms',
      '1.00 s',
      '1.23 s',
      '10.0 s',
      '12.3 s',
      '1 min 00 s',
      '1 min 05 s',
      '2 min 00 s',
    ])
  })

  it('counts and sizes', () => {
    expect([undefined, 7, 9_999, 12_345, 2_500_000].map(count)).toEqual(['–', '7', '9,999', '12.3k', '2.5M'])
    expect([12, 2_048, 3_145_728].map(size)).toEqual(['12 B', '2.0 KiB', '3.0 MiB'])
  })

  it('percentiles', () => {
    expect(percentile([], 0.5)).toBeUndefined()
    expect([0.5, 0.95].map((share) => percentile([5, 1, 4, 2, 3], share))).toEqual([3, 5])
  })
})

it('every error code has a remedy', () => {
  expect(Object.keys(remedies).sort()).toEqual([...errorCodes].sort())
})

it('every text of the page shows its hidden characters', () => {
  const before = options.vnode
  try {
    showHiddenCharacters()
    const { props } = h('p', { title: 'a\u202eb' }, 'x\u009by', ['\u2066', 1, h('b', null, '\u{e0041}')])
    expect(props).toMatchObject({ title: 'a\\u{202e}b' })
    expect(h(Fragment, null, 'a\u202eb').props).toEqual({ children: 'a\\u{202e}b' })
    expect(JSON.stringify(props.children)).not.toMatch(/[\u009b\u2066\u{e0041}]/u)
    expect(props.children).toMatchObject([
      'x\\u{9b}y',
      ['\\u{2066}', 1, { props: { children: '\\u{e0041}' } }],
    ])
  } finally {
    options.vnode = before
  }
})

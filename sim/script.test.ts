// The script format: what it takes, and that its errors name the line.

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { parseCursorScript } from './cursor.ts'
import { findDifference } from './match.ts'
import { parseScript } from './script.ts'

const HEAD = '{"script":1,"kind":"anthropic","scenario":"s","source":"made"}'

describe('parseScript', () => {
  it('reads every step', () => {
    const steps = [
      { think: 'hm', signature: 's', pieces: 2 },
      { redacted: 'data' },
      { say: 'hi', pieces: 3 },
      { call: { name: 'read', arguments: { a: 1 }, id: 'x' }, pieces: 4 },
      { call: { name: 'read', arguments: '{"a":' } },
      { end: 'tool_use', usage: { output_tokens: 3 } },
      { frame: { type: 'ping' }, event: 'ping' },
      { raw: ': hi\n\n' },
      { raw64: '77u/' },
      { status: 429, headers: { 'retry-after': '1' }, body: { a: 1 } },
      { wait: 250 },
      { fault: 'reset' },
      { split: 1 },
      { flood: { deltas: 3, text: 'x', everyMs: 0 } },
      { forever: { everyMs: 10 } },
    ]
    const lines = [
      HEAD,
      '',
      '{"turn":{"expect":{"model":"m"},"when":{"stream":true}}}',
      ...steps.map((step) => JSON.stringify(step)),
    ]
    expect(parseScript(lines.join('\r\n'))).toEqual({
      kind: 'anthropic',
      scenario: 's',
      source: 'made',
      turns: [{ expect: { model: 'm' }, when: { stream: true }, steps }],
    })
  })

  it.each([
    ['nothing', '', 'line 1: an empty script'],
    ['no JSON', `${HEAD}\nhello`, 'line 2: not JSON'],
    ['no object', `${HEAD}\n[1]`, 'line 2: each line is a JSON object'],
    ['no metadata', '{"turn":{}}', 'line 1: the first line is metadata'],
    ['no kind', '{"script":1}', 'line 1: "kind"'],
    ['a step before a turn', `${HEAD}\n{"say":"x"}`, 'line 2: a step before the first'],
    ['a turn that is no object', `${HEAD}\n{"turn":1}`, 'line 2: "turn" is an object'],
    ['an unknown field of a turn', `${HEAD}\n{"turn":{"wants":1}}`, 'line 2: "turn" takes'],
    ['a bad when', `${HEAD}\n{"turn":{"when":1}}`, 'line 2: "when" must be'],
    ['an unknown step', `${HEAD}\n{"turn":{}}\n{"sayy":"x"}`, 'line 3: a step has exactly one of think'],
    ['two steps in one', `${HEAD}\n{"turn":{}}\n{"say":"x","wait":1}`, 'line 3: a step has exactly one of'],
    [
      'an unknown field',
      `${HEAD}\n{"turn":{}}\n{"say":"x","speed":1}`,
      'line 3: the step "say" has no field "speed"',
    ],
    ['a wrong type', `${HEAD}\n\n{"turn":{}}\n{"say":1}`, 'line 4: "say" must be a string'],
    ['a wrong call', `${HEAD}\n{"turn":{}}\n{"call":{"name":"x"}}`, 'line 3: "call" must be'],
    [
      'an unknown fault',
      `${HEAD}\n{"turn":{}}\n{"fault":"fire"}`,
      'line 3: "fault" must be one of reset, fin',
    ],
    ['a wrong flood', `${HEAD}\n{"turn":{}}\n{"flood":{"deltas":0,"text":"x"}}`, 'line 3: "flood" must be'],
    ['a wrong forever', `${HEAD}\n{"turn":{}}\n{"forever":{}}`, 'line 3: "forever" must be'],
    ['a wrong status', `${HEAD}\n{"turn":{}}\n{"status":42}`, 'line 3: "status" must be'],
  ])('refuses %s', (_, source, message) => {
    expect(() => parseScript(source)).toThrow(message)
  })
})

it('the scripts in the documentation are scripts', async () => {
  const page = await readFile(new URL('../docs/simulators.md', import.meta.url), 'utf8')
  const scripts = [...page.matchAll(/```jsonl\n([\s\S]*?)```/g)].map(([, source = '']) =>
    source.includes('"kind":"cursor"') ? parseCursorScript(source) : parseScript(source),
  )
  expect(scripts.length).toBeGreaterThan(2)
  expect(scripts.every(({ turns }) => turns.length > 0)).toBe(true)
})

describe('findDifference', () => {
  it.each([
    [{}, { a: 1 }, undefined],
    [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 2, d: 3 }] }, e: 4 }, undefined],
    [{ a: { b: [1, { c: 2 }] } }, { a: { b: [1, { c: 3 }] } }, 'body.a.b[1].c: wanted 2, got 3'],
    [{ a: [1] }, { a: [1, 2] }, 'body.a: wanted 1 items, got 2'],
    [{ a: [1] }, { a: 'x' }, 'body.a: wanted [1], got "x"'],
    [{ a: {} }, {}, 'body.a: wanted {}, got nothing'],
  ])('%j in %j', (wanted, actual, difference) => {
    expect(findDifference(wanted, actual)).toBe(difference)
  })
})

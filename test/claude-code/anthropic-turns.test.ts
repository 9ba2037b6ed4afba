// Turns of Claude Code with Anthropic behind: what its switches and its models change, and what the service alone can answer.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Body } from '../harness.ts'
import { claude, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

/** On these words the client folds system messages into its user's (sheet, section 11). */
const systemRefused = /role 'system'.*not supported|Input should be 'user' or 'assistant'|Unexpected role/
const models = { 'my-alias': 'anthropic/claude-opus-4-8', 'old-alias': 'anthropic/claude-sonnet-4-5' }
const bench = useContractBench({}, { models })
const last = () => bench.anthropic.requests.findLast(({ method }) => method === 'POST')
const as = (body: Body, model: string) => JSON.stringify({ ...body, model })
const withBetas = (...more: string[]) => ({ 'anthropic-beta': [...cc.betas, ...more].join(',') })
const short = (more: Body = {}) => cc.turn(claude, { messages: [cc.user('x')], ...more })

describe('models', () => {
  const unknown = (model: string) => cc.turn(model, { messages: cc.opening('hello', {}) })

  it('an alias, which the client does not know, is asked by its name', async () => {
    const body = unknown('my-alias')
    const { status, notes, said } = await send(bench, body, { more: withBetas(cc.toolChanges) })
    expect([status, notes]).toEqual([200, ''])
    expect(last()?.bodyText).toBe(as(body, 'claude-opus-4-8'))
    expect(said).toContain('"model":"my-alias"')
  })

  it('a name that the gateway does not know either is asked as it is: the service says what it does not take', async () => {
    const body = unknown('anthropic/claude-novel-9')
    const { status, json } = await send(bench, body, { more: withBetas(cc.toolChanges) })
    expect(last()?.bodyText).toBe(as(body, 'claude-novel-9'))
    expect([status, json.error.message]).toEqual([400, expect.stringMatching(systemRefused)])
  })

  it('an alias of a model without system messages is served: they become words of the user', async () => {
    const { status } = await send(bench, unknown('old-alias'))
    expect(status).toBe(200)
    const sent = last()?.bodyText ?? ''
    expect(sent).toContain('Working directory: /srv/work')
    expect(sent).not.toContain('"role":"system"')
  })
})

it.each(cc.switches)('a turn with %s arrives to the byte', async (_, more, betas) => {
  const body = cc.turn(claude, { messages: cc.opening('hello', {}), ...more })
  const model = _.startsWith('a model of before') ? 'claude-sonnet-4-5' : 'claude-opus-5-5'
  const named = { ...body, model: `anthropic/${model}` }
  const header = betas ? { 'anthropic-beta': betas.join(',') } : withBetas(cc.toolChanges)
  const { status, notes, said } = await send(bench, named, { more: header })
  expect([status, notes, status === 200 ? '' : said]).toEqual([200, '', ''])
  expect(last()?.bodyText).toBe(as(body, model))
  expect(last()?.headers['anthropic-beta']).toBe(header['anthropic-beta'])
})

describe.each([true, false])('what only the service says, streamed: %s', (stream) => {
  /** An answer that ends with these members of the message, and this usage. */
  const ending = (message: Body, usage: Body): Step[] =>
    stream
      ? [
          { say: 'Done.' },
          {
            frame: {
              type: 'message_delta',
              delta: { stop_reason: 'end_turn', stop_sequence: null, ...message },
              usage: { output_tokens: 3, ...usage },
            },
            event: 'message_delta',
          },
          { frame: { type: 'message_stop' }, event: 'message_stop' },
        ]
      : [{ status: 200, body: whole(message, usage) }]
  const whole = (message: Body, usage: Body) => ({
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'claude-opus-5-5' },
    content: [{ type: 'text', text: 'Done.' }],
    ...{ stop_reason: 'end_turn', stop_sequence: null, ...message },
    usage: { input_tokens: 5, output_tokens: 3, ...usage },
  })
  const safeguards = [{ type: 'dangerous_tool_use', classifier_context: { user: 'x' } }]
  const verdict = { type: 'evaluated', outcome: 'not_flagged' }
  const results = [
    { type: 'dangerous_tool_use', status: { type: 'available', tool_uses: { toolu_1: verdict } } },
  ]
  const refusal = {
    type: 'refusal',
    category: 'cyber',
    explanation: 'No.',
    recommended_model: 'claude-opus-4-8',
    fallback_credit_token: 'fct_1',
    fallback_has_prefill_claim: false,
  }

  it.each<[string, Body, string[], Body, Body]>([
    ['safeguards', { safeguards }, ['dangerous-tool-use-2026-09-03'], { safeguard_results: results }, {}],
    ['speed', { speed: 'fast' }, ['fast-mode-2026-02-01'], {}, { speed: 'fast' }],
    ['a refusal', {}, [], { stop_reason: 'refusal', stop_details: refusal }, {}],
    [
      'a retry on credit',
      { fallback_credit_token: 'fct_1' },
      ['fallback-credit-2026-06-01'],
      {},
      { fallback_credit: { applied: true } },
    ],
    [
      'a report on the input',
      {},
      [],
      { input_transformations: [], context_management: { applied_edits: [] } },
      {},
    ],
    ['a member of tomorrow', {}, [], { novelty: { of: ['tomorrow'] } }, { novel_tokens: 7 }],
  ])('%s passes both ways', async (_, fields, betas, message, usage) => {
    bench.anthropic.play(ending(message, usage))
    const body = short({ ...fields, stream })
    const { status, said, notes } = await send(bench, body, { more: withBetas(...betas) })
    expect([status, notes]).toEqual([200, ''])
    expect(last()?.bodyText).toBe(as(body, 'claude-opus-5-5'))
    expect(last()?.headers['anthropic-beta']).toBe(withBetas(...betas)['anthropic-beta'])
    for (const [name, value] of [...Object.entries(message), ...Object.entries(usage)])
      expect(said).toContain(`${JSON.stringify(name)}:${JSON.stringify(value)}`)
  })

  it('the links of a web search', async () => {
    const input = { query: 'node 24' }
    const found = { type: 'web_search_result', url: 'https://news.example/24', title: 'Node 24' }
    const use = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input }
    const result = {
      type: 'web_search_tool_result',
      tool_use_id: use.id,
      content: [{ ...found, encrypted_content: 'xx', page_age: null }],
    }
    const blocks: Step[] = [use, result].flatMap((block, index) => [
      { frame: { type: 'content_block_start', index, content_block: block }, event: 'content_block_start' },
      { frame: { type: 'content_block_stop', index }, event: 'content_block_stop' },
    ])
    const steps = stream
      ? [...blocks, ...ending({}, {}).slice(1)]
      : [{ status: 200, body: { ...whole({}, {}), content: [use, result] } }]
    bench.anthropic.play(steps)
    const { said } = await send(bench, { ...cc.webSearch(claude), stream })
    expect(said).toContain(JSON.stringify(use))
    expect(said).toContain(JSON.stringify(result))
  })
})

it.each<[string, Body, string]>([
  ['tags', { tags: ['team-a'] }, 'request-tags-of-tomorrow'],
  ['fallbacks', { fallbacks: [{ model: 'claude-opus-4-8' }] }, 'server-side-fallback-2026-07-01'],
  ['thread', { thread: { type: 'create' } }, 'message-threads-2026-08-12'],
  ['compaction', { compaction: { type: 'summarize' } }, 'compact-2026-01-12'],
])('%s and its beta reach the service, whatever it says to them', async (field, fields, beta) => {
  const body = short(fields)
  const { status, said } = await send(bench, body, { more: withBetas(beta) })
  expect(last()?.bodyText).toBe(as(body, 'claude-opus-5-5'))
  expect(last()?.headers['anthropic-beta']).toContain(beta)
  // The simulator does not know tags: what it says then is what the client hears.
  if (field === 'tags')
    expect([status, said.includes('tags: Extra inputs are not permitted')]).toEqual([400, true])
  else expect([status, said.includes('"stop_reason":"end_turn"')]).toEqual([200, true])
})

it.each<[string, Body, string]>([
  ['context_management', short({ tools: [] }), 'context_management: Extra inputs are not permitted'],
  [
    'tool_addition',
    cc.turn(claude, {
      messages: [
        ...cc.opening('hello', {}),
        cc.assistant([cc.text('Hi.')]),
        cc.user('more'),
        cc.system([{ type: 'tool_addition', tool: cc.reference('Bash') }]),
      ],
      context_management: undefined,
    }),
    'tool_addition',
  ],
])(
  '%s without its beta is refused by the service, in the words that the client matches',
  async (_, body, words) => {
    const { status, json } = await send(bench, body, { more: { 'anthropic-beta': 'claude-code-20250219' } })
    expect([status, json.error.message]).toEqual([400, expect.stringContaining(words)])
  },
)

// Claude Code with Anthropic behind: the simulator is as strict as the service. One test for each rule of the contract that can be seen
// on the wire: what the service gets, and what the client gets back.

import { describe, expect, it } from 'vitest'
import { claude, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()
const model = 'claude-opus-5-5'
const asked = () => bench.anthropic.requests.filter(({ method }) => method === 'POST')
const last = () => asked().at(-1)
const named = (body: Record<string, unknown>) => JSON.stringify({ ...body, model })
const betasOf = () => String(last()?.headers['anthropic-beta']).split(',')

describe('requests', () => {
  it.each([
    ['claude-opus-5-5', [cc.perTurnControl, cc.toolChanges], cc.opening('hello')],
    ['claude-opus-4-8', [cc.toolChanges], cc.opening('hello', {})],
    [
      'claude-sonnet-4-5',
      [],
      [cc.user([cc.text('<system-reminder>\nx\n</system-reminder>'), cc.text('hello')])],
    ],
  ])('the first turn of %s arrives to the byte, with its betas', async (name, more, messages) => {
    const enabled = { thinking: { type: 'enabled', budget_tokens: 31_999, display: 'omitted' } }
    const old = name === 'claude-sonnet-4-5' ? { ...enabled, output_config: undefined } : {}
    const body = cc.turn(`anthropic/${name}`, { messages, ...old })
    const beta = [...cc.betas, ...more].join(',')
    const { status, notes } = await send(bench, body, { more: { 'anthropic-beta': beta } })
    expect([status, notes]).toEqual([200, ''])
    expect(last()?.bodyText).toBe(JSON.stringify({ ...body, model: name }))
    expect(last()?.headers['anthropic-beta']).toBe(beta)
  })

  it('a field without its beta is refused by the service, in its own words', async () => {
    const { status, json } = await send(bench, cc.turn(claude), {
      more: { 'anthropic-beta': [...cc.betas, cc.toolChanges].join(',') },
    })
    expect(status).toBe(400)
    expect(json.error.message).toBe('messages.1.output_config: Extra inputs are not permitted')
  })

  it('an effort in mid-conversation, as a message without content, stays where it is', async () => {
    const messages = [
      ...cc.opening('hello'),
      cc.assistant([cc.text('Hi.')]),
      cc.user('more'),
      cc.system([], { output_config: { effort: 'low' } }),
    ]
    const body = cc.turn(claude, { messages, output_config: { effort: 'low' } })
    expect((await send(bench, body)).status).toBe(200)
    expect(last()?.bodyText).toBe(named(body))
  })

  it.each([
    ['by reference', { type: 'tool_reference', name: cc.weather.name }],
    ['by value', { type: 'tool_definition', definition: { ...cc.weather, defer_loading: undefined } }],
  ])('tools that come and go, %s, pass', async (_, tool) => {
    const messages = [
      ...cc.opening('hello'),
      cc.assistant([cc.text('Hi.')]),
      cc.user('more'),
      cc.system([
        cc.text('A server connected.'),
        { type: 'tool_addition', tool },
        { type: 'tool_removal', tool: { type: 'tool_reference', name: 'Bash' } },
      ]),
    ]
    const body = cc.turn(claude, { messages, tools: [...cc.tools, cc.weather] })
    expect((await send(bench, body)).status).toBe(200)
    expect(last()?.bodyText).toBe(named(body))
  })

  it('a search for tools, its references and the placeholder pass', async () => {
    const messages = [
      ...cc.opening('the weather?'),
      cc.assistant([{ type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'weather' } }]),
      cc.user([
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'tool_reference', tool_name: cc.weather.name }],
        },
        cc.text('Tool loaded.'),
      ]),
    ]
    const body = cc.turn(claude, { messages, tools: [...cc.tools, cc.weather] })
    expect((await send(bench, body)).status).toBe(200)
    expect(last()?.bodyText).toBe(named(body))
  })

  it('unknown betas and fields pass; a beta that the service does not know is refused in its words', async () => {
    const more = { 'anthropic-beta': `${cc.betas.join(',')},novel-2027-01-01` }
    const { status, json } = await send(bench, cc.turn(claude, { messages: [cc.user('x')], novel: 1 }), {
      more,
    })
    expect([status, json.error.message]).toEqual([400, 'novel: Extra inputs are not permitted'])
    expect(betasOf()).toContain('novel-2027-01-01')
  })

  it('the attribution block is first, alone and unchanged', async () => {
    await send(bench, cc.turn(claude))
    expect(last()?.body).toMatchObject({ system: [{ type: 'text', text: cc.attribution }, {}, {}] })
  })

  it("the client's version passes, its credentials do not", async () => {
    await send(bench, cc.turn(claude, { messages: [cc.user('x')] }), {
      more: { 'anthropic-version': '2026-10-21', 'x-api-key': 'sk-gateway-canary' },
    })
    const headers: Record<string, unknown> = last()?.headers ?? {}
    expect(headers['anthropic-version']).toBe('2026-10-21')
    expect(JSON.stringify(headers)).not.toContain('canary"')
    expect(headers).not.toHaveProperty('x-claude-code-session-id')
    expect(headers).not.toHaveProperty('authorization')
  })

  it('safeguards pass with their beta, and so does what the service says about them', async () => {
    const results = [{ type: 'dangerous_tool_use', status: { type: 'available', tool_uses: {} } }]
    bench.anthropic.play([
      { say: 'Done.' },
      {
        frame: {
          type: 'message_delta',
          delta: { stop_reason: 'end_turn', stop_sequence: null, safeguard_results: results },
          usage: { output_tokens: 3 },
        },
        event: 'message_delta',
      },
    ])
    const safeguards = [{ type: 'dangerous_tool_use', classifier_context: { user: 'x' } }]
    const body = cc.turn(claude, { messages: [cc.user('x')], safeguards })
    const more = { 'anthropic-beta': [...cc.betas, 'dangerous-tool-use-2026-09-03'].join(',') }
    const { said } = await send(bench, body, { more })
    expect(last()?.bodyText).toBe(named(body))
    expect(said).toContain(JSON.stringify(results))
  })

  it('web search reaches the service', async () => {
    const body = cc.webSearch(claude)
    expect((await send(bench, body)).status).toBe(200)
    expect(last()?.bodyText).toBe(named(body))
  })

  it.each([
    { type: 'adaptive', display: 'omitted' },
    { type: 'adaptive', display: 'summarized' },
  ])('thinking comes back in place: %j', async (thinking) => {
    bench.anthropic.play([{ think: 'hm' }, { say: 'Hi.' }, { end: 'end_turn' }])
    const first = cc.turn(claude, { thinking, stream: false })
    const { json } = await send(bench, first)
    expect(json.content[0]).toMatchObject({ type: 'thinking', signature: expect.stringMatching(/./) })
    const messages = [...(first.messages as []), cc.assistant(json.content), cc.user('more')]
    const next = { ...first, messages }
    expect((await send(bench, next)).status).toBe(200)
    expect(last()?.bodyText).toBe(named(next))
  })
})

describe('counts', () => {
  const path = '/v1/messages/count_tokens?beta=true'
  const more = { 'anthropic-beta': [...cc.betas, cc.perTurnControl, 'token-counting-2024-11-01'].join(',') }

  it('of 24 requests at once, each with its own fields', async () => {
    const bodies = Array.from({ length: 24 }, (_, at) => ({
      model: claude,
      messages: [cc.user(`part ${'x'.repeat(at * 40)}`)],
      ...(at % 2 === 0 ? { tools: cc.tools, system: 'Be brief.' } : { thinking: { type: 'adaptive' } }),
    }))
    const answers = await Promise.all(bodies.map((body) => send(bench, body, { path, more })))
    expect(answers.map(({ status }) => status)).toEqual(bodies.map(() => 200))
    expect(new Set(answers.map(({ json }) => json.input_tokens)).size).toBeGreaterThan(12)
    const sent = asked().map(({ bodyText }) => bodyText)
    expect(sent.sort()).toEqual(bodies.map(named).sort())
    expect(answers.every(({ header }) => header('x-dragoman-notes') === null)).toBe(true)
  })

  it('an empty list of tools is counted', async () => {
    const body = { model: claude, messages: [cc.user('x')], tools: [] }
    expect((await send(bench, body, { path, more })).json).toEqual({ input_tokens: expect.any(Number) })
  })

  it("the service's refusal of an edited history is relayed", async () => {
    bench.anthropic.play([{ think: 'hm' }, { say: 'Hi.' }, { end: 'end_turn' }])
    const { json } = await send(bench, cc.turn(claude, { stream: false }))
    const messages = [...cc.opening('other words'), cc.assistant(json.content), cc.user('more')]
    const { messages: _, system, tools, thinking } = cc.turn(claude)
    const refused = await send(bench, { model: claude, system, tools, thinking, messages }, { path, more })
    expect(refused.status).toBe(400)
    expect(refused.json.error.message).toContain('bound to a different conversation')
  })

  it('a forced choice, which the turn only asks for on this model, is counted as the turn is sent', async () => {
    const choice = { tools: [cc.readTool], tool_choice: { type: 'any' } }
    const body = { model: claude, messages: [cc.user('x')], ...choice }
    expect((await send(bench, body, { path, more })).status).toBe(200)
    expect(last()?.body).toMatchObject({ tool_choice: { type: 'auto' } })
  })
})

describe('errors', () => {
  const refusal = (type: string, message: string) => ({
    type: 'error',
    error: { type, message },
    request_id: 'req_1',
  })

  it.each([
    [529, 'overloaded_error', 'Overloaded'],
    [429, 'rate_limit_error', 'slow down'],
    [413, 'request_too_large', 'too large'],
    [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
    [
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000',
    ],
    [
      400,
      'invalid_request_error',
      'Unexpected value(s) `afk-mode-2026-01-31` for the `anthropic-beta` header.',
    ],
    [404, 'not_found_error', 'model: claude-opus-5-5'],
    [422, 'invalid_request_error', "Input tag 'tool_addition' found using 'type' does not match"],
    [400, 'policy_blocked', 'Blocked by a policy of the organization.'],
    [429, 'billing_error', 'The spend cap is reached.'],
    [402, 'billing_error', 'Your credit balance is too low.'],
    [500, 'api_error', 'Internal server error'],
  ])('%s %s keeps its status, words and times', async (status, type, message) => {
    const shouldRetry = type === 'policy_blocked' ? 'false' : 'true'
    bench.anthropic.play([
      {
        status,
        headers: { 'retry-after': '7', 'x-should-retry': shouldRetry },
        body: refusal(type, message),
      },
    ])
    const answer = await send(bench, cc.turn(claude))
    expect(answer.status).toBe(status)
    expect(answer.json.error).toEqual({ type, message })
    expect([answer.header('retry-after'), answer.header('x-should-retry')]).toEqual(['7', shouldRetry])
    expect(answer.json.request_id).toBe(answer.header('request-id'))
  })

  it("headers about the gateway's account do not pass, the note about thinking does", async () => {
    bench.anthropic.play([
      {
        status: 400,
        headers: { 'anthropic-thinking-prefix-mismatch': 'kind=x', 'anthropic-ratelimit-unified-5h': '1' },
        body: refusal('invalid_request_error', 'bound to a different conversation'),
      },
    ])
    const { header } = await send(bench, cc.turn(claude))
    expect(header('anthropic-thinking-prefix-mismatch')).toBe('kind=x')
    for (const name of ['anthropic-ratelimit-unified-5h', 'anthropic-organization-id', 'cf-ray', 'via'])
      expect(header(name)).toBeNull()
  })

  it('an error inside the stream stays an event', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    bench.anthropic.play([{ say: 'Once' }, { frame: error, event: 'error' }])
    const { said } = await send(bench, cc.turn(claude))
    expect(said).toContain('event: error')
    expect(said).toContain('"overloaded_error"')
    expect(said).not.toContain('message_stop')
  })

  it('a right that the account lacks is no fault of the client: 502, and no retry', async () => {
    bench.anthropic.play([{ status: 403, body: refusal('permission_error', 'not for this workspace') }])
    const { status, json, header } = await send(bench, cc.turn(claude))
    expect([status, json.error.type, header('x-should-retry')]).toEqual([502, 'api_error', 'false'])
    expect(json.error.message).toContain('may not do this')
  })
})

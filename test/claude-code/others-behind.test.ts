// Claude Code with other services behind: what the contract asks a gateway to translate, to leave out, or to refuse in words on which
// the client does without. One row for each rule, on every kind of service.

import { describe, expect, it } from 'vitest'
import { type Other, others, requestsTo, send, toldTo, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()
const told = (other: Other) => toldTo(bench, other)
// biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
const sent = (): any => bench.openai.requests.findLast(({ method }) => method === 'POST')?.body

describe.each(Object.entries(others) as [Other, string][])('on %s', (other, model) => {
  const ask = async (more: Record<string, unknown> = {}) => {
    const answer = await send(bench, cc.turn(model, more))
    expect([answer.status, answer.status === 200 ? '' : answer.said]).toEqual([200, ''])
    return answer
  }

  it.each([true, false])('the first turn is answered, streamed: %s', async (stream) => {
    const { said, notes } = await ask({ stream })
    expect(said).toContain('"stop_reason":"end_turn"')
    expect(notes).not.toMatch(/context_management|DeferredToolPlaceholder|tool type custom/)
  })

  it('the attribution block is not part of the prompt', async () => {
    await ask()
    expect(told(other)).not.toContain('x-anthropic-billing-header')
    expect(told(other)).toContain('You are a coding agent.')
  })

  it('only the line of the attribution is left out of a block with more', async () => {
    await ask({ system: [cc.text(`${cc.attribution}\nKeep this.`)] })
    expect(told(other)).not.toContain('x-anthropic-billing-header')
    expect(told(other)).toContain('Keep this.')
  })

  it('a system message inside the conversation keeps its place, behind the words of the user', async () => {
    await ask({
      messages: [...cc.opening('first words'), cc.assistant([cc.text('Hi.')]), cc.user('last words')],
    })
    const all = told(other)
    expect(all).toContain('Working directory: /srv/work')
    const places = ['first words', 'Working directory', 'last words'].map((words) => all.indexOf(words))
    expect(places).toEqual([...places].sort((one, two) => one - two))
  })

  it.each([
    ['by reference', { type: 'tool_reference', name: cc.weather.name }, [...cc.tools, cc.weather]],
    [
      'by value',
      { type: 'tool_definition', definition: { ...cc.weather, defer_loading: undefined } },
      cc.tools,
    ],
  ])('a tool that comes late, %s, is offered, and its neighbours are read', async (_, tool, tools) => {
    const words = cc.text('A server connected.')
    const late = cc.system([words, { type: 'tool_addition', tool }])
    await ask({
      tools,
      messages: [...cc.opening('hello'), cc.assistant([cc.text('Hi.')]), cc.user('more'), late],
    })
    expect(told(other)).toContain('A server connected.')
    expect(told(other)).toContain('mcp__weather__forecast')
    expect(told(other)).toContain('city')
    expect(told(other)).toMatch(/mcp__weather__forecast\\+" can be called now/)
  })

  it.each(cc.switches)('a turn with %s is answered', async (name, more) => {
    const { said, notes } = await ask(more)
    expect(said).toContain('"stop_reason":"end_turn"')
    if (name.startsWith('ENABLE_TOOL_SEARCH')) expect(told(other)).toContain('tool_20')
    expect(notes).not.toMatch(/tool type custom|placeholder/i)
  })

  it('a tool that goes stays declared, and the model is told', async () => {
    const gone = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'Bash' } }
    await ask({
      messages: [...cc.opening('hello'), cc.assistant([cc.text('Hi.')]), cc.user('more'), cc.system([gone])],
    })
    expect(told(other)).toMatch(/Bash\\+" cannot be called any more/)
  })

  it('a change of tools in a form of tomorrow is no error', async () => {
    const novel = { type: 'tool_addition', tool: { type: 'tool_novelty', definition: { name: 7 } } }
    await ask({
      messages: [...cc.opening('hello'), cc.assistant([cc.text('Hi.')]), cc.user('more'), cc.system([novel])],
    })
  })

  it('a search for tools: the reference is text, the tool is offered, the placeholder is not', async () => {
    const call = { type: 'tool_use', id: 'toolu_1', name: 'ToolSearch', input: { query: 'weather' } }
    const found = [{ type: 'tool_reference', tool_name: cc.weather.name }]
    const result = { type: 'tool_result', tool_use_id: 'toolu_1', content: found }
    await ask({
      tools: [...cc.tools, cc.weather],
      messages: [
        ...cc.opening('the weather?'),
        cc.assistant([call]),
        cc.user([result, cc.text('Tool loaded.')]),
      ],
    })
    expect(told(other)).toContain('mcp__weather__forecast')
    expect(told(other)).not.toContain('DeferredToolPlaceholder')
  })

  it.each([true, false])('web search alone is refused, streamed: %s', async (stream) => {
    const answer = await send(bench, { ...cc.webSearch(model), stream })
    expect(answer.status).toBe(400)
    expect(answer.json.error).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringMatching(/web search is not available/i),
    })
    expect(answer.header('x-should-retry')).toBe('false')
  })

  it.each(['web_fetch_20260309', 'code_execution_20260120', 'advisor_20260301'])(
    '%s alone is refused',
    async (type) => {
      const { status, json } = await send(bench, cc.turn(model, { tools: [{ type, name: 'it' }] }))
      expect([status, json.error.message]).toEqual([400, expect.stringMatching(/not available/)])
    },
  )

  it('web search beside other tools is left out, with a note', async () => {
    const { notes } = await ask({ tools: [...cc.tools, { type: 'web_search_20250305', name: 'web_search' }] })
    expect(notes).toContain('web_search_20250305')
  })

  it.each([
    ['safeguards', [{ type: 'dangerous_tool_use', classifier_context: {} }], undefined],
    ['thread', { type: 'create' }, 'thread_unsupported_request'],
    ['compaction', { type: 'summarize' }, 'compaction_unavailable'],
  ])('%s is refused by its name', async (field, value, code) => {
    const { status, json, header } = await send(bench, cc.turn(model, { [field]: value }))
    expect(status).toBe(400)
    expect(json.error).toMatchObject({
      type: 'invalid_request_error',
      message: expect.stringContaining(field),
      ...(code ? { details: { error_code: code } } : {}),
    })
    expect(header('x-should-retry')).toBe('false')
    expect(told(other)).toBe('')
  })

  it.each([
    ['speed', 'fast'],
    ['fallbacks', 'default'],
    ['fallback_credit_token', 'x'],
    ['tags', ['x']],
  ])('%s is left out, with a note', async (field, value) => {
    const { notes } = await ask({ [field]: value })
    expect(notes).toContain(field)
    expect(told(other)).not.toContain(`"${field}"`)
  })

  it.each([
    [{ edits: [{ type: 'clear_thinking_20251015', keep: { type: 'all' } }] }, false],
    [{ edits: [{ type: 'clear_tool_uses_20250919' }] }, true],
  ])('%j is left out; with a note: %s', async (context_management, isNoted) => {
    const { notes } = await ask({ context_management })
    expect(notes.includes('context_management')).toBe(isNoted)
  })

  it('thinking without text, redacted and unknown blocks in the history are no error', async () => {
    const earlier = [
      { type: 'thinking', thinking: '', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'xx' },
      cc.text('Hi.'),
      { type: 'hologram', shards: [1] },
    ]
    await ask({ messages: [...cc.opening('hello'), cc.assistant(earlier), cc.user('more')] })
    expect(told(other)).not.toMatch(/hologram|redacted_thinking/)
  })

  it('24 counts at once are estimates, or the count of a service that has one', async () => {
    const path = '/v1/messages/count_tokens?beta=true'
    const bodies = Array.from({ length: 24 }, (_, at) => ({
      model,
      messages: [cc.user('x'.repeat(40 * at + 4))],
    }))
    const answers = await Promise.all(bodies.map((body) => send(bench, body, { path })))
    const counts = answers.map(({ json }) => json.input_tokens)
    expect(counts).toEqual([...counts].sort((one, two) => one - two))
    expect(counts[23]).toBeGreaterThan(counts[0])
    expect(answers[0]?.notes.includes('estimate')).toBe(other !== 'gemini')
  })

  it('no header of the client reaches the service', async () => {
    await send(bench, cc.turn(model), { more: cc.aboutClient })
    const requests = requestsTo(bench, other)
    expect(requests.length).toBeGreaterThan(0)
    for (const { headers } of requests)
      expect(
        Object.entries(headers).filter(([name, value]) =>
          /anthropic|claude|x-app|stainless/.test(`${name}: ${value}`),
        ),
      ).toEqual([])
  })
})

describe('efforts', () => {
  const effortOf = async (model: string, more: Record<string, unknown>) => {
    expect((await send(bench, cc.turn(model, more))).status).toBe(200)
    return model.startsWith('responses/') ? sent().reasoning?.effort : sent().reasoning_effort
  }

  it.each([others.openai, others.responses])(
    '%s: the last effort of the conversation wins',
    async (model) => {
      const messages = [
        ...cc.opening('hello'),
        cc.assistant([cc.text('Hi.')]),
        cc.user('more'),
        cc.system([], { output_config: { effort: 'low' } }),
      ]
      expect(await effortOf(model, { messages, output_config: { effort: 'high' } })).toBe('low')
      expect(
        await effortOf(model, { messages: messages.slice(0, -1), output_config: { effort: 'high' } }),
      ).toBe('medium')
      expect(await effortOf(model, { messages: [cc.user('x')], output_config: { effort: 'high' } })).toBe(
        'high',
      )
      expect(JSON.stringify(sent().messages ?? sent().input)).not.toContain('output_config')
    },
  )

  it.each(['openai/gpt-5.1', 'responses/gpt-5.1'])(
    '%s: a level that it does not have is the next lower one',
    async (model) => {
      expect(await effortOf(model, { messages: [cc.user('x')], output_config: { effort: 'max' } })).toBe(
        'high',
      )
    },
  )
})

// T45 to T49: what Anthropic's models and servers of its dialect refuse, in a conversation of several turns.
// docs/wire-cases.md explains it; test/end-to-end/preserved-thinking.test.ts has every model.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DOCUMENTED } from '../../sim/anthropic/models.ts'
import { CONTROLS_BETA } from '../../sim/anthropic/preserved-thinking.ts'
import type { AnthropicSimOptions } from '../../sim/anthropic.ts'
import type { Sim } from '../../sim/server.ts'
import { fourTurns } from '../four-turns.ts'
import {
  answered,
  ask,
  type Body,
  called,
  chat,
  chatStream,
  claudeHere,
  isOnCloud,
  readTool,
  startClaude,
  startGateway,
  user,
} from '../harness.ts'

interface Place {
  sim: Sim
  url: string
}

/** A gateway before a service with these manners. */
function usePlace(options: AnthropicSimOptions = {}): Place {
  const place = {} as Place
  let gateway: { close(): Promise<void> }
  beforeAll(async () => {
    place.sim = await startClaude(options)
    const backends = { claude: claudeHere(place.sim.url) }
    const started = await startGateway({ backends })
    gateway = started.gateway
    place.url = started.url
  })
  afterAll(async () => {
    await gateway.close()
    await place.sim.close()
  })
  return place
}

// biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
const sent = ({ sim }: Place, at = -1): any => sim.requests.at(at)?.body
const plain = usePlace()
const compatible = usePlace({ isCompatible: true })

/** Clouds have no controls of kept thinking, no descriptions of models, no versions, and Claude alone. Their own ways: end-to-end/clouds.test.ts. */
const notOnClouds = describe.skipIf(isOnCloud)
const itNotOnClouds = it.skipIf(isOnCloud)

async function messages(path: string, body: Body, headers: Record<string, string> = {}, url = plain.url) {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

describe.each([true, false])('T45: the conversation before thinking changes (stream: %s)', (stream) => {
  const model = 'claude/claude-fable-5-2'
  const url = () => plain.url

  it('costs the thinking, not the conversation', async () => {
    const { sim } = plain
    const change = (body: Body & { messages: Body[] }, turn: number) =>
      turn < 2
        ? body
        : { ...body, messages: [{ role: 'system', content: 'New.' }, ...body.messages.slice(1)] }
    const turns = await fourTurns({ model, stream, sim, url, change })
    expect(turns.statuses).toEqual([200, 200, 200, 200])
    // What was thought since stays.
    expect(turns.replayed).toEqual([0, 1, 0, 1])
    expect(turns.notes).toContain('earlier thinking was left out')
  })

  it('text that belongs to one request only is at its end', async () => {
    const { sim } = plain
    const change = (body: Body, turn: number) => (turn === 2 ? { ...body, tool_choice: 'required' } : body)
    const turns = await fourTurns({ model, stream, sim, url, change })
    expect(turns.statuses).toEqual([200, 200, 200, 200])
    expect(turns.replayed).toEqual([0, 1, 2, 2])
    expect(sent(plain, 2).system).toEqual(sent(plain, 3).system)
    expect(sent(plain, 2).messages.at(-1)).toMatchObject({ role: 'system' })
  })

  itNotOnClouds(
    'thinking that a client carries is left out by the service, and then by the gateway',
    async () => {
      const { sim } = plain
      sim.clear()
      const id = `toolu_carried_${stream}`
      sim.play([{ think: `hm ${stream}` }, { call: { name: 'read', arguments: { path: 'a' }, id } }])
      const tools = [{ type: 'function', ...readTool.function }]
      const respond = (input: unknown[], instructions: string) =>
        messages('/v1/responses', {
          model,
          instructions,
          input,
          tools,
          store: false,
          include: ['reasoning.encrypted_content'],
        })
      const first = await respond([user('go')], 'one')
      const { output } = JSON.parse(first.text) as { output: Body[] }
      // With another call id the gateway does not recognize the turn: only the client has the thinking.
      const renamed = output.map((item) =>
        item.type === 'function_call' ? { ...item, call_id: `${id}x` } : item,
      )
      const input = [user('go'), ...renamed, { type: 'function_call_output', call_id: `${id}x`, output: 'A' }]
      const second = await respond(input, 'two')
      expect([second.status, second.headers.get('x-dragoman-notes')]).toEqual([
        200,
        expect.stringContaining('the upstream left out earlier thinking'),
      ])
      const third = await respond(input, 'two')
      expect(third.status).toBe(200)
      const thinking = sim.requests.map(({ bodyText }) => bodyText.includes('"type":"thinking"'))
      expect(thinking).toEqual([false, true, false])
    },
  )
})

notOnClouds('T45: on a service without the controls', () => {
  const old = usePlace({ refusedBetas: [CONTROLS_BETA] })

  it('a refused part is dropped, and the request retried once', async () => {
    const tools = [{ type: 'function', ...readTool.function }]
    const respond = (input: unknown[], instructions: string) =>
      fetch(`${old.url}/v1/responses`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          model: 'claude/claude-fable-5-2',
          instructions,
          input,
          tools,
          store: false,
          include: ['reasoning.encrypted_content'],
        }),
      })
    old.sim.play([{ think: 'hm' }, { call: { name: 'read', arguments: { path: 'a' }, id: 'toolu_1' } }])
    const { output } = (await (await respond([user('go')], 'one')).json()) as { output: Body[] }
    const renamed = output.map((item) =>
      item.type === 'function_call' ? { ...item, call_id: 'toolu_2' } : item,
    )
    const input = [user('go'), ...renamed, { type: 'function_call_output', call_id: 'toolu_2', output: 'A' }]
    expect((await respond(input, 'two')).status).toBe(200)
    expect(old.sim.requests.map(({ status }) => status)).toEqual([400, 200, 400, 200])
  })
})

describe('T46: what each model takes', () => {
  it.each(DOCUMENTED)('%s: every effort, a forced call, sampling, a long answer', async (name) => {
    for (const reasoning_effort of ['none', 'low', 'xhigh', 'max', undefined]) {
      const body = ask(`claude/${name}`, {
        reasoning_effort,
        temperature: 0.3,
        top_p: 0.9,
        max_tokens: 300_000,
        tool_choice: 'required',
        messages: [
          user('a'),
          { role: 'assistant', content: 'b' },
          user('c'),
          { role: 'system', content: 'd' },
        ],
      })
      const answer = await chat(plain.url, body)
      expect([answer.status, answer.json.error]).toEqual([200, undefined])
    }
  })

  itNotOnClouds.each(['claude-opus-6', 'claude-nova-1'])(
    '%s, which is in no table, gets a Messages body unchanged',
    async (name) => {
      const body = {
        model: `claude/${name}`,
        max_tokens: 300_000,
        temperature: 0.3,
        thinking: { type: 'enabled', budget_tokens: 2_000 },
        output_config: { effort: 'xhigh' },
        tools: [{ name: 'read', input_schema: { type: 'object' } }],
        messages: [user('go'), { role: 'system', content: 'now' }],
      }
      await messages('/v1/messages', body)
      expect(sent(plain)).toEqual({ ...body, model: name })
    },
  )
})

notOnClouds("T46: the service's own description of its models", () => {
  const telling = usePlace({ models: ['claude-nova-1'] })
  const silent = usePlace({ models: ['claude-nova-1'], tellsCapabilities: false })

  it('takes precedence over the table, which is for services without one', async () => {
    for (const place of [telling, silent]) {
      await (await fetch(`${place.url}/v1/models`)).text()
      const body = ask('claude/claude-nova-1', { reasoning_effort: 'none' })
      expect((await chat(place.url, body)).status).toBe(200)
    }
    expect(sent(telling).thinking).toEqual({ type: 'between_tools' })
    expect(sent(silent)).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'low' } })
  })
})

describe("T46: unknown restrictions are learned from the service's error messages", () => {
  it.each([{ output_config: { effort: 'ultra' } }, { thinking: { type: 'deep' } }])(
    'Messages: %j',
    async (more) => {
      const body = { model: 'claude/claude-opus-5-5', max_tokens: 4_000, messages: [user('go')], ...more }
      const { status, text } = await messages('/v1/messages', body)
      expect([status, text]).toEqual([
        400,
        expect.stringMatching(/Input should be 'low'|Input tag 'deep' found/),
      ])
      expect(sent(plain)).toMatchObject(more)
    },
  )

  it('Chat: an effort', async () => {
    const { status, json } = await chat(
      plain.url,
      ask('claude/claude-opus-5-5', { reasoning_effort: 'ultra' }),
    )
    expect([status, json.error.message]).toEqual([400, expect.stringContaining("Input should be 'low'")])
    expect(sent(plain).output_config).toEqual({ effort: 'ultra' })
  })
})

describe.each([true, false])('T47: a model that thinks unasked (stream: %s)', (stream) => {
  const send = async (more: Body) => {
    const body = ask('claude/claude-opus-5-5', more)
    if (!stream) {
      const { json, headers } = await chat(plain.url, body)
      const { message } = json.choices[0]
      return {
        text: message.content,
        reasoning: message.reasoning_content,
        notes: headers.get('x-dragoman-notes'),
      }
    }
    const { text, reasoning, headers } = await chatStream(plain.url, body)
    return { text, reasoning, notes: headers.get('x-dragoman-notes') }
  }

  it('is heard between its calls', async () => {
    plain.sim.play([{ think: 'Reading a first.' }, { say: 'x' }])
    expect((await send({})).reasoning).toBe('Reading a first.')
  })

  it('answers within a small limit', async () => {
    const { text, notes } = await send({ max_tokens: 16 })
    expect(text).toContain('Hello!')
    expect(notes).toContain('max_tokens was raised from 16 to 1040')
  })
})

notOnClouds.each([true, false])(
  'T48: a server that thinks unasked, and signs nothing (stream: %s)',
  (stream) => {
    it('gets its thinking back with the results', async () => {
      const { sim } = compatible
      const turns = await fourTurns({ model: 'claude/kimi-k3', stream, sim, url: () => compatible.url })
      expect(turns.statuses).toEqual([200, 200, 200, 200])
      expect(turns.replayed).toEqual([0, 1, 2, 3])
      expect(sent(compatible).messages[1].content[0]).toEqual({ type: 'thinking', thinking: 'thought 0' })
    })

    it('gets no thinking that it does not know', async () => {
      compatible.sim.clear()
      const body = ask('claude/kimi-k3', {
        messages: [
          user('go'),
          { role: 'assistant', content: null, tool_calls: [called('other', 'read', { path: 'a' })] },
          answered('other', 'A'),
        ],
      })
      const answer = stream ? await chatStream(compatible.url, body) : await chat(compatible.url, body)
      expect(answer.status).toBe(400)
      expect(sent(compatible).messages[1].content).toHaveLength(1)
    })
  },
)

notOnClouds.each([true, false])('T48: the same at the other doors (stream: %s)', (stream) => {
  const call = (id: string) => [
    { think: `Reading with ${id}.` },
    { call: { name: 'read', arguments: { path: 'a' }, id } },
  ]
  const thinkingOf = () => sent(compatible).messages[1].content[0]

  it('Responses', async () => {
    const id = `toolu_r_${stream}`
    compatible.sim.play(call(id))
    const ask = async (input: unknown[]) => {
      const tools = [{ type: 'function', ...readTool.function }]
      const body = { model: 'claude/glm-5', input, tools, stream, store: false }
      const answer = await messages('/v1/responses', body, {}, compatible.url)
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, ''])
    }
    await ask([user('go')])
    const called = { type: 'function_call', call_id: id, name: 'read', arguments: '{"path":"a"}' }
    await ask([user('go'), called, { type: 'function_call_output', call_id: id, output: 'A' }])
    expect(thinkingOf()).toEqual({ type: 'thinking', thinking: `Reading with ${id}.` })
  })

  it('Messages', async () => {
    const id = `toolu_m_${stream}`
    compatible.sim.play(call(id))
    const ask = async (conversation: unknown[]) => {
      const tools = [{ name: 'read', input_schema: { type: 'object' } }]
      const body = { model: 'claude/glm-5', max_tokens: 4_000, messages: conversation, tools, stream }
      const answer = await messages('/v1/messages', body, {}, compatible.url)
      expect([answer.status, answer.status === 200 ? '' : answer.text]).toEqual([200, ''])
      return contentOf(answer.text, stream)
    }
    const content = await ask([user('go')])
    const results = user([{ type: 'tool_result', tool_use_id: id, content: 'A' }])
    await ask([user('go'), { role: 'assistant', content }, results])
    expect(thinkingOf()).toMatchObject({ type: 'thinking', thinking: `Reading with ${id}.` })
  })
})

/** The blocks of an answer, as a client puts them together. */
function contentOf(text: string, stream: boolean): Body[] {
  if (!stream) return (JSON.parse(text) as { content: Body[] }).content
  const blocks: Body[] = []
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: ')) continue
    const { type, content_block: block, delta } = JSON.parse(line.slice(6))
    const last = blocks.at(-1) ?? {}
    if (type === 'content_block_start') blocks.push(block)
    if (type !== 'content_block_delta') continue
    if (delta.type === 'thinking_delta') last.thinking = `${last.thinking}${delta.thinking}`
    if (delta.type === 'signature_delta') last.signature = delta.signature
    if (delta.type === 'input_json_delta') last.json = `${last.json ?? ''}${delta.partial_json}`
  }
  return blocks.map(({ json, ...block }) => (json ? { ...block, input: JSON.parse(String(json)) } : block))
}

describe("T49: a Messages client's own words", () => {
  const base = { model: 'claude/claude-fable-5-2', max_tokens: 4_000, messages: [user('go')] }

  itNotOnClouds('the version is forwarded, and the fields it forbids are dropped', async () => {
    const at = { 'anthropic-version': '2026-10-21' }
    expect((await messages('/v1/messages', base, at)).status).toBe(200)
    expect(plain.sim.requests.at(-1)?.headers['anthropic-version']).toBe('2026-10-21')
    const old = { ...base, model: 'claude/claude-sonnet-4-5', temperature: 0.5 }
    expect((await messages('/v1/messages', old, at)).status).toBe(200)
    expect(sent(plain).temperature).toBeUndefined()
    await messages('/v1/messages', old)
    expect([sent(plain).temperature, plain.sim.requests.at(-1)?.headers['anthropic-version']]).toEqual([
      0.5,
      '2023-06-01',
    ])
    await messages('/v1/messages', old, { 'anthropic-version': 'newest' })
    expect(plain.sim.requests.at(-1)?.headers['anthropic-version']).toBe('2023-06-01')
  })

  it('max_tokens 0 warms the cache', async () => {
    const { status, text } = await messages('/v1/messages', { ...base, max_tokens: 0 })
    expect([status, JSON.parse(text)]).toMatchObject([200, { content: [], stop_reason: 'max_tokens' }])
  })

  itNotOnClouds('output_config counts', async () => {
    const { max_tokens: _, ...counted } = base
    const output_config = { effort: 'low' }
    const { status } = await messages('/v1/messages/count_tokens', { ...counted, output_config })
    expect([status, sent(plain).output_config]).toEqual([200, output_config])
  })

  itNotOnClouds('block_binding is forwarded with its beta, and nothing is added or hidden', async () => {
    plain.sim.play([{ think: 'hm' }, { say: 'yes' }])
    const first = JSON.parse((await messages('/v1/messages', base)).text) as { content: unknown }
    const longer = {
      ...base,
      system: 'new',
      messages: [...base.messages, { role: 'assistant', content: first.content }, user('more')],
    }
    const refused = await messages('/v1/messages', longer)
    expect(refused.status).toBe(400)
    expect(refused.text).toContain('The block is bound to a different conversation')
    expect(plain.sim.requests.at(-1)?.headers['anthropic-beta']).toBeUndefined()
    const thinking = { type: 'adaptive', block_binding: { prefix_mismatch_behavior: 'drop_block' } }
    const dropped = await messages(
      '/v1/messages',
      { ...longer, thinking },
      { 'anthropic-beta': CONTROLS_BETA },
    )
    expect([dropped.status, sent(plain).thinking]).toEqual([200, thinking])
  })
})

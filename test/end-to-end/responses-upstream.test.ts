// The Responses API as an upstream, from every door: which API a request takes, and reasoning that goes back with its calls.

import { afterEach, describe, expect, it } from 'vitest'
import type { RecordedRequest } from '../../sim/recording.ts'
import type { Step } from '../../sim/script.ts'
import { addresses, useServers } from '../server-bench.ts'

const bench = useServers({
  openai: { server: 'openai', baseUrl: addresses.openai },
  // OpenAI's models behind an address that nothing is known of.
  proxy: { server: 'openai', baseUrl: 'http://box.example:9000/v1' },
  // Called like OpenAI's host, and without the path.
  old: { server: 'vllm', baseUrl: 'http://eu.api.openai.com/v1' },
  fixed: { server: 'openai', baseUrl: 'http://box.example:9001/v1', settings: { api: 'responses' } },
})
afterEach(() => {
  for (const sim of Object.values(bench.sims)) sim.clear()
})

// biome-ignore lint/suspicious/noExplicitAny: bodies are looked into
type Json = any

const schema = { type: 'object', properties: { path: { type: 'string' } } }
const steps = 20
const model = 'openai/gpt-5.6-sol'

async function post(path: string, body: Json): Promise<{ json: Json; notes: string }> {
  const answer = await fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, ''])
  return { json: JSON.parse(text), notes: answer.headers.get('x-dragoman-notes') ?? '' }
}

/** One client: its history, and the id of the call in each answer. */
interface Client {
  ask(history: Json[]): Promise<string | undefined>
}

const chatTool = { type: 'function', function: { name: 'read', parameters: schema } }

const chatClient: Client = {
  async ask(history) {
    if (history.length === 0) history.push({ role: 'user', content: 'go' })
    const body = { model, messages: history, tools: [chatTool], reasoning_effort: 'high' }
    const { json } = await post('/v1/chat/completions', body)
    const { message } = json.choices[0]
    // Most clients drop the reasoning.
    const { reasoning_content: _, ...sent } = message
    history.push(sent)
    const id = message.tool_calls?.[0].id
    if (id) history.push({ role: 'tool', tool_call_id: id, content: 'ok' })
    return id
  },
}

const responsesClient = (include: string[], keeps = (_item: Json) => true): Client => ({
  async ask(history) {
    if (history.length === 0) history.push({ role: 'user', content: 'go' })
    const { json } = await post('/v1/responses', {
      model,
      input: history,
      store: false,
      include,
      reasoning: { effort: 'high' },
      tools: [{ type: 'function', name: 'read', parameters: schema }],
    })
    history.push(...json.output.filter(keeps))
    const id = json.output.find(({ type }: Json) => type === 'function_call')?.call_id
    if (id) history.push({ type: 'function_call_output', call_id: id, output: 'ok' })
    return id
  },
})

const messagesClient = (keeps: (block: Json) => boolean): Client => ({
  async ask(history) {
    if (history.length === 0) history.push({ role: 'user', content: 'go' })
    const { json } = await post('/v1/messages', {
      model,
      max_tokens: 4_000,
      messages: history,
      output_config: { effort: 'high' },
      thinking: { type: 'adaptive' },
      tools: [{ name: 'read', input_schema: schema }],
    })
    history.push({ role: 'assistant', content: json.content.filter(keeps) })
    const id = json.content.find(({ type }: Json) => type === 'tool_use')?.id
    if (id) history.push({ role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] })
    return id
  },
})

const clients: Record<string, Client> = {
  Chat: chatClient,
  'Responses, carried by the client': responsesClient(['reasoning.encrypted_content']),
  'Responses, asked for by the gateway': responsesClient([]),
  'Responses, kept by the gateway': responsesClient([], ({ type }) => type !== 'reasoning'),
  'Messages, carried by the client': messagesClient(() => true),
  'Messages, kept by the gateway': messagesClient(({ type }) => !/thinking/.test(type)),
}

const bodyOf = ({ body }: RecordedRequest) => body as Json

describe.each(Object.entries(clients))('a loop of 20 calls by %s', (name, client) => {
  it("every call's reasoning goes back right before it, and none twice; the effort arrives", async () => {
    const run = name.replaceAll(/\W/g, '')
    const turns = Array.from({ length: steps }, (_, at): Step[] => [
      { think: `${run} ${at}` },
      ...(at % 3 === 0 ? [{ say: 'Next.' }] : []),
      { call: { name: 'read', arguments: { path: `${at}` }, id: `call_${run}_${at}` } },
    ])
    bench.sims.openai?.play(...turns, [{ say: 'done' }])
    const history: Json[] = []
    for (let at = 0; at < steps; at++) expect(await client.ask(history)).toContain(`${at}`)
    expect(await client.ask(history)).toBeUndefined()
    const sent = bench.sims.openai?.requests ?? []
    expect(sent.map(({ path, status }) => [path, status])).toEqual(sent.map(() => ['/v1/responses', 200]))
    for (const [at, request] of sent.entries()) {
      const { input, reasoning, store } = bodyOf(request)
      expect([reasoning.effort, store]).toEqual(['high', false])
      const sealed = input.flatMap(({ encrypted_content: content }: Json) => content ?? [])
      expect([sealed.length, new Set(sealed).size]).toEqual([at, at])
      const answers = input.filter(
        ({ type, role }: Json) => type !== 'function_call_output' && role !== 'user',
      )
      const wanted = Array.from({ length: at }, (_, place) =>
        place % 3 === 0 ? ['reasoning', 'message', 'function_call'] : ['reasoning', 'function_call'],
      )
      expect(answers.map(({ type }: Json) => type)).toEqual(wanted.flat())
    }
  })
})

const chatBody = (name: string, more: Json = {}) => ({
  model: name,
  messages: [{ role: 'user', content: 'hello' }],
  tools: [chatTool],
  ...more,
})
const paths = (name: string) => bench.sims[name]?.requests.map(({ path, status }) => `${path} ${status}`)

describe('stop sequences, which the API does not have', () => {
  it.each([true, false])('end the text, with no note (stream: %s)', async (stream) => {
    bench.sims.openai?.play([{ say: 'one two STOP three' }])
    const body = { ...chatBody('openai/gpt-5.6-sol'), stop: ['STOP'], stream }
    const answer = await fetch(`${bench.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(answer.headers.get('x-dragoman-notes') ?? '').not.toContain('stop')
    const text = await answer.text()
    const said = [...text.matchAll(/"content":"([^"]*)"/g)].map(([, piece]) => piece).join('')
    expect(said).toBe('one two ')
    expect(text).toContain('"finish_reason":"stop"')
    expect(paths('openai')).toEqual(['/v1/responses 200'])
  })
})

describe('the API', () => {
  it('is Chat for older models, and for Chat requests without tools', async () => {
    await post('/v1/chat/completions', chatBody('openai/gpt-5.2', { reasoning_effort: 'high' }))
    await post('/v1/chat/completions', { ...chatBody('openai/gpt-5.6-sol'), tools: undefined })
    expect(paths('openai')).toEqual(['/v1/chat/completions 200', '/v1/chat/completions 200'])
  })

  it.each(['gpt-5.4', 'gpt-5.6-terra', 'gpt-6-astra', 'gpt-6.1-sol', 'gpt-5-pro', 'gpt-5-codex'])(
    'is Responses for %s',
    async (name) => {
      await post('/v1/chat/completions', chatBody(`openai/${name}`))
      expect(paths('openai')).toEqual(['/v1/responses 200'])
    },
  )

  it.each(['gpt-5.6-luna', 'gpt-5-pro'])('is found by the refusal of %s, once', async (name) => {
    const body = chatBody(`proxy/${name}`, { reasoning_effort: 'high' })
    const { notes } = await post('/v1/chat/completions', body)
    expect(notes).not.toContain('without reasoning')
    await post('/v1/chat/completions', body)
    expect(paths('proxy')?.map((path) => path.split(' ')[0])).toEqual([
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/responses',
    ])
    expect(bodyOf(bench.sims.proxy?.requests[2] as RecordedRequest).reasoning.effort).toBe('high')
  })

  it('is Chat from then on if the path does not exist', async () => {
    for (let time = 0; time < 2; time++)
      await post('/v1/messages', { ...chatBody('old/gpt-5.6-sol'), max_tokens: 50, tools: [] })
    expect(paths('old')).toEqual([
      '/v1/responses 404',
      '/v1/chat/completions 200',
      '/v1/chat/completions 200',
    ])
  })

  it('is what the configuration says', async () => {
    await post('/v1/chat/completions', chatBody('fixed/gpt-4o'))
    expect(paths('fixed')).toEqual(['/v1/responses 200'])
  })
})

describe('reasoning that the service cannot read', () => {
  it('is left out once and for all', async () => {
    const { openai } = bench.sims
    const error = {
      message: 'The encrypted content gAAA...== could not be verified.',
      code: 'invalid_encrypted_content',
    }
    openai?.play(
      [{ think: 'a' }, { call: { name: 'read', arguments: {}, id: 'call_lost' } }],
      [{ status: 400, body: { error: { type: 'invalid_request_error', param: null, ...error } } }],
      [{ say: 'so' }],
      [{ say: 'again' }],
    )
    const history: Json[] = []
    await chatClient.ask(history)
    await chatClient.ask(history)
    history.push({ role: 'user', content: 'more' })
    await chatClient.ask(history)
    const sealed = openai?.requests.map(
      (request) => bodyOf(request).input.filter(({ type }: Json) => type === 'reasoning').length,
    )
    expect(sealed).toEqual([0, 1, 0, 0])
  })

  it('of another service is left out', async () => {
    const body = {
      model,
      max_tokens: 50,
      messages: [
        { role: 'user', content: 'go' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'x', signature: 'of-claude' },
            { type: 'text', text: 'y' },
          ],
        },
        { role: 'user', content: 'more' },
      ],
    }
    const { notes } = await post('/v1/messages', body)
    expect(notes).toContain('reasoning of earlier answers was left out')
    expect(bodyOf(bench.sims.openai?.requests[0] as RecordedRequest).input).toHaveLength(3)
  })
})

it('custom tools of a Responses client stay custom', async () => {
  const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
  const body = { model, input: 'go', tools: [{ type: 'custom', name: 'patch', description: 'P', format }] }
  bench.sims.openai?.play([{ call: { name: 'patch', arguments: '*** "Begin"', id: 'call_p' } }])
  const { json, notes } = await post('/v1/responses', body)
  expect(json.output.at(-1)).toMatchObject({ type: 'custom_tool_call', name: 'patch', input: '*** "Begin"' })
  expect(bodyOf(bench.sims.openai?.requests[0] as RecordedRequest).tools).toEqual(body.tools)
  expect(notes).not.toContain('custom')
})

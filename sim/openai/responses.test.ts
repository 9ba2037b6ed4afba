// The Responses API of the OpenAI simulator: its answers with the official client, and what it refuses.

import OpenAI from 'openai'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type OpenAISimOptions, RESPONSES_QUIRKS, type ResponsesQuirk, startOpenAISim } from '../openai.ts'
import type { Sim } from '../server.ts'

let sim: Sim
let client: OpenAI
beforeAll(async () => {
  sim = await startOpenAISim()
  client = new OpenAI({ baseURL: `${sim.url}/v1`, apiKey: 'any', maxRetries: 0 })
})
afterAll(() => sim.close())
beforeEach(() => sim.clear())

type Body = Record<string, unknown>
// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
type Json = any

const model = 'gpt-5.6-sol'
const base = (more: Body = {}): Body => ({ model, input: 'hello', store: false, ...more })

async function ask(body: Body, { url } = sim, key = 'any'): Promise<{ status: number; json: Json }> {
  const answer = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  })
  return { status: answer.status, json: await answer.json() }
}

async function events(body: Body, { url } = sim): Promise<Json[]> {
  const answer = await fetch(`${url}/v1/responses`, {
    method: 'POST',
    body: JSON.stringify({ ...body, stream: true }),
  })
  const text = await answer.text()
  return text
    .split('\n')
    .filter((line) => line.startsWith('data: ') && !line.includes('[DONE]'))
    .map((line) => JSON.parse(line.slice('data: '.length)))
}

const read = {
  type: 'function',
  name: 'read',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  strict: false,
}
const STEPS = [
  { think: 'Two files.' },
  { say: 'Reading two files.', pieces: 3 },
  { call: { name: 'read', arguments: { path: 'a' }, id: 'call_1' }, pieces: 3 },
  { call: { name: 'now', arguments: {}, id: 'call_2' } },
]

describe('answers', () => {
  it('are the same whole and streamed, for the official client', async () => {
    sim.play(STEPS, STEPS)
    const whole = await client.responses.create({ model, input: 'hi', reasoning: { summary: 'auto' } })
    const streamed = await client.responses
      .stream({ model, input: 'hi', reasoning: { summary: 'auto' } })
      .finalResponse()
    const plain = (items: OpenAI.Responses.ResponseOutputItem[]) =>
      items.map((item) => {
        const { id: _, parsed_arguments: __, ...rest } = item as Json
        return { ...rest, content: undefined }
      })
    expect(plain(streamed.output)).toEqual(plain(whole.output))
    expect(whole.output.map(({ type }) => type)).toEqual([
      'reasoning',
      'message',
      'function_call',
      'function_call',
    ])
    expect(streamed.usage).toEqual(whole.usage)
    expect(whole.usage?.output_tokens_details.reasoning_tokens).toBeGreaterThan(0)
    expect(whole.output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: 'Two files.' }] })
  })

  it('have the documented events, numbered from 0, with obfuscation unless it is switched off', async () => {
    sim.play(STEPS, STEPS)
    const all = await events(base())
    expect(all.map(({ type }) => type.replace('response.', ''))).toEqual([
      'created', 'in_progress', 'output_item.added', 'output_item.done', 'output_item.added', 'content_part.added',
      'output_text.delta', 'output_text.delta', 'output_text.delta', 'output_text.done', 'content_part.done',
      'output_item.done', 'output_item.added', 'function_call_arguments.delta', 'function_call_arguments.delta',
      'function_call_arguments.delta', 'function_call_arguments.done', 'output_item.done', 'output_item.added',
      'function_call_arguments.delta', 'function_call_arguments.delta', 'function_call_arguments.done',
      'output_item.done', 'completed',
    ]) // biome-ignore format: a list to be read as one
    expect(all.map(({ sequence_number }) => sequence_number)).toEqual(all.map((_, at) => at))
    expect(all.filter(({ delta }) => delta !== undefined).every(({ obfuscation }) => obfuscation)).toBe(true)
    const plain = await events(base({ stream_options: { include_obfuscation: false } }))
    expect(JSON.stringify(plain)).not.toContain('obfuscation')
  })

  it('are incomplete when cut off, calls too', async () => {
    const steps = [{ call: { name: 'read', arguments: '{"pa' } }, { end: 'length' }]
    sim.play(steps, steps)
    const all = await events(base({ tools: [read] }))
    expect(all.slice(-2)).toMatchObject([
      { type: 'response.output_item.done', item: { status: 'incomplete', arguments: '{"pa' } },
      {
        type: 'response.incomplete',
        response: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
      },
    ])
    expect((await ask(base({ tools: [read] }))).json).toMatchObject({ status: 'incomplete' })
  })

  it('make schemas strict unless told not to', async () => {
    const strict = { ...read.parameters, required: ['path'], additionalProperties: false }
    const tools = [
      { ...read, strict: undefined, name: 'a' },
      { ...read, strict: undefined, name: 'b', parameters: strict },
      { ...read, name: 'c', parameters: strict },
    ]
    const { json } = await ask(base({ tools }))
    expect(json.tools.map((tool: Json) => tool.strict)).toEqual([false, true, false])
  })

  it('call custom tools and tools of a namespace in their own form', async () => {
    const tools = [
      { type: 'custom', name: 'patch' },
      { type: 'namespace', name: 'fs', description: '', tools: [read] },
    ]
    sim.play([
      { call: { name: 'patch', arguments: '*** Begin' } },
      { call: { name: 'read', arguments: { path: 'a' } } },
    ])
    const { json } = await ask(base({ tools }))
    expect(json.output).toMatchObject([
      { type: 'custom_tool_call', name: 'patch', input: '*** Begin' },
      { type: 'function_call', name: 'read', namespace: 'fs', arguments: '{"path":"a"}' },
    ])
  })

  it('of the demo model use the results of calls', async () => {
    const input: Json[] = [{ role: 'user', content: 'Read a.md and b.md' }]
    const first = await ask(base({ input, tools: [read] }))
    const calls = first.json.output.filter(({ type }: Json) => type === 'function_call')
    expect(calls).toHaveLength(2)
    const outputs = calls.map(({ call_id }: Json) => ({
      type: 'function_call_output',
      call_id,
      output: `# ${call_id}`,
    }))
    const last = await ask(base({ input: [...input, ...first.json.output, ...outputs], tools: [read] }))
    expect(last.json.output.at(-1).content[0].text).toBe(
      `a.md begins: # ${calls[0].call_id}\nb.md begins: # ${calls[1].call_id}`,
    )
  })

  it('are stored if the request says so', async () => {
    sim.play([{ call: { name: 'read', arguments: {}, id: 'call_1' } }])
    const first = await ask(base({ store: true, tools: [read] }))
    const output = { type: 'function_call_output', call_id: 'call_1', output: 'x' }
    const next = await ask(base({ store: true, previous_response_id: first.json.id, input: [output] }))
    expect(next.status).toBe(200)
    const item = { type: 'item_reference', id: first.json.output[0].id }
    expect((await ask(base({ store: true, input: [item, output] }))).status).toBe(200)
  })
})

const call = (more: Body = {}) => ({
  type: 'function_call',
  call_id: 'call_1',
  name: 'read',
  arguments: '{}',
  ...more,
})
const output = (more: Body = {}) => ({
  type: 'function_call_output',
  call_id: 'call_1',
  output: 'x',
  ...more,
})
const items = (...input: unknown[]) => base({ input })

interface Expected {
  message: string
  param?: string
  code?: string
  status?: number
}

const REFUSED: Record<string, [Body, Expected]> = {
  'an unknown field': [base({ stop: ['x'] }), { message: "Unknown parameter: 'stop'.", param: 'stop', code: 'unknown_parameter' }],
  'an unknown field of a tool': [
    base({ tools: [{ ...read, function: {} }] }),
    { message: "Unknown parameter: 'tools[0].function'.", code: 'unknown_parameter' },
  ],
  'a call without its output': [items(call()), { message: 'No tool output found for function call call_1.', param: 'input' }],
  'an output without its call': [
    items(output()),
    { message: 'No tool call found for function call output with call_id call_1.', param: 'input' },
  ],
  'an output of the other kind': [
    items(call(), output({ type: 'custom_tool_call_output' })),
    { message: 'No tool call found for custom tool call output with call_id call_1.' },
  ],
  'the id of another kind of item': [
    items(call({ id: 'call_1' }), output()),
    { message: "Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.", param: 'input[0].id' },
  ],
  'a long call id': [
    items(call({ call_id: 'x'.repeat(65) }), output({ call_id: 'x'.repeat(65) })),
    {
      message:
        "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      code: 'string_above_max_length',
    },
  ],
  'input_text of the assistant': [
    items({ role: 'assistant', content: [{ type: 'input_text', text: 'x' }] }),
    {
      message: "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
      param: 'input[0].content[0].type',
    },
  ],
  'reasoning without a summary': [
    items({ type: 'reasoning', encrypted_content: 'x' }),
    { message: "Missing required parameter: 'input[0].summary'.", code: 'missing_required_parameter' },
  ],
  'raw reasoning': [
    items({ type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'x' }] }),
    { message: expect.stringContaining("'input[0].content': array too long"), param: 'input[0].content' },
  ],
  'foreign reasoning': [
    items({ type: 'reasoning', summary: [], encrypted_content: 'gAAAAAforeign' }),
    { message: expect.stringContaining('could not be verified'), code: 'invalid_encrypted_content' },
  ],
  'a reference to an item that is not stored': [
    items({ type: 'item_reference', id: 'rs_1' }),
    {
      status: 404,
      message:
        "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
    },
  ],
  'a response that is not stored': [
    base({ previous_response_id: 'resp_1' }),
    { message: "Previous response with id 'resp_1' not found.", code: 'previous_response_not_found' },
  ],
  'a small limit': [
    base({ max_output_tokens: 15 }),
    {
      message: "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 15 instead.",
      code: 'integer_below_min_value',
    },
  ],
  'a strict tool whose schema is not': [
    base({ tools: [{ ...read, strict: true }] }),
    {
      message:
        "Invalid schema for function 'read': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      code: 'invalid_function_parameters',
    },
  ],
  'a strict tool with an optional argument': [
    base({ tools: [{ ...read, strict: true, parameters: { ...read.parameters, additionalProperties: false } }] }),
    { message: expect.stringContaining("Missing 'path'."), code: 'invalid_function_parameters' },
  ],
  'an unknown effort': [
    base({ reasoning: { effort: 'minimal' } }),
    {
      message:
        "Unsupported value: 'minimal' is not supported with the 'gpt-5.6-sol' model. Supported values are: 'none', 'low', 'medium', 'high', 'xhigh', and 'max'.",
      param: 'reasoning.effort',
      code: 'unsupported_value',
    },
  ],
  'an effort of a model without any': [
    base({ model: 'gpt-4o', reasoning: { effort: 'low' } }),
    { message: "Unsupported parameter: 'reasoning.effort' is not supported with this model." },
  ],
  'a temperature for a model that reasons': [
    base({ temperature: 0.2 }),
    { message: "Unsupported parameter: 'temperature' is not supported with this model.", param: 'temperature' },
  ],
  'a choice without tools': [base({ tool_choice: 'required' }), { message: expect.any(String), param: 'tool_choice' }],
  'json_object without the word': [base({ text: { format: { type: 'json_object' } } }), { message: expect.stringContaining("'json'") }],
} // biome-ignore format: a table to be read as one

describe('refuses', () => {
  it.each(Object.entries(REFUSED))('%s', async (_name, [body, { status = 400, ...expected }]) => {
    const answer = await ask(body)
    expect(answer).toMatchObject({ status, json: { error: { type: 'invalid_request_error', ...expected } } })
  })

  it('a call that is sent with its id and without its reasoning, and the reverse', async () => {
    sim.play([{ think: 'x' }, { call: { name: 'read', arguments: {}, id: 'call_1' } }])
    const { json } = await ask(base({ tools: [read], include: ['reasoning.encrypted_content'] }))
    const [reasoning, made] = json.output
    const alone = await ask(items(made, output()))
    expect(alone.json.error.message).toBe(
      `Item '${made.id}' of type 'function_call' was provided without its required 'reasoning' item: '${reasoning.id}'.`,
    )
    const childless = await ask(items(reasoning, { role: 'user', content: 'x' }))
    expect(childless.json.error.message).toContain('without its required following item')
    expect((await ask(items(reasoning, made, output()))).status).toBe(200)
  })

  it('sealed reasoning that was changed, of another account or of another model', async () => {
    sim.play([{ think: 'x' }, { say: 'y' }])
    const { json } = await ask(base({ include: ['reasoning.encrypted_content'] }))
    const { id: _, ...reasoning } = json.output[0]
    const sealed = reasoning.encrypted_content
    const said = { role: 'assistant', content: 'y' }
    const changed = {
      ...reasoning,
      encrypted_content: `${sealed.slice(0, -1)}${sealed.endsWith('A') ? 'B' : 'A'}`,
    }
    const answers = await Promise.all([
      ask(items(reasoning, said)),
      ask(items(changed, said)),
      ask(items(reasoning, said), sim, 'another'),
      ask({ ...items(reasoning, said), model: 'gpt-6-sol' }),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 400, 400, 400])
  })

  it('models without Chat, on Chat', async () => {
    const answer = await fetch(`${sim.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'gpt-5-pro', messages: [{ role: 'user', content: 'x' }] }),
    })
    expect(answer.status).toBe(404)
    expect(((await answer.json()) as Json).error.message).toContain('only supported in v1/responses')
  })

  it('the path, where a server does not have it', async () => {
    const other = await startOpenAISim({ server: 'vllm' })
    expect((await ask(base(), other)).status).toBe(404)
    await other.close()
  })
})

describe('quirks', () => {
  const all = async (quirk: ResponsesQuirk): Promise<Json[]> => {
    const options: OpenAISimOptions = { quirks: [quirk] }
    const odd = await startOpenAISim(options)
    odd.play(STEPS)
    const got = await events(base({ reasoning: { summary: 'auto' } }), odd)
    await odd.close()
    return got
  }
  const types = (list: Json[]) => list.map(({ type }) => type)
  const last = (list: Json[]) => list.at(-1)

  const SHOWN: Record<ResponsesQuirk, (list: Json[]) => boolean> = {
    'no-deltas': (list) => !types(list).some((type) => /delta|arguments/.test(type)),
    'done-only': (list) => !types(list).some((type) => type.includes('delta')),
    'items-at-end': (list) => list.length === 3 && last(list).response.output.length === 4,
    'no-item-ids': (list) => list.every((event) => event.item_id === undefined && event.item?.id === undefined),
    'rotating-ids': (list) => new Set(list.flatMap(({ item }) => item?.id ?? [])).size === 8,
    'same-item-ids': (list) => new Set(list.flatMap(({ item }) => item?.id ?? [])).size === 1,
    'index-gaps': (list) => list.some(({ output_index }) => output_index === 11),
    'unknown-events': (list) => types(list).includes('response.odd_call.in_progress'),
    'keepalive-events': (list) => types(list).includes('keepalive'),
    'no-event-lines': (list) => types(list).includes('response.completed'),
    'done-mark': (list) => types(list).includes('response.completed'),
    'empty-output': (list) => last(list).response.output.length === 0,
    'no-usage': (list) => last(list).response.usage === null,
    'raw-reasoning': (list) => types(list).includes('response.reasoning_text.delta'),
    'error-then-failed': (list) => types(list).slice(-2).join() === 'error,response.failed',
    'failed-alone': (list) => !types(list).includes('error') && last(list).type === 'response.failed',
    'flat-error': (list) => last(list).message === 'The model had an error.',
    'no-end': (list) => last(list).type === 'response.output_item.done',
  } // biome-ignore format: a table to be read as one

  it.each(Object.keys(RESPONSES_QUIRKS) as ResponsesQuirk[])('%s', async (quirk) => {
    expect(SHOWN[quirk](await all(quirk))).toBe(true)
  })
})

// Schemas of tools on their way to services that hold their models to them, or refuse them: what is asked for, what comes back to the
// client, and what is remembered of a refusal.

import { afterEach, describe, expect, it } from 'vitest'
import type { RecordedRequest } from '../../sim/recording.ts'
import type { Step } from '../../sim/script.ts'
import type { Reply } from '../../sim/server.ts'
import type { Body } from '../harness.ts'
import { addresses, type Served, useServers } from '../server-bench.ts'
import { agentSchemas } from '../tool-schemas/agent-schemas.ts'
import { askAt, type Door, doors } from '../wire-cases/at-doors.ts'

const on = { strict: 'on' }
const relay = (name: string, server: Served['server'], settings: Body = {}): Served => ({
  server,
  baseUrl: `http://${name}.relay.example${new URL(addresses[server]).pathname}`,
  settings,
})

const listingIs = (answer: () => Promise<Reply>) => ({
  accounts: {
    answer: async ({ path }: RecordedRequest) => (path.endsWith('/models') ? answer() : undefined),
  },
})

const bench = useServers({
  vllm: { server: 'vllm', baseUrl: addresses.vllm, sim: { models: ['Qwen3'] } },
  sglang: { server: 'sglang', baseUrl: addresses.sglang, sim: { models: ['Kimi-K2'] } },
  plain: { server: 'vllm', baseUrl: 'http://plain.example:8000/v1' },
  silent: {
    server: 'vllm',
    baseUrl: 'http://silent.example:8000/v1',
    sim: listingIs(() => new Promise(() => undefined)),
  },
  failing: {
    server: 'vllm',
    baseUrl: 'http://failing.example:8000/v1',
    sim: listingIs(async () => ({ status: 500, body: {} })),
  },
  off: {
    server: 'vllm',
    baseUrl: 'http://off.example:8000/v1',
    settings: { strict: 'off' },
    sim: { models: ['Qwen3-off'] },
  },
  openai: { server: 'openai', baseUrl: addresses.openai, settings: { api: 'chat' } },
  strict: {
    server: 'openai',
    baseUrl: addresses.azure.replace('res.', 'strict.').replace('/openai', ''),
    settings: { api: 'chat', ...on },
  },
  responses: relay('responses', 'openai', { api: 'responses', ...on }),
  cerebras: { server: 'cerebras', baseUrl: addresses.cerebras, settings: on },
  groq: { server: 'groq', baseUrl: addresses.groq, settings: on },
  hidden: relay('hidden', 'openai', { api: 'chat', ...on }),
  llama: { server: 'llama.cpp', baseUrl: addresses['llama.cpp'] },
  studio: { server: 'lm-studio', baseUrl: addresses['lm-studio'] },
  xai: { server: 'xai', baseUrl: addresses.xai, settings: on },
  moonshot: { server: 'moonshot', baseUrl: addresses.moonshot },
  gemini: { server: 'gemini', baseUrl: addresses.gemini },
  ollama: { server: 'ollama', baseUrl: addresses.ollama },
  'hidden-xai': relay('xai', 'xai'),
  crowded: relay('crowded', 'openai', { api: 'chat' }),
  'hidden-cerebras': relay('cerebras', 'cerebras'),
  'hidden-moonshot': relay('moonshot', 'moonshot'),
})
afterEach(() => {
  for (const sim of Object.values(bench.sims)) sim.clear()
})

type Schema = Record<string, unknown>
const readSchema: Schema = {
  type: 'object',
  properties: {
    path: { type: 'string' },
    limit: { type: 'integer' },
    deep: { type: 'object', properties: { a: { type: 'string' } } },
  },
  required: ['path'],
}
const named = (schemas: Record<string, Schema>) => Object.entries(schemas)

const toolsAt: Record<Door, (schemas: Record<string, Schema>) => Body[]> = {
  chat: (all) =>
    named(all).map(([name, parameters]) => ({ type: 'function', function: { name, parameters } })),
  messages: (all) => named(all).map(([name, input_schema]) => ({ name, input_schema })),
  responses: (all) => named(all).map(([name, parameters]) => ({ type: 'function', name, parameters })),
  ollama: (all) =>
    named(all).map(([name, parameters]) => ({ type: 'function', function: { name, parameters } })),
  gemini: (all) => [
    {
      functionDeclarations: named(all).map(([name, parametersJsonSchema]) => ({
        name,
        parametersJsonSchema,
      })),
    },
  ],
}

interface Asked {
  door?: Door
  stream?: boolean
  schemas?: Record<string, Schema>
  steps?: Step[]
  more?: Body
}

const call = (args: Body | string, name = 'read'): Step => ({ call: { name, arguments: args } })

async function ask(model: string, asked: Asked = {}) {
  const { door = 'messages', stream = false, schemas = { read: readSchema }, steps, more } = asked
  const sim = bench.sims[model.split('/')[0] ?? '']
  if (!sim) throw new Error(model)
  if (steps) sim.play(steps)
  const before = sim.requests.length
  const reply = await askAt(
    bench.url,
    { door, stream },
    { model, more: { tools: toolsAt[door](schemas), ...more } },
  )
  expect([reply.status, reply.status === 200 ? '' : reply.text]).toEqual([200, ''])
  const requests = sim.requests.slice(before)
  // biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
  const sent = requests.at(-1)?.body as any
  return {
    ...reply,
    sent,
    tries: requests.length,
    functions: (sent.tools ?? []).map((tool: Body) => tool.function ?? tool),
  }
}

/** The input of the first call of an answer at the Messages door. */
const inputOf = ({ text }: { text: string }) =>
  JSON.parse(text).content.find((block: Body) => block.type === 'tool_use')?.input

describe('vLLM and SGLang', () => {
  const list = () => fetch(`${bench.url}/v1/models`).then((response) => response.json())

  it('are recognised by one look at their models, beside the first turn that would profit', async () => {
    const { sims } = bench
    await ask('plain/Qwen3', { door: 'chat' })
    await ask('plain/Qwen3', { schemas: {} })
    expect(sims.plain?.listings).toHaveLength(0)
    const { functions, notes } = await ask('plain/Qwen3')
    expect(functions[0]).not.toHaveProperty('strict')
    expect(notes).not.toContain('strict')
    const isStrict = async () => (await ask('plain/Qwen3')).functions[0].strict
    await expect.poll(isStrict).toBe(true)
    expect(sims.plain?.listings).toHaveLength(1)
  })

  it('a turn does not wait for that look, and it is not tried again', async () => {
    const { sims } = bench
    for (let turn = 0; turn < 3; turn++) {
      const { functions } = await ask('silent/Qwen3')
      expect(functions[0]).not.toHaveProperty('strict')
    }
    for (let turn = 0; turn < 3; turn++) await ask('failing/Qwen3')
    expect([sims.silent?.listings.length, sims.failing?.listings.length]).toEqual([1, 1])
  })

  it('known services, and backends with the setting "off", are not looked at', async () => {
    for (const model of ['openai/gpt-4o', 'moonshot/kimi-k2', 'ollama/qwen3', 'off/Qwen3-off'])
      await ask(model)
    const { openai, moonshot, ollama, off } = bench.sims
    expect([openai, moonshot, ollama, off].map((sim) => sim?.listings.length)).toEqual([0, 0, 0, 0])
  })

  it.each(['vllm/Qwen3', 'sglang/Kimi-K2'])(
    '%s: strict, but not for a tool without parameters',
    async (model) => {
      await list()
      const schemas = { read: readSchema, now: { type: 'object', properties: {} } }
      const { functions, notes, ...reply } = await ask(model, { schemas, steps: [call({ path: 'a' })] })
      expect(functions.map((one: Body) => one.strict)).toEqual([true, false])
      expect(functions[0].parameters).toEqual(readSchema)
      expect(notes).toContain('strict was asked for 1 of 2 tools')
      expect(inputOf(reply)).toEqual({ path: 'a' })
      const again = await ask(model, { schemas, steps: [call({}, 'now')] })
      expect(inputOf(again)).toEqual({})
    },
  )

  it('is not asked for by a Chat client, whose tools go out as they are', async () => {
    await list()
    const { functions } = await ask('vllm/Qwen3', { door: 'chat' })
    expect(functions[0]).toEqual({ name: 'read', parameters: readSchema })
  })

  it('is not asked for if the client states it for any tool', async () => {
    await list()
    const tools = [{ type: 'function', name: 'read', parameters: readSchema, strict: false }]
    const { functions } = await ask('vllm/Qwen3', { door: 'responses', more: { tools } })
    expect(functions[0].strict).toBe(false)
    expect(functions[0].parameters).toEqual(readSchema)
  })

  it('is not asked for with the setting "off"', async () => {
    await list()
    const { functions } = await ask('off/Qwen3-off')
    expect(functions[0]).not.toHaveProperty('strict')
  })

  it('a format for the answer goes into the prompt, so that calls stay possible', async () => {
    await list()
    const text = {
      format: {
        type: 'json_schema',
        name: 'answer',
        schema: { type: 'object', properties: { n: { type: 'integer' } } },
      },
    }
    const { sent, notes, ...reply } = await ask('vllm/Qwen3', {
      door: 'responses',
      more: { text },
      steps: [call({ path: 'a' })],
    })
    expect(sent).not.toHaveProperty('response_format')
    expect(JSON.stringify(sent.messages[0])).toContain(
      'Whenever you do not call a tool, answer with one JSON object',
    )
    expect(notes).toContain('response_format is asked for in the prompt')
    expect(JSON.parse(reply.text).output.map((item: Body) => item.type)).toContain('function_call')
  })

  it('a forced choice whose schema is refused is sent once more, without what the grammar cannot say', async () => {
    await list()
    const odd = { type: 'object', properties: { n: { type: 'integer', multipleOf: 5 } } }
    const asked = { schemas: { read: odd }, more: { tool_choice: { type: 'any' } }, steps: [call({ n: 5 })] }
    const first = await ask('vllm/Qwen3', asked)
    expect(first.tries).toBe(2)
    expect(first.functions[0].parameters.properties.n).toEqual({
      type: 'integer',
      description: '(multipleOf: 5)',
    })
    expect((await ask('vllm/Qwen3', asked)).tries).toBe(1)
  })
})

describe('the strict subset of OpenAI', () => {
  it('is not asked for without the setting', async () => {
    const { functions } = await ask('openai/gpt-4o')
    expect(functions[0]).toEqual({ name: 'read', parameters: readSchema })
  })

  describe.each([true, false])('stream %s', (stream) => {
    it.each<Door>(['messages', 'responses', 'gemini', 'ollama'])(
      '%s: null comes back as absence, and numbers keep their spelling',
      async (door) => {
        const steps = [call('{"path":"a","limit":null,"deep":{"a":null},"big":1.50}')]
        const schemas = {
          read: {
            ...readSchema,
            properties: { ...(readSchema.properties as Body), big: { type: 'number' } },
          },
        }
        const { functions, text, notes } = await ask('strict/gpt-4o', { door, stream, schemas, steps })
        expect(functions[0].strict).toBe(true)
        expect(functions[0].parameters.required).toEqual(['path', 'limit', 'deep', 'big'])
        expect(notes).toContain('1 of them with a rewritten schema')
        expect(text).not.toMatch(/limit\\*":\s?null/)
        expect(text.replaceAll('\\', '')).toMatch(/"big":\s?1\.50?/)
      },
    )
  })

  it('tools that cannot be strict go out as they are, beside strict ones', async () => {
    const { functions } = await ask('strict/gpt-4o', {
      schemas: { read: readSchema, exit: agentSchemas.exit_plan as Schema },
    })
    expect(functions.map((one: Body) => one.strict)).toEqual([true, false])
    expect(functions[1].parameters).toEqual(agentSchemas.exit_plan)
  })

  it('every tool of the agents is taken, at the first asking', async () => {
    const { tries } = await ask('strict/gpt-4o', { schemas: agentSchemas })
    expect(tries).toBe(1)
  })

  it('on the Responses API, with strict: false for the rest', async () => {
    const schemas = { read: readSchema, exit: agentSchemas.exit_plan as Schema }
    const { functions, ...reply } = await ask('responses/gpt-4o', {
      schemas,
      steps: [call({ path: 'a', limit: null, deep: null })],
    })
    expect(functions.map((one: Body) => one.strict)).toEqual([true, false])
    expect(inputOf(reply)).toEqual({ path: 'a' })
    expect((await ask('responses/gpt-4o', { door: 'responses' })).functions[0]).not.toHaveProperty('strict')
  })

  it('Groq, on its models that have it', async () => {
    const steps = [call({ path: 'a' })]
    const { functions, ...reply } = await ask('groq/openai/gpt-oss-120b', { steps })
    expect(functions[0].strict).toBe(true)
    expect(inputOf(reply)).toEqual({ path: 'a' })
    expect((await ask('groq/llama-3.3-70b')).functions[0]).not.toHaveProperty('strict')
  })

  it('a refusal is asked about once, without strict, and remembered for these tools', async () => {
    // An unknown host gets schemas that OpenAI does not take as strict.
    const first = await ask('hidden/gpt-4o')
    expect([first.tries, first.functions[0]]).toEqual([2, { name: 'read', parameters: readSchema }])
    expect(first.notes).toContain('the service has refused it for these tools')
    expect(first.notes).not.toContain('strict was asked for')
    const second = await ask('hidden/gpt-4o')
    expect([second.tries, second.notes]).toEqual([1, expect.not.stringContaining('strict')])
    const other = await ask('hidden/gpt-4o', { schemas: { read: agentSchemas.todos as Schema } })
    expect(other.tries).toBe(2)
    expect((await ask('hidden/gpt-4.1')).tries).toBe(2)
  })

  it('what the client itself asks for is not taken back', async () => {
    const tools = [{ type: 'function', name: 'read', parameters: readSchema, strict: true }]
    const reply = await askAt(
      bench.url,
      { door: 'responses', stream: false },
      { model: 'hidden/gpt-4o', more: { tools } },
    )
    expect([reply.status, reply.text]).toEqual([400, expect.stringContaining('Invalid schema for function')])
  })
})

describe('Cerebras', () => {
  it('all tools or none', async () => {
    const all = await ask('cerebras/gpt-oss-120b', { steps: [call({ path: 'a' })] })
    expect([all.functions[0].strict, inputOf(all)]).toEqual([true, { path: 'a' }])
    const some = await ask('cerebras/gpt-oss-120b', {
      schemas: { read: readSchema, exit: agentSchemas.exit_plan as Schema },
    })
    expect(some.functions.map((one: Body) => one.strict)).toEqual([undefined, undefined])
  })

  it('a model without strict tools is asked once more', async () => {
    const { tries, functions } = await ask('cerebras/llama-3.3-70b')
    expect([tries, functions[0].strict]).toEqual([2, undefined])
  })

  const mixed = [
    {
      type: 'function',
      function: {
        name: 'read',
        parameters: { type: 'object', properties: {}, required: [], additionalProperties: false },
        strict: true,
      },
    },
    { type: 'function', function: { name: 'list', parameters: { type: 'object', properties: {} } } },
  ]
  it.each(['cerebras', 'hidden-cerebras'])(
    '%s: a client that mixes values gets an answer',
    async (backend) => {
      const { functions, notes } = await ask(`${backend}/gpt-oss-120b`, {
        door: 'chat',
        more: { tools: mixed },
      })
      expect(functions.map((one: Body) => one.strict)).toEqual([false, false])
      expect(notes).toContain('only for all tools at once')
    },
  )

  it.each(['cerebras', 'hidden-cerebras'])(
    '%s: a format beside tools goes into the prompt',
    async (backend) => {
      const more = {
        response_format: { type: 'json_object' },
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'hi' },
        ],
      }
      const { sent, notes } = await ask(`${backend}/gpt-oss-120b`, { door: 'chat', more })
      expect(sent).not.toHaveProperty('response_format')
      expect(sent.messages[0].content).toMatch(/^Be brief\.\n\nWhenever you do not call a tool/)
      expect(notes).toContain('response_format')
    },
  )
})

describe('schemas that a service refuses', () => {
  const pattern = {
    type: 'object',
    properties: { id: { type: 'string', pattern: '\\d+', description: 'The id' } },
    required: ['id'],
  }

  it.each(['llama/m', 'studio/m'])('%s: one pattern does not end the turn', async (model) => {
    for (const door of ['messages', 'chat'] as const) {
      const schemas = { read: pattern, [door]: readSchema }
      const first = await ask(model, { door, schemas })
      expect(first.tries).toBe(2)
      expect(first.functions[0].parameters.properties.id).toEqual({
        type: 'string',
        description: 'The id (pattern: "\\\\d+")',
      })
      expect(first.functions[1].parameters).toEqual(readSchema)
      expect(first.notes).toContain(
        'schemas of tools were lowered to what the service takes (without pattern)',
      )
      expect((await ask(model, { door, schemas })).tries).toBe(1)
    }
    const other = await ask(model, { schemas: { read: readSchema } })
    expect([other.tries, other.functions[0].parameters]).toEqual([1, readSchema])
  })

  it.each(['xai/grok-4', 'moonshot/kimi-k3', 'gemini/gemini-2.5-pro'])(
    '%s takes every tool of the agents at the first asking',
    async (model) => {
      for (const door of ['messages', 'chat'] as const) {
        const { tries, notes } = await ask(model, { door, schemas: agentSchemas })
        expect(tries).toBe(1)
        expect(notes).toContain('lowered')
      }
    },
  )

  it.each(['hidden-xai/grok-4', 'hidden-moonshot/kimi-k3'])(
    '%s, behind an unknown name, once its words are known',
    async (model) => {
      const first = await ask(model, { schemas: agentSchemas })
      expect(first.tries).toBe(2)
      expect((await ask(model, { schemas: { look_up: agentSchemas.look_up as Schema } })).tries).toBe(1)
    },
  )

  it('a map without declared keys stays open where objects are closed by default', async () => {
    const { functions } = await ask('xai/grok-4', {
      schemas: { query: agentSchemas.query_database as Schema },
    })
    expect(functions[0].parameters.properties.options).toEqual({ type: 'object', additionalProperties: true })
  })

  it('Ollama gets the format in the prompt, beside tools', async () => {
    const { sent } = await ask('ollama/qwen3', {
      door: 'chat',
      more: { response_format: { type: 'json_object' } },
    })
    expect(sent).not.toHaveProperty('response_format')
  })
})

describe('a call that Groq refuses', () => {
  it.each<[string, Step]>([
    ['a key is missing', call({ limit: 5 })],
    ['broken JSON', call('{"limit": 5,}')],
  ])('%s: it is read from the error', async (_, step) => {
    const ways = doors.flatMap((door) => [true, false].map((stream) => ({ door, stream })))
    for (const { door, stream } of ways) {
      const { text, notes, tries } = await ask('groq/llama-3.3-70b', { door, stream, steps: [step] })
      expect([tries, text]).toEqual([1, expect.stringMatching(/"limit\\?":\s?5/)])
      expect(notes).toContain('a tool call was read from the error of the service')
    }
  })

  it('a call of no known tool stays an error', async () => {
    bench.sims.groq?.play(
      [call({ path: 'a' }, 'unknown')],
      [call({ path: 'a' }, 'unknown')],
      [call({ path: 'a' }, 'unknown')],
    )
    const reply = await askAt(bench.url, { door: 'messages', stream: false }, { model: 'groq/llama-3.3-70b' })
    expect([reply.status, reply.text]).toEqual([502, expect.stringContaining('not in request.tools')])
  })
})

describe('a limit of tools that is not known', () => {
  const many = Object.fromEntries(
    Array.from({ length: 150 }, (_, at) => [`tool_${at}`, { type: 'object', properties: {} }]),
  )

  it.each<Door>(['chat', 'messages'])('%s: is learned from the refusal, once', async (door) => {
    const model = `crowded/gpt-4o-of-${door}`
    const first = await ask(model, { door, schemas: many })
    expect([first.tries, first.functions.length <= 128]).toEqual([2, true])
    expect(first.notes).toContain('of 150 tools are deferred')
    const second = await ask(model, { door, schemas: many, stream: true })
    expect([second.tries, second.functions.length]).toEqual([1, first.functions.length])
    expect((await ask(model, { door })).functions).toHaveLength(1)
  })
})

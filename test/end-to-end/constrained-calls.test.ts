// Schemas of tools on their way to services that hold their models to them: what is asked for, and what comes back to the client.

import { describe, expect, it } from 'vitest'
import type { RecordedRequest } from '../../sim/recording.ts'
import type { Reply } from '../../sim/server.ts'
import type { Body } from '../harness.ts'
import { addresses } from '../server-bench.ts'
import { agentSchemas } from '../tool-schemas/agent-schemas.ts'
import { askAt, type Door } from '../wire-cases/at-doors.ts'
import { call, inputOf, readSchema, relay, type Schema, useSchemaServers } from './schema-servers.ts'

const on = { strict: 'on' }

const listingIs = (answer: () => Promise<Reply>) => ({
  accounts: {
    answer: async ({ path }: RecordedRequest) => (path.endsWith('/models') ? answer() : undefined),
  },
})

const { bench, ask } = useSchemaServers({
  vllm: { server: 'vllm', baseUrl: addresses.vllm, sim: { models: ['Qwen3'] } },
  sglang: { server: 'sglang', baseUrl: addresses.sglang, sim: { models: ['Kimi-K2'] } },
  plain: { server: 'vllm', baseUrl: 'http://plain.example:8000/v1' },
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
  moonshot: { server: 'moonshot', baseUrl: addresses.moonshot },
  gemini: { server: 'gemini', baseUrl: addresses.gemini },
  ollama: { server: 'ollama', baseUrl: addresses.ollama },
  'hidden-cerebras': relay('cerebras', 'cerebras'),
})
/** Listings of these take long, so no test of the others asks for one. */
const { bench: unlisted, ask: askUnlisted } = useSchemaServers({
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
})

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
    const { sims } = unlisted
    for (let turn = 0; turn < 3; turn++) {
      const { functions } = await askUnlisted('silent/Qwen3')
      expect(functions[0]).not.toHaveProperty('strict')
    }
    for (let turn = 0; turn < 3; turn++) await askUnlisted('failing/Qwen3')
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

// Schemas of tools on their way to services that refuse them: what they are lowered to, and what is remembered of a refusal.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { addresses } from '../server-bench.ts'
import { agentSchemas } from '../tool-schemas/agent-schemas.ts'
import { askAt, type Door, doors } from '../wire-cases/at-doors.ts'
import { call, readSchema, relay, type Schema, useSchemaServers } from './schema-servers.ts'

const on = { strict: 'on' }

const { bench, ask } = useSchemaServers({
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
  'hidden-moonshot': relay('moonshot', 'moonshot'),
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

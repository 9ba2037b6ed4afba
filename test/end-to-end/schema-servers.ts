// Servers with rules for the schemas of tools, asked at any door: what reached them, and what the client got.

import { afterEach, expect } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Body } from '../harness.ts'
import { addresses, type Served, useServers } from '../server-bench.ts'
import { askAt, type Door } from '../wire-cases/at-doors.ts'

/** A server behind a name that tells nothing of it. */
export const relay = (name: string, server: Served['server'], settings: Body = {}): Served => ({
  server,
  baseUrl: `http://${name}.relay.example${new URL(addresses[server]).pathname}`,
  settings,
})

export type Schema = Record<string, unknown>
export const readSchema: Schema = {
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

export const call = (args: Body | string, name = 'read'): Step => ({ call: { name, arguments: args } })

export function useSchemaServers(servers: Record<string, Served>) {
  const bench = useServers(servers)
  afterEach(() => {
    for (const sim of Object.values(bench.sims)) sim.clear()
  })

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

  return { bench, ask }
}

/** The input of the first call of an answer at the Messages door. */
export const inputOf = ({ text }: { text: string }) =>
  JSON.parse(text).content.find((block: Body) => block.type === 'tool_use')?.input

// Strict tools of Anthropic: asked for with the setting alone, within the service's limits, and not again after a refusal.

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import type { Sim } from '../../sim/server.ts'
import type { Gateway } from '../../src/gateway.ts'
import { type Body, startGateway, upstreamKey } from '../harness.ts'
import { agentSchemas } from '../tool-schemas/agent-schemas.ts'

let sims: Record<'auto' | 'on' | 'small', Sim>
let gateway: Gateway
let url: string

beforeAll(async () => {
  const apiKey = upstreamKey
  sims = {
    auto: await startAnthropicSim({ apiKey }),
    on: await startAnthropicSim({ apiKey }),
    small: await startAnthropicSim({ apiKey, largestGrammar: 500 }),
  }
  const backend = (sim: Sim, more: Body = {}) => ({ kind: 'anthropic', baseUrl: sim.url, apiKey, ...more })
  const backends = {
    auto: backend(sims.auto),
    on: backend(sims.on, { strict: 'on' }),
    small: backend(sims.small, { strict: 'on' }),
  }
  ;({ gateway, url } = await startGateway({ backends }))
})
beforeEach(() => {
  for (const sim of Object.values(sims)) sim.clear()
})
afterAll(async () => {
  await gateway.close()
  await Promise.all(Object.values(sims).map((sim) => sim.close()))
})

const model = 'claude-sonnet-4-5'

async function ask(backend: keyof typeof sims, path: string, body: Body) {
  const before = sims[backend].requests.length
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: `${backend}/${model}`, ...body }),
  })
  const text = await response.text()
  expect([response.status, response.status === 200 ? '' : text]).toEqual([200, ''])
  const requests = sims[backend].requests.slice(before)
  const { tools = [] } = (requests.at(-1)?.body ?? {}) as { tools?: Body[] }
  return { text, tools, tries: requests.length, notes: response.headers.get('x-dragoman-notes') ?? '' }
}

const schemas = Object.entries(agentSchemas)
const chat = (tools = schemas, strict?: boolean): Body => ({
  messages: [{ role: 'user', content: 'hi' }],
  tools: tools.map(([name, parameters]) => ({ type: 'function', function: { name, parameters, strict } })),
})

describe('strict tools', () => {
  it('are not asked for without the setting', async () => {
    const { tools } = await ask('auto', '/v1/chat/completions', chat())
    expect(tools.some((tool) => 'strict' in tool)).toBe(false)
  })

  it('keep within the limits, at the first asking', async () => {
    const { tools, tries, notes } = await ask('on', '/v1/chat/completions', chat())
    const strict = tools.filter((tool) => tool.strict === true)
    expect(tries).toBe(1)
    expect(strict.length).toBeGreaterThan(5)
    expect(notes).toContain(`strict was asked for ${strict.length} of ${schemas.length} tools`)
    expect(tools.find(({ name }) => name === 'exit_plan')?.input_schema).toEqual(agentSchemas.exit_plan)
  })

  it('are not asked for by the service’s own clients, nor if the client states it', async () => {
    const body = {
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hi' }],
      tools: [{ name: 'bash', input_schema: agentSchemas.bash }],
    }
    const own = await ask('on', '/v1/messages', body)
    expect(own.tools).toEqual(body.tools)
    const stated = await ask('on', '/v1/chat/completions', chat(schemas.slice(0, 2), false))
    expect(stated.tools.some((tool) => 'strict' in tool)).toBe(false)
  })

  it('after a refusal the tools go out once more, and are remembered', async () => {
    const first = await ask('small', '/v1/chat/completions', chat())
    expect([first.tries, first.tools.some((tool) => 'strict' in tool)]).toEqual([2, false])
    expect(first.notes).toContain('the service has refused it for these tools')
    expect(first.notes).not.toContain('strict was asked for')
    expect((await ask('small', '/v1/chat/completions', chat())).tries).toBe(1)
    const few = await ask('small', '/v1/chat/completions', chat(schemas.slice(0, 1)))
    expect([few.tries, few.tools[0]?.strict]).toEqual([1, true])
  })
})

// Model discovery, as Claude Code asks for it: every model is listed under an id that its menu takes, and that id can be called.

import { describe, expect, it } from 'vitest'
import { claude, others, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench({}, { models: { best: 'openai/gpt-demo' } })
const ask = async (query = 'limit=1000') => {
  const response = await fetch(`${bench.url}/v1/models?${query}`, {
    headers: {
      'anthropic-version': '2023-06-01',
      'user-agent': 'claude-code/2.1.325',
      authorization: 'Bearer any',
    },
    redirect: 'manual',
  })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  return { status: response.status, json: (await response.json()) as any }
}

describe('GET /v1/models', () => {
  it('lists every model of every backend under an id that the menu takes', async () => {
    const { status, json } = await ask()
    expect([status, json.has_more]).toEqual([200, false])
    const ids: string[] = json.data.map(({ id }: { id: string }) => id)
    for (const id of ids) expect(id).toMatch(/claude|anthropic/i)
    for (const model of [...Object.values(others), 'best']) expect(ids).toContain(`claude-via/${model}`)
    expect(ids).toContain(claude)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('each has a name and a description that fits the menu', async () => {
    for (const { display_name, description } of (await ask()).json.data) {
      expect(display_name).toMatch(/./)
      expect(description.length).toBeLessThanOrEqual(100)
      expect(description).toMatch(/^backend /)
    }
  })

  it('is given in pages', async () => {
    const whole = (await ask()).json.data.map(({ id }: { id: string }) => id)
    const paged: string[] = []
    for (let query = 'limit=3'; ; ) {
      const { json } = await ask(query)
      expect(json.data.length).toBeLessThanOrEqual(3)
      paged.push(...json.data.map(({ id }: { id: string }) => id))
      if (!json.has_more) break
      query = `limit=3&after_id=${encodeURIComponent(json.last_id)}`
    }
    expect(paged).toEqual(whole)
  })
})

it.each([...Object.values(others), 'best'])(
  'claude-via/%s can be called, and keeps its name in the answer',
  async (model) => {
    const { status, json } = await send(bench, cc.turn(`claude-via/${model}`, { stream: false }))
    expect([status, json.model]).toEqual([200, `claude-via/${model}`])
  },
)

// T52: efforts that a model does not have, on the service that refuses them. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { effortRows } from '../../src/protocols/openai-chat/servers/efforts.ts'
import { nearestEffort } from '../../src/protocols/requests/nearest-effort.ts'
import { spread } from '../depth.ts'
import { addresses, type Served, useServers } from '../server-bench.ts'
import { acceptedAt, doorForms } from './at-doors.ts'

const servers = [
  'openai',
  'openrouter',
  'groq',
  'cerebras',
  'xai',
  'mistral',
  'kimi-code',
  'moonshot',
  'zai',
  'gemini',
  'ollama',
  'vllm',
] as const
const bench = useServers(
  Object.fromEntries(
    servers.map((server): [string, Served] => [server, { server, baseUrl: addresses[server] }]),
  ),
)

/** Asked for and sent; undefined: left out. */
const rows: [model: string, asked: string, sent: string | undefined][] = [
  ['openai/gpt-5.6-sol', 'minimal', 'low'],
  ['openai/gpt-5.6-sol', 'max', 'max'],
  ['openai/gpt-5', 'none', undefined],
  ['openai/gpt-5', 'xhigh', 'high'],
  ['openai/gpt-5.1', 'max', 'high'],
  ['openai/gpt-5.4-pro', 'low', 'medium'],
  ['openai/o4-mini', 'minimal', 'low'],
  ['openai/gpt-4o', 'low', undefined],
  ['openrouter/anthropic/claude-opus-5', 'max', 'high'],
  ['openrouter/x/y', 'max', 'xhigh'],
  ['groq/openai/gpt-oss-120b', 'xhigh', 'high'],
  ['groq/qwen/qwen3-32b', 'low', 'default'],
  ['groq/qwen/qwen3-32b', 'none', 'none'],
  ['cerebras/gpt-oss-120b', 'none', undefined],
  ['cerebras/zai-glm-4.7', 'high', undefined],
  ['xai/grok-3-mini', 'medium', 'low'],
  ['xai/grok-4.20-reasoning', 'low', undefined],
  ['xai/grok-4.20-non-reasoning-0309', 'none', undefined],
  ['xai/grok-4.3', 'max', 'high'],
  ['xai/grok-4.7', 'max', 'xhigh'],
  ['mistral/mistral-medium-2604', 'low', 'high'],
  ['mistral/mistral-medium-2604', 'none', 'none'],
  ['mistral/magistral-medium-latest', 'low', undefined],
  ['moonshot/kimi-k3', 'medium', 'low'],
  ['kimi-code/k3', 'xhigh', 'high'],
  ['kimi-code/k3', 'max', 'max'],
  ['zai/glm-5.2', 'low', 'high'],
  ['gemini/gemini-3-pro-preview', 'max', 'high'],
  ['ollama/gpt-oss', 'max', 'max'],
  // Unknown models: unchanged.
  ['openai/gpt-7', 'max', 'max'],
  ['vllm/some-model', 'minimal', 'minimal'],
  ['vllm/some-model', 'ultra', 'ultra'],
  ['vllm/some-model', 'whatever-comes-next', 'whatever-comes-next'],
  ['vllm/some-model', 'none', 'none'],
]

describe.each(spread(doorForms, 4))('T52: efforts ($door, stream $stream)', (at) => {
  // Messages switches thinking off without an effort.
  const sayable = rows.filter(([, asked]) => at.door !== 'messages' || asked !== 'none')
  it.each(sayable)('%s, asked for %s, is sent %s', async (model, effort, expected) => {
    const sim = bench.sims[model.split('/', 1)[0] ?? '']
    const { sent, notes } = await acceptedAt(bench.url, sim, at, { model, effort, tools: false })
    // Chat's field, or that of Responses.
    expect(sent.reasoning_effort ?? sent.reasoning?.effort).toBe(expected)
    if (!at.stream && expected !== effort) expect(notes).toContain(`reasoning effort "${effort}" was`)
  })
})

it('T52: gpt-6-astra takes max on Responses only', async () => {
  const question = { model: 'openai/gpt-6-astra', effort: 'max', tools: false } as const
  const sent = (door: 'chat' | 'messages') =>
    acceptedAt(bench.url, bench.sims.openai, { door, stream: false }, question)
  expect((await sent('chat')).sent.reasoning_effort).toBe('xhigh')
  expect((await sent('messages')).sent.reasoning.effort).toBe('max')
})

describe('T52: the nearest effort', () => {
  it('is a listed one, and never "none" in place of another', () => {
    for (const { efforts } of effortRows) {
      for (const asked of ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']) {
        const found = nearestEffort(asked, efforts)
        if (found !== undefined) expect(efforts).toContain(found)
        if (asked !== 'none') expect(found).not.toBe('none')
      }
    }
  })
})

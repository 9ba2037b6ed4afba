// T58: every OpenAI-compatible server that docs/backends.md names, as one row: a tool loop of two steps with thinking, by the
// official SDKs at every door, streamed and whole, against a simulator that refuses what that server refuses.

import { readFileSync } from 'node:fs'
import { afterEach, describe, expect, it } from 'vitest'
import { PROFILES, type ServerName } from '../../sim/openai.ts'
import type { Step } from '../../sim/script.ts'
import type { Sim } from '../../sim/server.ts'
import { chatClient } from '../clients/chat-client.ts'
import { messagesClient } from '../clients/messages-client.ts'
import { responsesClient } from '../clients/responses-client.ts'
import { anthropicLines, openaiLines } from '../clients/sdk-lines.ts'
import type { DoorTurn } from '../contract/door-client.ts'
import { spread } from '../depth.ts'
import type { Body } from '../harness.ts'
import { addresses, useServers } from '../server-bench.ts'

/** Where the service must find its first thought again; undefined: nowhere. */
type Back = 'reasoning' | 'reasoning_content' | 'parts' | 'details' | 'signature' | 'text' | undefined

interface Row {
  model: string
  back: Back
  settings?: Body
  /** Another name, where two rows have one host. */
  baseUrl?: string
}

const key = { authHeader: 'api-key' }

const rows: Record<ServerName, Row> = {
  openai: { model: 'gpt-5.6-sol', back: undefined, settings: { api: 'chat' } },
  azure: { model: 'gpt-5.2', back: undefined, settings: key },
  'azure-classic': {
    model: 'gpt-4o',
    back: undefined,
    settings: { ...key, query: { 'api-version': '2024-10-21' } },
    baseUrl: 'http://other.openai.azure.com/openai/deployments/gpt',
  },
  openrouter: { model: 'anthropic/claude-opus-5', back: 'details' },
  groq: { model: 'openai/gpt-oss-120b', back: 'reasoning' },
  cerebras: { model: 'zai-glm-4.7', back: 'reasoning' },
  xai: { model: 'grok-4.20-reasoning', back: undefined },
  mistral: { model: 'mistral-medium-2604', back: 'parts' },
  deepseek: { model: 'deepseek-v4', back: 'reasoning_content' },
  moonshot: { model: 'kimi-k3', back: 'reasoning_content' },
  'kimi-code': { model: 'kimi-for-coding', back: 'reasoning_content' },
  zai: { model: 'glm-5.2', back: 'reasoning_content' },
  dashscope: { model: 'qwen3-max', back: 'reasoning_content' },
  gemini: { model: 'gemini-3-pro-preview', back: 'signature' },
  together: { model: 'openai/gpt-oss-120b', back: 'reasoning' },
  fireworks: { model: 'accounts/fireworks/models/glm-5', back: 'reasoning_content' },
  minimax: { model: 'MiniMax-M2', back: 'text' },
  deepinfra: { model: 'zai-org/GLM-4.7', back: 'reasoning_content' },
  nim: { model: 'nvidia/nemotron', back: 'reasoning_content' },
  vllm: { model: 'Qwen/Qwen3-32B', back: 'reasoning' },
  sglang: { model: 'deepseek-ai/DeepSeek-V3.2', back: 'reasoning_content' },
  'llama.cpp': { model: 'gpt-oss-20b', back: 'reasoning_content' },
  ollama: { model: 'qwen3', back: 'reasoning' },
  'lm-studio': { model: 'qwen/qwen3-30b', back: 'reasoning_content' },
  litellm: { model: 'claude', back: 'reasoning_content' },
}

const bench = useServers(
  Object.fromEntries(
    Object.entries(rows).map(([name, { settings = {}, baseUrl }]) => {
      const server = name as ServerName
      return [name, { server, baseUrl: baseUrl ?? addresses[server], settings }]
    }),
  ),
)
afterEach(() => {
  for (const sim of Object.values(bench.sims)) sim.clear()
})

const thoughts = ['First a, I think.', 'Then b.', 'That is all.']
const call = (path: string): Step => ({ call: { name: 'read', arguments: { path } } })
const script: Step[][] = [
  [{ think: thoughts[0] ?? '', pieces: 3 }, call('a')],
  [{ think: thoughts[1] ?? '', pieces: 2 }, { say: 'One more.' }, call('b'), call('c')],
  [{ think: thoughts[2] ?? '' }, { say: 'Done.' }],
]

const tools = [
  {
    name: 'read',
    description: 'Read a file',
    schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
]

type Sent = { content: unknown; tool_calls?: { extra_content?: { google: Body } }[] } & Body

/** The first thought, in the place where this message has it. */
const found: Record<Exclude<Back, undefined>, (message: Sent) => unknown> = {
  reasoning: (message) => message.reasoning,
  reasoning_content: (message) => message.reasoning_content,
  parts: ({ content }) => (content as { thinking: Body[] }[])[0]?.thinking[0]?.text,
  details: ({ reasoning_details: details }) => (details as Body[])[0]?.text,
  signature: ({ tool_calls: calls }) =>
    String(calls?.[0]?.extra_content?.google.thought_signature).startsWith('sig-') && thoughts[0],
  text: ({ content }) => /<think>(.*?)<\/think>/.exec(String(content))?.[1],
}

const clients = [
  chatClient(openaiLines[0]),
  messagesClient(anthropicLines[0]),
  responsesClient(openaiLines[0]),
]
const forms = ['Chat', 'Messages', 'Responses'].flatMap((door, at) =>
  [true, false].map((stream) => ({ door, stream, client: clients[at] as (typeof clients)[number] })),
)

describe.each(spread(forms, 1))(
  'T58: a tool loop with thinking ($door, stream $stream)',
  ({ client, stream }) => {
    it.each(Object.entries(rows))('%s', async (server, { model, back }) => {
      const sim = bench.sims[server] as Sim
      sim.play(...script)
      const turns: DoorTurn[] = [{ user: 'go' }]
      let answer = await client.ask(bench.url, {
        model: `${server}/${model}`,
        turns,
        tools,
        stream,
        thinking: true,
      })
      for (let steps = 0; answer.calls.length > 0 && steps < 3; steps++) {
        turns.push({ answer }, { results: answer.calls.map(({ id }) => ({ callId: id, text: 'contents' })) })
        answer = await client.ask(bench.url, {
          model: `${server}/${model}`,
          turns,
          tools,
          stream,
          thinking: true,
        })
      }
      expect([answer.text.replace(/<think>[^<]*<\/think>\s/, ''), answer.end]).toEqual(['Done.', 'stop'])
      // Each at the first asking: a refusal that teaches how to ask is one too many.
      expect(sim.requests.length).toBe(3)
      const last = sim.requests.at(-1)
      const { messages } = (last?.body ?? {}) as { messages: Sent[] }
      expect(messages.map(({ role }) => role)).toEqual([
        'user',
        'assistant',
        'tool',
        'assistant',
        'tool',
        'tool',
      ])
      if (back !== undefined) expect(found[back](messages[1] as Sent)).toBe(thoughts[0])
      else expect(JSON.stringify(messages)).not.toContain(thoughts[0])
    })
  },
)

describe('T58: the table', () => {
  it('has every server, and so has the page about them', () => {
    expect(Object.keys(rows).sort()).toEqual(Object.keys(PROFILES).sort())
    const page = readFileSync(new URL('../../docs/backends.md', import.meta.url), 'utf8')
    for (const server of Object.keys(rows)) expect(page).toContain(`\`${server}\``)
  })
})

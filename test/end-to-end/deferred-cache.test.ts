// The prompt cache over a session of twenty turns with deferred tools, against the strict simulator of Anthropic: what it reads from the
// cache never shrinks. The client searches itself (as Claude Code), or leaves it to the service; with and without a request that the
// gateway has to repair.

import { describe, expect, it } from 'vitest'
import { PromptCache } from '../../sim/anthropic/prompt-cache.ts'
import type { MessagesRequest } from '../../sim/anthropic/request.ts'
import { type Body, useBench } from '../harness.ts'
import { ask, type Block, callsIn } from '../wire-cases/deferred-client.ts'

const bench = useBench()
const model = 'anthropic/claude-opus-4-8'
const turns = 20
const mark = { cache_control: { type: 'ephemeral' } }

const tool = (name: string, more: Body = {}): Body => ({
  name,
  description: `The tool ${name} of a server that the user has.`,
  input_schema: {
    type: 'object',
    properties: { subject: { type: 'string', description: 'What it is about.' } },
  },
  ...more,
})
const deferred = (at: number) => tool(`mcp__box__part_${at}`, { defer_loading: true })
const system = [{ type: 'text', text: 'You are an agent. '.repeat(200), ...mark }]

/** The mark moves to the newest message, as Claude Code moves it. */
const marked = (messages: readonly { role: string; content: Block[] }[]) =>
  messages.map((message, at) =>
    at < messages.length - 1
      ? message
      : {
          ...message,
          content: message.content.map((block, place) =>
            place === message.content.length - 1 ? { ...block, ...mark } : block,
          ),
        },
  )

const repairs = {
  'as it is': [],
  // Blank text is refused by the API: the request is written anew, and its other parts must stay as they were.
  'with a repair': [{ type: 'text', text: ' ' }],
}

describe.each(Object.entries(repairs))('twenty turns, %s', (_, blank) => {
  it('a client that searches itself: each turn loads a tool', async () => {
    const messages: { role: string; content: Block[] }[] = [
      { role: 'user', content: [{ type: 'text', text: 'Begin.' }, ...blank] },
    ]
    const tools = [tool('Read'), tool('ToolSearch', blank.length > 0 ? {} : mark)]
    const read: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      bench.anthropic.play([
        {
          call: {
            name: turn % 2 ? `mcp__box__part_${turn - 1}` : 'ToolSearch',
            arguments: {},
            id: `toolu_${turn}`,
          },
        },
      ])
      const { content, usage } = await ask(bench.url, { model, system, tools, messages: marked(messages) })
      read.push(usage.cache_read_input_tokens ?? 0)
      const found = [{ type: 'tool_reference', tool_name: `mcp__box__part_${turn}` }]
      const results = callsIn(content).map(({ id }) => ({
        type: 'tool_result',
        tool_use_id: id,
        content: turn % 2 ? [{ type: 'text', text: 'done' }] : found,
      }))
      if (turn % 2 === 0) tools.push(deferred(turn))
      messages.push({ role: 'assistant', content }, { role: 'user', content: results })
    }
    expectGrowing(read)
  })

  it('a client that leaves the search to the service: its blocks pass both ways', async () => {
    const all = Array.from({ length: 50 }, (_each, at) => deferred(at))
    const cache = new PromptCache()
    const tools = [
      { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' },
      tool('Read', blank.length > 0 ? {} : mark),
      ...all,
    ]
    const messages: { role: string; content: Block[] }[] = [
      { role: 'user', content: [{ type: 'text', text: 'Begin.' }, ...blank] },
    ]
    const read: number[] = []
    for (let turn = 0; turn < turns; turn++) {
      const id = `srvtoolu_${turn}`
      const reference = { type: 'tool_reference', tool_name: `mcp__box__part_${turn}` }
      const search = { type: 'server_tool_use', id, name: 'tool_search_tool_bm25', input: { query: 'part' } }
      const result = { type: 'tool_search_tool_search_result', tool_references: [reference] }
      const use = { type: 'tool_use', id: `toolu_s${turn}`, name: reference.tool_name, input: {} }
      const blocks = [search, { type: 'tool_search_tool_result', tool_use_id: id, content: result }, use]
      const usage = { input_tokens: 1, output_tokens: 1 }
      const message = {
        id: `msg_${turn}`,
        type: 'message',
        role: 'assistant',
        model: 'm',
        content: blocks,
        stop_reason: 'tool_use',
        stop_sequence: null,
        usage,
      }
      bench.anthropic.play([{ status: 200, headers: { 'content-type': 'application/json' }, body: message }])
      const { content } = await ask(bench.url, { model, system, tools, messages: marked(messages) })
      expect(content.map(({ type }) => type)).toEqual([
        'server_tool_use',
        'tool_search_tool_result',
        'tool_use',
      ])
      const sent = bench.anthropic.requests.at(-1)?.body as Body
      // A scripted answer has no true usage: the simulator's cache counts what it was sent.
      read.push(cache.count(sent as unknown as MessagesRequest).cache_read_input_tokens)
      expect(sent.tools).toHaveLength(tools.length)
      const results = callsIn(content).map((call) => ({
        type: 'tool_result',
        tool_use_id: call.id,
        content: 'done',
      }))
      messages.push({ role: 'assistant', content }, { role: 'user', content: results })
    }
    expectGrowing(read)
    const sent = bench.anthropic.requests.map(({ body }) => prefixTexts(body as Body))
    for (const [at, next] of sent.slice(1).entries()) {
      const before = sent[at] ?? []
      expect(next.slice(0, before.length)).toEqual(before)
    }
  })
})

it('a deferred tool gets no mark of the gateway', async () => {
  bench.anthropic.play([{ say: 'Ready.' }])
  const content = [
    { type: 'text', text: 'Hi' },
    { type: 'text', text: ' ' },
  ]
  await ask(bench.url, { model, tools: [tool('Read'), deferred(0)], messages: [{ role: 'user', content }] })
  const body = bench.anthropic.requests.at(-1)?.body as { tools: Body[] } | undefined
  expect(body?.tools.map(({ cache_control: given }) => given)).toEqual([mark.cache_control, undefined])
})

/** The prompt block by block, without the marks, which are no part of it. */
const prefixTexts = ({ tools, system: prompt, messages }: Body) =>
  [tools, prompt, ...(messages as unknown[])].map((part) =>
    JSON.stringify(part).replaceAll(`,"cache_control":{"type":"ephemeral"}`, ''),
  )

function expectGrowing(read: readonly number[]): void {
  expect(read[1]).toBeGreaterThan(500)
  for (const [at, tokens] of read.slice(1).entries())
    expect(tokens, `turn ${at + 1}`).toBeGreaterThanOrEqual(read[at] ?? 0)
  expect(read.at(-1)).toBeGreaterThan(read[1] ?? 0)
}

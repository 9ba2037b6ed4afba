// What is counted, by turns as they really go.

import { describe, expect, it } from 'vitest'
import { version } from '../../src/base/version.ts'
import { answerOf, askCursor, followUp } from '../cursor-bench.ts'
import { ask, chat, chatStream, quickRetries, useBench } from '../harness.ts'

const bench = useBench({
  gateway: { keepAliveMs: 60, retryPolicy: quickRetries },
})

const metrics = () => fetch(`${bench.url}/metrics`)

/** Of each series, how much it has grown meanwhile. */
async function grown(work: () => Promise<unknown>): Promise<Map<string, number>> {
  const read = async () =>
    new Map(
      (await (await metrics()).text())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => {
          const at = line.lastIndexOf(' ')
          return [line.slice(0, at), Number(line.slice(at + 1))] as const
        }),
    )
  const before = await read()
  await work()
  const after = await read()
  return new Map([...after].map(([series, value]) => [series, value - (before.get(series) ?? 0)]))
}

it('says in what format it is', async () => {
  expect((await metrics()).headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
})

it('the process tells of itself', async () => {
  const text = await (await metrics()).text()
  expect(text).toContain(`dragoman_build_info{version="${version}",node="${process.versions.node}"} 1`)
  const startedAt = Number(/^dragoman_start_time_seconds (\S+)$/m.exec(text)?.[1])
  expect(Math.abs(startedAt - (Date.now() / 1000 - process.uptime()))).toBeLessThan(60)
  expect(Number(/^dragoman_connections (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(0)
  await expect
    .poll(async () => (await metrics()).text())
    .toMatch(/^dragoman_event_loop_delay_seconds_bucket\{le="\+Inf"\} [1-9]/m)
})

it('each family is described once, with its help in front of its type', async () => {
  const text = await (await metrics()).text()
  const described = [...text.matchAll(/^# HELP (\w+) .+\n# TYPE (\w+) (counter|gauge|histogram)$/gm)]
  expect(described.length).toBe([...text.matchAll(/^# TYPE/gm)].length)
  expect(new Set(described.map((match) => match[1])).size).toBe(described.length)
  for (const [, help, type] of described) expect(help).toBe(type)
})

describe('tool calls', () => {
  it('that came whole', async () => {
    bench.openai.play([
      { call: { name: 'read', arguments: { path: 'a' } } },
      { call: { name: 'read', arguments: { path: 'b' } } },
      { end: 'tool_calls' },
    ])
    const growth = await grown(() => chat(bench.url, ask('openai/gpt-demo')))
    expect(growth.get('dragoman_tool_calls_total{backend="openai",outcome="complete"}')).toBe(2)
    expect(growth.get('dragoman_upstream_response_seconds_count{backend="openai"}')).toBe(1)
  })

  it('that were cut off', async () => {
    bench.anthropic.play([
      { say: 'x' },
      { call: { name: 'read', arguments: '{"path":"a' } },
      { end: 'max_tokens' },
    ])
    const growth = await grown(() => chatStream(bench.url, ask('anthropic/claude-demo')))
    expect(growth.get('dragoman_tool_calls_total{backend="anthropic",outcome="cut"}')).toBe(1)
    expect(growth.get('dragoman_tool_calls_total{backend="anthropic",outcome="complete"}') ?? 0).toBe(0)
  })

  it.each([
    ['mended', '<tool_call>{"name": "read", "arguments": {path: "a",}}</tool_call>'],
    ['asked-again', '<tool_call>{"name": "read", "argum</tool_call>'],
  ])('in text: %s', async (kind, said) => {
    bench.text.play([{ say: said }, { end: 'stop' }])
    const growth = await grown(() => chat(bench.url, ask('text/plain-demo')))
    expect(growth.get(`dragoman_tool_text_repairs_total{backend="text",kind="${kind}"}`)).toBe(1)
  })
})

it('how turns came to their run', async () => {
  bench.cursor.play([{ exec: { read: { path: 'a' } } }, { await: 'results' }, { say: 'x' }, { end: true }])
  const growth = await grown(async () => {
    const body = askCursor('go')
    const first = await answerOf(bench.url, body, 'streamed')
    await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
  })
  const turns = (state: string) =>
    growth.get(`dragoman_session_turns_total{backend="cursor",state="${state}"}`)
  expect([turns('fresh'), turns('live')]).toEqual([1, 1])
})

it('tokens of prompt caches', async () => {
  bench.anthropic.play([
    { say: 'x' },
    {
      end: 'end_turn',
      usage: {
        input_tokens: 10,
        output_tokens: 5,
        cache_read_input_tokens: 30,
        cache_creation_input_tokens: 20,
      },
    },
  ])
  const growth = await grown(() => chat(bench.url, ask('anthropic/claude-demo')))
  const tokens = (name: string, direction: string) =>
    [...growth].find(
      ([series]) =>
        series.startsWith(`dragoman_${name}{`) &&
        series.includes('backend="anthropic"') &&
        series.includes(`direction="${direction}"`),
    )?.[1]
  expect([tokens('cache_tokens_total', 'read'), tokens('cache_tokens_total', 'write')]).toEqual([30, 20])
  expect(tokens('tokens_total', 'input')).toBe(60)
})

it('repairs of answers, by kind', async () => {
  bench.openai.play([{ call: { name: 'read', arguments: '{"path":"a"}{"path":"b"}' } }, { end: 'stop' }])
  const growth = await grown(() => chatStream(bench.url, ask('openai/gpt-demo')))
  const repairs = [...growth].filter(([series]) => series.startsWith('dragoman_answer_repairs_total'))
  expect(repairs.toSorted()).toEqual([
    ['dragoman_answer_repairs_total{backend="openai",kind="arguments"}', 1],
    ['dragoman_answer_repairs_total{backend="openai",kind="finish-of-calls"}', 1],
  ])
})

it('keep-alives, retries and notes', async () => {
  bench.openai.play([{ status: 503, body: 'busy' }], [{ wait: 250 }, { say: 'x' }, { end: 'stop' }])
  const body = ask('openai/gpt-demo', {
    messages: [
      { role: 'user', content: 'x' },
      { role: 'assistant', content: '' },
    ],
  })
  const growth = await grown(() => chatStream(bench.url, body))
  expect(growth.get('dragoman_keep_alives_total{door="openai-chat"}')).toBeGreaterThan(0)
  const retried = 'dragoman_attempts_failed_total{backend="openai",code="upstream-unavailable",next="retry"}'
  expect(growth.get(retried)).toBe(1)
  expect(growth.get('dragoman_notes_total{backend="openai"}')).toBeGreaterThan(0)
})

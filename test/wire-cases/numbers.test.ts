// T43: numbers that a double cannot hold, from one dialect to another. docs/wire-cases.md explains it;
// test/fuzz/exact-numbers.test.ts has every door and every kind of backend.

import { expect, it } from 'vitest'
import { useBench } from '../harness.ts'

const bench = useBench({ openai: { lenient: true } })

const input =
  '{"id":9007199254740993,"huge":1e400,"one":1.0,"zero":-0,"deep":[{"tenth":0.1000000000000000055}]}'
const numbers = ['9007199254740993', '1e400', '1.0', '-0', '0.1000000000000000055']
const schema = '{"type":"object","properties":{"id":{"type":"integer","maximum":9007199254740993}}}'

async function post(path: string, body: string): Promise<string> {
  const answer = await fetch(`${bench.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })
  const text = await answer.text()
  expect([answer.status, answer.status === 200 ? '' : text]).toEqual([200, ''])
  return text
}

it('T43: Messages to Chat: arguments and schemas keep their digits', async () => {
  await post(
    '/v1/messages',
    `{"model":"openai/gpt-demo","max_tokens":100,"messages":[{"role":"user","content":"go"},
    {"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":${input}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"done"}]}],
    "tools":[{"name":"f","input_schema":${schema}}]}`,
  )
  const sent = bench.openai.requests.at(-1)
  const body = JSON.parse(sent?.bodyText ?? '{}')
  for (const number of numbers) expect(body.messages[1].tool_calls[0].function.arguments).toContain(number)
  expect(sent?.bodyText).toContain('"maximum":9007199254740993')
})

it.each([
  { backend: 'anthropic', model: 'anthropic/claude-demo' },
  { backend: 'gemini', model: 'gemini/gemini-3.8-flash' },
] as const)(
  'T43: Chat to $backend: arguments keep their digits where nothing else has such numbers',
  async (to) => {
    await post(
      '/v1/chat/completions',
      JSON.stringify({
        model: to.model,
        messages: [
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: input } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'done' },
        ],
        tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }],
      }),
    )
    const sent = bench[to.backend].requests.at(-1)?.bodyText ?? ''
    for (const number of numbers) expect(sent).toContain(`:${number}`)
  },
)

it.each(['chat', 'responses'] as const)(
  'T43: %s to Messages: arguments and schemas keep their digits',
  async (door) => {
    const text = JSON.stringify(input)
    if (door === 'chat')
      await post(
        '/v1/chat/completions',
        `{"model":"anthropic/claude-demo","messages":[{"role":"user","content":"go"},
        {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${text}}}]},
        {"role":"tool","tool_call_id":"c1","content":"done"}],
        "tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]}`,
      )
    else
      await post(
        '/v1/responses',
        `{"model":"anthropic/claude-demo","input":[{"role":"user","content":"go"},
        {"type":"function_call","call_id":"c1","name":"f","arguments":${text}},
        {"type":"function_call_output","call_id":"c1","output":"done"}],
        "tools":[{"type":"function","name":"f","parameters":${schema}}]}`,
      )
    const sent = bench.anthropic.requests.at(-1)?.bodyText ?? ''
    for (const number of numbers) expect(sent).toContain(`:${number}`)
    expect(sent).toContain('"maximum":9007199254740993')
  },
)

const call = `{"id":"c1","name":"f","args":${input}}`
const ollamaCall = `{"id":"c1","function":{"name":"f","arguments":${input}}}`
const tools = {
  gemini: `"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":${schema}}]}]`,
  ollama: `"tools":[{"type":"function","function":{"name":"f","parameters":${schema}}}]`,
}
const bodies = {
  gemini: (stream: boolean, model: string) => ({
    path: `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: `{"contents":[{"role":"user","parts":[{"text":"go"}]},
    {"role":"model","parts":[{"functionCall":${call}}]},
    {"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"done"}}}]}],${tools.gemini}}`,
  }),
  ollama: (stream: boolean, model: string) => ({
    path: '/api/chat',
    body: `{"model":"${model}","stream":${stream},"messages":[{"role":"user","content":"go"},
    {"role":"assistant","content":"","tool_calls":[${ollamaCall}]},
    {"role":"tool","tool_call_id":"c1","content":"done"}],${tools.ollama}}`,
  }),
}
const models = {
  anthropic: 'anthropic/claude-demo',
  gemini: 'gemini/gemini-3.8-flash',
  openai: 'openai/gpt-demo',
} as const

/** Beside the doors above: both ways, in both forms. */
const ways = (['gemini', 'ollama'] as const).flatMap((door) =>
  (['anthropic', 'gemini', 'openai'] as const).flatMap((backend) =>
    [true, false].map((stream) => ({ door, backend, stream })),
  ),
)

it.each(ways)('T43: $door to $backend and back, streamed: $stream', async ({ door, backend, stream }) => {
  // Of the simulators this one sends arguments as they are given.
  bench[backend].play([{ call: { name: 'f', arguments: backend === 'openai' ? input : { id: 1 } } }])
  const { path, body } = bodies[door](stream, models[backend])
  const answer = await post(path, body)
  const sent = bench[backend].requests.at(-1)?.bodyText ?? ''
  const text = backend === 'openai' ? JSON.parse(sent).messages[1].tool_calls[0].function.arguments : sent
  for (const number of numbers) expect(text).toContain(`:${number}`)
  expect(sent).toContain('"maximum":9007199254740993')
  if (backend === 'openai') for (const number of numbers) expect(answer).toContain(`:${number}`)
})

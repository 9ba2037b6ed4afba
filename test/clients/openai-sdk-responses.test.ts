// The official openai package on the Responses API: its own accumulator decides whether our events are right, and a
// checker of our own looks at every byte of the same answers. What every door must do: responses-door.test.ts.

import type { JsonObject } from '@bufbuild/protobuf'
import OpenAI from 'openai'
import type { ResponseInputItem } from 'openai/resources/responses/responses'
import { beforeAll, describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import type { Step } from '../../sim/script.ts'
import { positions, spread } from '../depth.ts'
import { useBench } from '../harness.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { chunk } from '../wire-cases/frames.ts'

const bench = useBench({ openai: { lenient: true } })
let client: OpenAI
beforeAll(() => {
  client = new OpenAI({ baseURL: `${bench.url}/v1`, apiKey: 'any', maxRetries: 0 })
})

const files: Record<string, string> = { 'README.md': '# Dragoman\nmore', 'package.json': '{ "name": "x" }' }
const readFile = {
  type: 'function' as const,
  name: 'read_file',
  description: 'Read a file',
  strict: true,
  parameters: {
    type: 'object',
    properties: { path: { type: 'string' } },
    required: ['path'],
    additionalProperties: false,
  },
}
const patch = { type: 'custom' as const, name: 'apply_patch', description: 'Changes files' }
const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const models = [
  'anthropic/claude-demo',
  'openai/gpt-demo',
  'cursor/composer-2',
  'text/text-demo',
  'text/qwen3-coder',
]

type AnyStep = Step | Extract<CursorStep, { await: 'results' }>

function play(model: string, ...steps: AnyStep[]): void {
  if (model.startsWith('cursor'))
    bench.cursor.play(
      steps.map((step): CursorStep => {
        if (!('call' in step)) return step as CursorStep
        return { exec: { mcp: { name: step.call.name, args: step.call.arguments as JsonObject } } }
      }),
    )
  else if (model.startsWith('text')) bench.text.play(steps as Step[])
  else bench[model.startsWith('openai') ? 'openai' : 'anthropic'].play(steps as Step[])
}

const readCall = (path: string): Step => ({ call: { name: 'read_file', arguments: { path } } })

type Body = Omit<OpenAI.Responses.ResponseCreateParamsNonStreaming, 'stream'>

/** The same question three times: whole, through the SDK's stream, and byte by byte. */
async function everyWay(body: Body, steps: AnyStep[]): Promise<OpenAI.Responses.Response[]> {
  const model = String(body.model)
  play(model, ...steps)
  const whole = await client.responses.create(body)
  play(model, ...steps)
  const streamed = await client.responses.stream(body).finalResponse()
  play(model, ...steps)
  const raw = await readResponsesStream(
    await fetch(`${bench.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
    }),
  )
  expect(raw.problems).toEqual([])
  return [whole, streamed as unknown as OpenAI.Responses.Response, raw.response]
}

const outputText = ({ output }: OpenAI.Responses.Response) =>
  output
    .flatMap((item) => (item.type === 'message' ? item.content : []))
    .map((part) => ('text' in part ? part.text : ''))
    .join('')

/** What a program does with the calls of an answer. */
const resultsOf = ({ output }: OpenAI.Responses.Response): ResponseInputItem[] =>
  output.flatMap((item): ResponseInputItem[] => {
    if (item.type !== 'function_call') return []
    const { path } = JSON.parse(item.arguments) as { path: string }
    return [{ type: 'function_call_output', call_id: item.call_id, output: files[path] ?? 'no such file' }]
  })

describe.each(spread(models, 1))('openai SDK, Responses on %s', (model) => {
  const question = { model, input: 'Read README.md and package.json', tools: [readFile] }

  it('a loop that sends the whole input each time, streamed', async () => {
    const input: ResponseInputItem[] = [
      { role: 'developer', content: 'You are a test.' },
      { role: 'user', content: question.input },
    ]
    const first = await client.responses.stream({ ...question, input, store: false }).finalResponse()
    expect(first.status).toBe('completed')
    const calls = first.output.filter((item) => item.type === 'function_call')
    expect(calls.map((call) => call.parsed_arguments)).toEqual([
      { path: 'README.md' },
      { path: 'package.json' },
    ])
    input.push(...(first.output as ResponseInputItem[]), ...resultsOf(first))
    const last = await client.responses.stream({ ...question, input, store: false }).finalResponse()
    expect(last.output_text).toContain('# Dragoman')
    expect(last.usage?.total_tokens).toBeGreaterThan(0)
  })

  it('a loop by previous_response_id, not streamed', async () => {
    const first = await client.responses.create(question)
    const last = await client.responses.create({
      ...question,
      previous_response_id: first.id,
      input: resultsOf(first),
    })
    expect(last.output_text).toContain('# Dragoman')
    expect(last.previous_response_id).toBe(first.id)
    expect((await client.responses.retrieve(last.id)).output_text).toBe(last.output_text)
  })

  it('a loop by references to items', async () => {
    const first = await client.responses.stream(question).finalResponse()
    const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: String(id) }))
    const input: ResponseInputItem[] = [
      { role: 'user', content: question.input },
      ...references,
      ...resultsOf(first),
    ]
    const last = await client.responses.create({ ...question, input })
    expect(last.output_text).toContain('# Dragoman')
  })

  it('text', async () => {
    for (const answer of await everyWay({ model, input: 'hello' }, [{ say: 'Grüße 🙂', pieces: 3 }])) {
      expect(outputText(answer)).toBe('Grüße 🙂')
      expect(answer).toMatchObject({ status: 'completed', model, incomplete_details: null, error: null })
      expect(answer.id).toMatch(/^resp_\w+$/)
    }
  })

  it.each([1, 3])('%i calls at once', async (count) => {
    const paths = ['a', 'b', 'c'].slice(0, count)
    const body: Body = { model, input: 'hello', tools: [readFile] }
    for (const { output } of await everyWay(body, paths.map(readCall)))
      expect(output).toMatchObject(
        paths.map((path) => ({
          type: 'function_call',
          status: 'completed',
          name: 'read_file',
          arguments: JSON.stringify({ path }),
          call_id: expect.stringMatching(/./),
        })),
      )
  })

  it('a custom tool, there and back', async () => {
    const text = '*** Begin Patch\n+ "x" \\ {}\n*** End Patch'
    const body: Body = { model, input: 'hello', tools: [patch] }
    const steps: AnyStep[] = [{ call: { name: 'apply_patch', arguments: { input: text } } }]
    // A Cursor run goes on by itself once it has its result.
    const sameRun = model.startsWith('cursor')
    if (sameRun) steps.push({ await: 'results' }, { say: 'done' })
    for (const answer of await everyWay(body, steps)) {
      expect(answer.output).toMatchObject([{ type: 'custom_tool_call', name: 'apply_patch', input: text }])
      const [call] = answer.output
      if (call?.type !== 'custom_tool_call') throw new Error('no call')
      if (!sameRun) play(model, { say: 'done' })
      const output: ResponseInputItem = {
        type: 'custom_tool_call_output',
        call_id: call.call_id,
        output: 'patched',
      }
      const next = await client.responses.create({
        ...body,
        previous_response_id: answer.id,
        input: [output],
      })
      expect(next.output_text).toBe('done')
    }
    expect(bench.cursor.violations).toEqual([])
  })
})

describe('openai SDK, Responses: a stream that is cut off', () => {
  const model = 'anthropic/claude-demo'
  const body: Body = { model, input: 'hello', tools: [patch, readFile], reasoning: { effort: 'low' } }
  const steps: Step[] = [
    { think: 'hm' },
    { say: 'Grüße' },
    readCall('README.md'),
    { call: { name: 'apply_patch', arguments: { input: '*** "x"' } } },
  ]

  const callsIn = (answer: OpenAI.Responses.Response | undefined) =>
    ((answer?.output ?? []) as unknown as Record<string, unknown>[]).flatMap((item) =>
      String(item.type).endsWith('_call') && item.status === 'completed'
        ? [[item.call_id, item.arguments ?? item.input]]
        : [],
    )

  /** What the SDK makes of these bytes; undefined where it says that something is wrong. */
  async function readBySdk(bytes: Uint8Array): Promise<OpenAI.Responses.Response | undefined> {
    const headers = { 'content-type': 'text/event-stream' }
    const cut = new OpenAI({
      apiKey: 'any',
      maxRetries: 0,
      logLevel: 'off',
      fetch: async () => new Response(Buffer.from(bytes), { headers }),
    })
    return cut.responses
      .stream(body)
      .finalResponse()
      .catch(() => undefined)
  }

  it('at any byte: the answer is not completed, and has no incomplete call', async () => {
    play(model, ...steps)
    const answer = await fetch(`${bench.url}/v1/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, tools: [patch, readFile], stream: true }),
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    const whole = await readBySdk(bytes)
    expect(whole?.status).toBe('completed')
    const calls = callsIn(whole)
    expect(calls).toHaveLength(2)
    // The last two are the line ends behind the last event.
    for (const length of positions(bytes.length - 2, 80)) {
      const read = await readBySdk(bytes.subarray(0, length))
      if (!read) continue
      expect(read.status).toBe('in_progress')
      const done = callsIn(read)
      expect(done).toEqual(calls.slice(0, done.length))
    }
  })
})

describe('openai SDK, Responses: what single backends show', () => {
  /** The others do not show theirs. */
  it.each(['anthropic/claude-demo', 'cursor/composer-2'])('%s: reasoning', async (model) => {
    const body: Body = { model, input: 'hello', reasoning: { effort: 'low', summary: 'auto' } }
    for (const { output } of await everyWay(body, [{ think: 'let me see' }, { say: 'so' }])) {
      expect(output.map(({ type }) => type)).toEqual(['reasoning', 'message'])
      expect(output[0]).toMatchObject({ summary: [{ type: 'summary_text', text: 'let me see' }] })
    }
  })

  it.each(['anthropic/claude-demo', 'openai/gpt-demo'])('%s: a limit is incomplete', async (model) => {
    for (const answer of await everyWay({ model, input: 'hello' }, [{ say: 'so far' }, { end: 'length' }])) {
      expect(answer).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
      })
      expect(answer.output).toMatchObject([{ type: 'message', status: 'incomplete' }])
    }
  })

  it('a refusal text is a separate kind of part', async () => {
    const steps = [
      chunk({ role: 'assistant' }),
      chunk({ refusal: 'I will ' }),
      chunk({ refusal: 'not.' }),
      chunk({}, 'stop'),
    ]
    bench.openai.play(steps)
    const answer = await client.responses.stream({ model: 'openai/gpt-demo', input: 'x' }).finalResponse()
    expect(answer.output).toMatchObject([{ content: [{ type: 'refusal', refusal: 'I will not.' }] }])
  })

  it('a refusal is incomplete, by the filter', async () => {
    const steps: Step[] = [{ say: 'I' }, { end: 'refusal' }]
    for (const answer of await everyWay({ model: 'anthropic/claude-demo', input: 'hello' }, steps))
      expect(answer).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } })
  })

  it.each(['anthropic/claude-demo', 'openai/gpt-demo'])(
    '%s: results with errors and images',
    async (model) => {
      const input: ResponseInputItem[] = [
        { role: 'user', content: 'look' },
        { type: 'function_call', call_id: 'c1', name: 'read_file', arguments: '{"path":"a"}' },
        { type: 'function_call', call_id: 'c2', name: 'read_file', arguments: '{"path":"b"}' },
        { type: 'function_call_output', call_id: 'c1', output: 'Error: no such file' },
        {
          type: 'function_call_output',
          call_id: 'c2',
          output: [
            { type: 'input_text', text: 'a picture' },
            { type: 'input_image', image_url: `data:image/png;base64,${pixel}`, detail: 'auto' },
          ],
        },
      ]
      for (const answer of await everyWay({ model, input, tools: [readFile] }, [{ say: 'seen' }]))
        expect(outputText(answer)).toBe('seen')
      const sim = model.startsWith('openai') ? bench.openai : bench.anthropic
      const sent = JSON.stringify(sim.requests.at(-1)?.body)
      for (const part of ['Error: no such file', 'a picture', pixel]) expect(sent).toContain(part)
    },
  )

  it('signed thinking is sent back in encrypted_content, without stored state', async () => {
    const model = 'anthropic/claude-demo'
    const body: Body = {
      model,
      input: 'x',
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
    }
    play(model, { think: 'why' }, { say: 'because' })
    const first = await client.responses.create(body)
    const input = [...(first.output as ResponseInputItem[]), { role: 'user' as const, content: 'and?' }]
    play(model, { say: 'so' })
    await client.responses.create({ ...body, input: [{ role: 'user', content: 'x' }, ...input] })
    expect(JSON.stringify(bench.anthropic.requests.at(-1)?.body)).toMatch(
      /"thinking":"why","signature":"[^"]+"/,
    )
  })

  it('a response that is not stored is a 404 that clients recognize', async () => {
    const model = 'openai/gpt-demo'
    const unkept = await client.responses.create({ model, input: 'hello', store: false })
    const next = { model, input: 'more', previous_response_id: unkept.id }
    expect(await client.responses.create(next).catch((error: unknown) => error)).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
    const kept = await client.responses.create({ model, input: 'hello', metadata: { a: 'b' } })
    expect((await client.responses.retrieve(kept.id)).metadata).toEqual({ a: 'b' })
    await client.responses.delete(kept.id)
    expect(await client.responses.retrieve(kept.id).catch((error: unknown) => error)).toMatchObject({
      status: 404,
    })
  })
})

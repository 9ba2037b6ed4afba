// The official openai package as a witness: its own parsers decide whether our answers are right.

import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Bench, startBench } from '../harness.ts'

let bench: Bench
let client: OpenAI
const files: Record<string, string> = { 'README.md': '# Dragoman\nmore', 'package.json': '{ "name": "x" }' }

beforeAll(async () => {
  bench = await startBench({ openai: { lenient: true }, cursor: { nativeTools: 'redirect' } })
  client = new OpenAI({ baseURL: `${bench.url}/v1`, apiKey: 'any', maxRetries: 0 })
})
afterAll(() => bench.close())

const parameters = {
  type: 'object',
  properties: { path: { type: 'string' } },
  required: ['path'],
  additionalProperties: false,
}
const readFile = {
  type: 'function' as const,
  function: {
    name: 'read_file',
    description: 'Read a file',
    parse: JSON.parse as (text: string) => { path: string },
    function: ({ path }: { path: string }) => files[path] ?? `no such file: ${path}`,
    parameters,
  },
}
const messages = [
  { role: 'developer' as const, content: 'You are a test.' },
  { role: 'user' as const, content: 'Read README.md and package.json' },
]

const models = [
  'anthropic/claude-demo',
  'openai/gpt-demo',
  'cursor/composer-2',
  'text/text-demo',
  'text/qwen3-coder',
]

describe.each(models)('openai SDK on %s', (model) => {
  it('runTools, streamed: two calls at once, then the answer', async () => {
    const runner = client.chat.completions.runTools({
      model,
      messages,
      tools: [readFile],
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(await runner.finalContent()).toContain('# Dragoman')
    const called = runner.messages.flatMap((message) =>
      'tool_calls' in message ? (message.tool_calls ?? []) : [],
    )
    expect(called).toHaveLength(2)
    expect((await runner.totalUsage()).total_tokens).toBeGreaterThan(0)
  })

  it('runTools, not streamed', async () => {
    const runner = client.chat.completions.runTools({ model, messages, tools: [readFile] })
    expect(await runner.finalContent()).toContain('# Dragoman')
  })

  it('stream helper: final completion with parsed arguments and usage', async () => {
    const stream = client.chat.completions.stream({
      model,
      messages,
      tools: [{ type: 'function', function: { name: 'read_file', parameters, strict: true } }],
      stream_options: { include_usage: true },
    })
    const final = await stream.finalChatCompletion()
    expect(final.choices[0]?.finish_reason).toBe('tool_calls')
    expect(final.choices[0]?.message.tool_calls?.map((call) => call.function.parsed_arguments)).toEqual([
      { path: 'README.md' },
      { path: 'package.json' },
    ])
    expect(final.usage?.prompt_tokens).toBeGreaterThan(0)
  })

  it('models.list and models.retrieve', async () => {
    const listed = (await client.models.list()).data.map((entry) => entry.id)
    expect(listed.length).toBeGreaterThan(2)
    const first = listed[0] as string
    expect((await client.models.retrieve(first)).id).toBe(first)
  })

  it('errors have their type, code and status', async () => {
    const failed = await client.chat.completions
      .create({ model: `${model}`, messages: [] })
      .catch((error: unknown) => error)
    expect(failed).toBeInstanceOf(OpenAI.BadRequestError)
    const missing = await client.chat.completions
      .create({ model: 'nowhere', messages })
      .catch((error: unknown) => error)
    expect(missing).toMatchObject({ status: 404, code: 'model_not_found' })
  })

  it('an abort ends the upstream request', async () => {
    const { anthropic, openai, text } = bench
    const sim = model.startsWith('anthropic') ? anthropic : model.startsWith('text') ? text : openai
    sim.play([{ forever: { everyMs: 5 } }])
    const stream = await client.chat.completions.create({ model, messages, stream: true })
    for await (const _ of stream) break
    stream.controller.abort()
    await sim.requests.at(-1)?.waitForAbort()
  })
})

describe('openai SDK on a Cursor agent: its native requests reach the tools of the program', () => {
  const program = (done: string[]) =>
    [
      { name: 'read_file', description: 'Reads a file', properties: ['path'], gives: '# Dragoman\nmore' },
      { name: 'write_file', description: 'Writes a file', properties: ['path', 'content'], gives: 'written' },
      { name: 'run_command', description: 'Runs a shell command', properties: ['command'], gives: 'ran' },
      {
        name: 'list_files',
        description: 'Lists the files of a directory',
        properties: ['path'],
        gives: 'a.txt\nsrc/',
      },
      {
        name: 'grep',
        description: 'Searches the contents of files for a regular expression',
        properties: ['pattern'],
        gives: 'src/a.ts:1:const TODO = 1',
      },
      {
        name: 'glob',
        description: 'Finds files whose names match a glob pattern',
        properties: ['pattern'],
        gives: 'src/a.ts',
      },
    ].map(({ name, description, properties, gives }) => ({
      type: 'function' as const,
      function: {
        name,
        description,
        parse: JSON.parse as (text: string) => object,
        function: (input: object) => {
          done.push(`${name} ${JSON.stringify(input)}`)
          return gives
        },
        parameters: {
          type: 'object',
          properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
          required: properties,
        },
      },
    }))

  it.each([
    ['Read README.md', /^read_file \{"path":"README.md"\}$/, '# Dragoman'],
    [
      'Write hello to greeting.txt',
      /^write_file \{"path":"greeting.txt","content":"hello"\}$/,
      'greeting.txt',
    ],
    ['Run `ls`', /^run_command \{"command":"ls"\}$/, 'ran'],
    ['List the files', /^list_files \{"path":/, 'a.txt'],
    ['Search for TODO', /^grep \{"pattern":"TODO"\}$/, 'TODO'],
    ['Find files matching *.ts', /^glob \{"pattern":"\*\*\/\*.ts"\}$/, 'src/a.ts'],
  ])('%s', async (content, called, told) => {
    for (const stream of [true, false] as const) {
      const done: string[] = []
      const body = {
        model: 'cursor/composer-2',
        messages: [{ role: 'user' as const, content }],
        tools: program(done),
      }
      const runner = stream
        ? client.chat.completions.runTools({ ...body, stream })
        : client.chat.completions.runTools(body)
      expect(await runner.finalContent()).toContain(told)
      expect(done).toEqual([expect.stringMatching(called)])
    }
    expect(bench.cursor.violations).toEqual([])
  })
})

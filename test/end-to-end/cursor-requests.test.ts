// How a Chat request is translated for Cursor's agent.

import { fromBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { ConversationStepSchema, UserMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { answerOf, askCursor, followUp, startCursorBench, useCursorBench } from '../cursor-bench.ts'
import { answered, type Body, called, readTool, user } from '../harness.ts'

const bench = useCursorBench()

const weather = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Tells the weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

async function runOf(body: Body) {
  bench.sim.play([{ say: 'ok' }, { end: true }])
  const answer = await answerOf(bench.url, body, 'streamed')
  expect(answer.error).toBeUndefined()
  const run = bench.sim.runs.at(-1)
  // Sent in advance: the service need not ask for them one by one.
  const blobs = (run?.request?.preFetchedBlobs ?? []).map(({ value }) => Buffer.from(value))
  expect([...(run?.blobs.fetched.keys() ?? [])]).toEqual([])
  const prompt = blobs.filter((data) => data[0] === 0x7b).map((data) => JSON.parse(data.toString('utf8')))
  const action = run?.request?.action?.action
  const userMessage = action?.case === 'userMessageAction' ? action.value.userMessage : undefined
  return { answer, run, blobs, prompt, action, userMessage }
}

describe('a plain question', () => {
  it('is a user message, with the model and the tools named twice', async () => {
    const { run, userMessage } = await runOf(askCursor('hello', { tools: [readTool, weather] }))
    expect(userMessage).toMatchObject({ text: 'hello', mode: 1 })
    expect(run?.request?.requestedModel?.modelId).toBe('composer-2')
    expect(run?.request?.modelDetails?.modelId).toBe('composer-2')
    const names = ['client-read', 'client-get_weather']
    expect(run?.request?.mcpTools?.mcpTools.map(({ name }) => name)).toEqual(names)
    expect(run?.context?.tools.map(({ toolName }) => toolName)).toEqual(['client-read', 'get_weather'])
    expect(run?.request?.conversationId).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('shows the client as configured, with privacy on, and never a checksum unless asked for', async () => {
    const { run } = await runOf(askCursor('hello'))
    expect(run?.headers).toMatchObject({
      'x-cursor-client-type': 'sdk',
      'x-cursor-client-version': 'sdk-1.0.32',
      'x-ghost-mode': 'true',
    })
    expect(run?.headers).not.toHaveProperty('x-cursor-checksum')
    const other = await startCursorBench({
      backend: {
        clientType: 'cli',
        clientVersion: 'cli-1',
        privacy: false,
        checksum: 'token',
        headers: { 'x-more': '1' },
      },
    })
    other.sim.play([{ say: 'ok' }, { end: true }])
    await answerOf(other.url, askCursor('hello'), 'streamed')
    expect(other.sim.runs[0]?.headers).toMatchObject({
      'x-cursor-client-type': 'cli',
      'x-cursor-client-version': 'cli-1',
      'x-ghost-mode': 'false',
      'x-cursor-checksum': expect.stringMatching(/^[\w-]{8}[0-9a-f]{8}\/[0-9a-f]{8}$/),
      'x-more': '1',
    })
    await other.close()
  })

  it('takes the workspace from the header, then from the prompt', async () => {
    const system = { role: 'system', content: 'You are here.\nWorking directory: /from/prompt' }
    const body = askCursor('', { messages: [system, user('hello')] })
    expect((await runOf(body)).run?.context?.env?.workspacePaths).toEqual(['/from/prompt'])
    bench.sim.play([{ say: 'ok' }, { end: true }])
    await fetch(`${bench.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-dragoman-workspace': Buffer.from('/from/Überschrift').toString('latin1'),
      },
      body: JSON.stringify(body),
    })
    expect(bench.sim.runs.at(-1)?.context?.env?.workspacePaths).toEqual(['/from/Überschrift'])
  })

  it('takes the workspace of the configuration only where the client names none', async () => {
    const other = await startCursorBench({ backend: { workspace: '/from/config' } })
    for (const [content, path] of [
      ['Working directory: /from/prompt', '/from/prompt'],
      ['Be brief.', '/from/config'],
    ]) {
      other.sim.play([{ say: 'ok' }, { end: true }])
      const messages = [{ role: 'system', content }, user('hello')]
      await answerOf(other.url, askCursor('', { messages }), 'streamed')
      expect(other.sim.runs.at(-1)?.context?.env?.workspacePaths).toEqual([path])
    }
    await other.close()
  })

  it('sends inline images, and gives the URL of other images in the text', async () => {
    const data = Buffer.from('not really a picture').toString('base64')
    const content = [
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${data}` } },
      { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
    ]
    const { userMessage, answer } = await runOf(askCursor('', { messages: [user(content)] }))
    expect(userMessage?.text).toBe('look\n\n[image: https://example.com/cat.png]')
    const [image] = userMessage?.selectedContext?.selectedImages ?? []
    expect(image?.mimeType).toBe('image/png')
    expect(Buffer.from(image?.dataOrBlobId.value as Uint8Array).toString()).toBe('not really a picture')
    expect(answer.notes).toContain('image')
  })
})

it('schemas go out as their own text as well, where that is wanted, also when the service asks for them', async () => {
  const bench = await startCursorBench({ backend: { toolSchemas: 'both' }, sim: { mcpState: 'every' } })
  bench.sim.play([{ exec: { mcp: { name: 'read', args: {} } } }, { await: 'results' }])
  const schema = '{"type":"object","properties":{"n":{"type":"integer","maximum":9007199254740993}}}'
  const tools = `[{"type":"function","function":{"name":"read","parameters":${schema}}}]`
  const body = `{"model":"cursor/composer-2","messages":[{"role":"user","content":"go"}],"tools":${tools}}`
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${bench.url}/v1/chat/completions`, { method: 'POST', headers, body })
  expect(answer.status).toBe(200)
  const [run] = bench.sim.runs
  expect(run?.request.mcpTools?.mcpTools[0]?.inputSchemaJson).toBe(schema)
  expect(run?.request.mcpTools?.mcpTools[0]?.inputSchema).toBeDefined()
  const states = [...(run?.execResults.values() ?? [])].flat().flatMap(({ message }) => {
    const result = message.case === 'mcpStateExecResult' ? message.value.result : undefined
    return result?.case === 'success' ? result.value.servers : []
  })
  expect(states[0]?.tools[0]?.inputSchemaJson).toBe(schema)
  await bench.close()
})

describe('tool choice', () => {
  it('none, or no tools at all: none are offered, and the prompt says so', async () => {
    for (const more of [{ tool_choice: 'none' }, { tools: undefined }]) {
      const { run, userMessage } = await runOf(askCursor('hello', more))
      expect(run?.request?.mcpTools?.mcpTools).toEqual([])
      expect(run?.context?.cloudRule).toContain('No tools')
      expect(userMessage?.mode).toBe(2)
    }
  })

  it('none: a call that the agent makes anyway is refused, and it answers in text', async () => {
    bench.sim.play([
      { exec: { read: { path: 'a' } } },
      { await: 'results' },
      { say: 'in words' },
      { end: true },
    ])
    const answer = await answerOf(bench.url, askCursor('read', { tool_choice: 'none' }), 'whole')
    expect(answer).toMatchObject({ text: 'in words', calls: [], finish: 'stop' })
  })

  it('one tool: only that one is offered, and asked for in words, with a note', async () => {
    const choice = { type: 'function', function: { name: 'get_weather' } }
    const { run, answer } = await runOf(
      askCursor('hello', { tools: [readTool, weather], tool_choice: choice }),
    )
    expect(run?.request?.mcpTools?.mcpTools.map(({ name }) => name)).toEqual(['client-get_weather'])
    expect(run?.context?.cloudRule).toContain('"client-get_weather"')
    expect(answer.notes).toContain('tool_choice')
  })

  it('no parallel calls: one at a time', async () => {
    bench.sim.play([
      { execs: [{ read: { path: 'a' } }, { read: { path: 'b' } }], together: true },
      { await: 'results' },
      { say: 'both' },
      { end: true },
    ])
    const body = askCursor('read both', { parallel_tool_calls: false })
    const first = await answerOf(bench.url, body, 'streamed')
    expect(first.calls.map((call) => call.arguments)).toEqual(['{"path":"a"}'])
    const next = followUp(body, first, ['A'])
    const second = await answerOf(bench.url, next, 'streamed')
    expect(second.calls.map((call) => call.arguments)).toEqual(['{"path":"b"}'])
    const third = await answerOf(bench.url, followUp(next, second, ['B']), 'streamed')
    expect(third).toMatchObject({ text: 'both', session: 'live' })
  })
})

describe('settings', () => {
  it('that the service does not have are named in a note', async () => {
    const dropped = {
      temperature: 0.5,
      max_tokens: 100,
      stop: ['x'],
      seed: 7,
      verbosity: 'low',
      logit_bias: { 1: 2 },
    }
    const { answer } = await runOf(askCursor('hello', dropped))
    for (const name of Object.keys(dropped)) expect(answer.notes).toContain(name)
  })

  it('response_format becomes part of the prompt', async () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } }
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
    const { run, answer } = await runOf(askCursor('hello', { response_format: format }))
    expect(run?.context?.cloudRule).toContain(JSON.stringify(schema))
    expect(answer.notes).toContain('response_format')
  })

  it('parameters in the name of the model go out as parameters', async () => {
    const { run } = await runOf(askCursor('hello', { model: 'cursor/composer-2[effort=high,fast=true]' }))
    bench.sim.play([{ say: 'ok' }, { end: true }])
    const odd = await answerOf(bench.url, askCursor('hello', { model: 'cursor/composer-2[effort]' }), 'whole')
    expect(odd.status).toBe(404)
    bench.sim.clear()
    expect(run?.request?.requestedModel).toMatchObject({
      modelId: 'composer-2',
      parameters: [
        { id: 'effort', value: 'high' },
        { id: 'fast', value: 'true' },
      ],
    })
  })
})

describe('history', () => {
  const messages = [
    { role: 'system', content: 'Be brief.' },
    user('Read a'),
    { role: 'assistant', content: 'Reading.', tool_calls: [called('x1', 'read', { path: 'a' })] },
    answered('x1', 'AAA'),
    { role: 'assistant', content: 'It says AAA.' },
    user('Sure?'),
  ]

  it('is in the prompt, and the agent follows it', async () => {
    const { prompt, blobs, userMessage } = await runOf(askCursor('', { messages }))
    expect(prompt).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: [{ type: 'text', text: 'Read a' }] },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Reading.' },
          { type: 'tool-call', toolCallId: 'x1', toolName: 'client-read', args: { path: 'a' } },
        ],
      },
      {
        role: 'tool',
        id: 'x1',
        content: [{ type: 'tool-result', toolCallId: 'x1', toolName: 'client-read', result: 'AAA' }],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'It says AAA.' }] },
    ])
    expect(userMessage?.text).toBe('Sure?')
    const structures = blobs.filter((data) => data[0] !== 0x7b)
    const texts = structures.flatMap((data) => {
      try {
        return [fromBinary(UserMessageSchema, data).text]
      } catch {
        return []
      }
    })
    expect(texts).toContain('Read a')
    const calls = structures.flatMap((data) => {
      try {
        const { message } = fromBinary(ConversationStepSchema, data)
        return message.case === 'toolCall' ? [message.value.tool] : []
      } catch {
        return []
      }
    })
    expect(calls).toMatchObject([{ case: 'mcpToolCall', value: { args: { name: 'client-read' } } }])
  })

  it('that ends in results is gone on from, without a new user message', async () => {
    const { action, prompt } = await runOf(askCursor('', { messages: messages.slice(0, 4) }))
    expect(action?.case).toBe('resumeAction')
    expect(prompt.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool'])
  })

  it('keeps the images of results, and names them if only text is possible', async () => {
    const url = `data:image/png;base64,${Buffer.from('picture').toString('base64')}`
    const seen = [...messages]
    seen[3] = { ...answered('x1', ''), content: [{ type: 'image_url', image_url: { url } }] } as never
    const { prompt, blobs, answer } = await runOf(askCursor('', { messages: seen }))
    expect(prompt[3].content[0].result).toBe('[image]')
    expect(blobs.some((data) => data[0] !== 0x7b && data.includes('picture'))).toBe(true)
    expect(answer.notes).toContain('images of earlier turns')
  })

  it('has the same blobs every time', async () => {
    const one = await runOf(askCursor('', { messages }))
    const two = await runOf(askCursor('', { messages }))
    expect(one.blobs.length).toBeGreaterThan(5)
    expect(one.blobs).toEqual(two.blobs)
  })

  it('can be one text, in which nothing looks like a call', async () => {
    const other = await startCursorBench({ backend: { history: 'text' } })
    other.sim.play([{ say: 'ok' }, { end: true }])
    await answerOf(other.url, askCursor('', { messages }), 'streamed')
    const action = other.sim.runs[0]?.request?.action?.action
    const text = action?.case === 'userMessageAction' ? (action.value.userMessage?.text ?? '') : ''
    expect(text).toContain('AAA')
    expect(text.indexOf('Read a')).toBeLessThan(text.indexOf('It says AAA.'))
    expect(text).toMatch(/Sure\?$/)
    expect(text).not.toMatch(/\[Called|\[Tool/i)
    expect(other.sim.runs[0]?.context?.cloudRule).toContain('Be brief.')
    expect(other.sim.violations).toEqual([])
    await other.close()
  })
})

it('a history too large to send along is fetched by the service as it needs it', async () => {
  const other = await startCursorBench()
  other.sim.play([{ say: 'ok' }, { end: true }])
  const large = 'x'.repeat(3_000_000)
  const messages = [user(large), { role: 'assistant', content: large }, user('and now?')]
  const answer = await answerOf(other.url, askCursor('', { messages }), 'streamed')
  expect(answer.text).toBe('ok')
  const [run] = other.sim.runs
  expect(run?.blobs.fetched.size).toBeGreaterThan(0)
  expect([...(run?.blobs.fetched.values() ?? [])].every((data) => data !== undefined)).toBe(true)
  expect(other.sim.violations).toEqual([])
  await other.close()
})

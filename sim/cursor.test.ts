import { randomUUID } from 'node:crypto'
import { create, fromBinary, toJson } from '@bufbuild/protobuf'
import { afterEach, describe, expect, test } from 'vitest'
import type { ExecServerMessage } from '../proto/gen/agent/v1/exec_pb.ts'
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
  ConversationStateStructureSchema,
} from '../proto/gen/agent/v1/run_pb.ts'
import { ErrorDetailsSchema } from '../proto/gen/aiserver/v1/service_pb.ts'
import { type ResultInit, TestClient, type TestClientOptions } from './cursor/test-client.fixture.ts'
import {
  type CursorSim,
  type CursorSimOptions,
  type CursorStep,
  parseCursorScript,
  startCursorSim,
} from './cursor.ts'

let sim: CursorSim
afterEach(() => sim?.close())

const TRANSPORTS = ['http2', 'sse'] as const

async function start(options: CursorSimOptions = {}): Promise<CursorSim> {
  sim = await startCursorSim(options)
  return sim
}

function client(options: Partial<TestClientOptions> & { say?: string; model?: string } = {}): TestClient {
  const { say = 'Hello', model = 'composer-2', ...rest } = options
  return new TestClient({
    url: sim.url,
    transport: 'http2',
    token: sim.auth.issue().accessToken,
    onExec: answerNatively,
    ...rest,
    request: {
      action: { action: { case: 'userMessageAction', value: { userMessage: { text: say } } } },
      requestedModel: { modelId: model },
      conversationId: randomUUID(),
      ...rest.request,
    },
  })
}

function answerNatively({ message }: ExecServerMessage): ResultInit[] {
  switch (message.case) {
    case 'readArgs':
      return [read(message.value.path, `text of ${message.value.path}`)]
    case 'shellStreamArgs':
      return [
        { case: 'shellStream', value: { event: { case: 'start', value: {} } } },
        { case: 'shellStream', value: { event: { case: 'stdout', value: { data: 'printed\n' } } } },
        { case: 'shellStream', value: { event: { case: 'exit', value: { code: 0, cwd: '/project' } } } },
      ]
    case 'mcpArgs':
      return [mcp(`called ${message.value.toolName}`)]
    default:
      return []
  }
}

function read(path: string, content: string): ResultInit {
  const value = { path, output: { case: 'content' as const, value: content } }
  return { case: 'readResult', value: { result: { case: 'success', value } } }
}

function mcp(text: string): ResultInit {
  const content = [{ content: { case: 'text' as const, value: { text } } }]
  return { case: 'mcpResult', value: { result: { case: 'success', value: { content } } } }
}

const ADD = { name: 'kit-add', toolName: 'add', providerIdentifier: 'kit', description: 'Adds' }
const READ_A: CursorStep = { exec: { read: { path: 'a.txt' } } }

function updates(messages: readonly AgentServerMessage[]): string[] {
  return messages.flatMap(({ message }) =>
    message.case === 'interactionUpdate' ? [message.value.message.case ?? ''] : [],
  )
}

describe.each(TRANSPORTS)('the demo model over %s', (transport) => {
  test('answers, remembers and ends properly', async () => {
    await start()
    const { text, end, status, messages } = await client({ transport }).run()
    expect(status).toBe(200)
    expect(text).toContain('I am a simulated model')
    expect(end).toEqual({})
    expect(updates(messages)).toContain('turnEnded')
    expect(messages.at(-1)?.message.case).toBe('conversationCheckpointUpdate')
    expect(sim.violations).toEqual([])
    expect(sim.runs[0]).toMatchObject({ transport, closed: 'finished' })
  })

  test('asks for independent files at once, then for a command', async () => {
    await start()
    const { text, messages } = await client({ transport, say: 'Read a.txt and b.txt, then run `ls`' }).run()
    expect(text).toBe(
      'a.txt begins: text of /project/a.txt\nb.txt begins: text of /project/b.txt\n`ls` printed: printed',
    )
    const order = messages.flatMap(({ message }) => {
      if (message.case === 'execServerMessage') return [message.value.message.case]
      const update = message.case === 'interactionUpdate' ? message.value.message.case : undefined
      return update === 'toolCallCompleted' ? [update] : []
    })
    expect(order).toEqual([
      ...['requestContextArgs', 'readArgs', 'readArgs', 'toolCallCompleted', 'toolCallCompleted'],
      ...['shellStreamArgs', 'toolCallCompleted'],
    ])
    expect(sim.violations).toEqual([])
  })

  test('calls a tool of the client by its name', async () => {
    await start()
    const request = { mcpTools: { mcpTools: [ADD] } }
    const { text } = await client({ transport, say: 'Call add with {"a":1}', request }).run()
    expect(text).toBe('The tool add returned: called add')
  })

  test('goes on with a state that it gave out', async () => {
    await start()
    const conversationId = randomUUID()
    const first = client({ transport, say: 'Read a.txt', request: { conversationId } })
    const { messages } = await first.run()
    const last = messages.at(-1)?.message
    const conversationState = last?.case === 'conversationCheckpointUpdate' ? last.value : {}
    sim.play({ expect: { turns: [{ user: 'Read a.txt' }], text: 'And now?' }, steps: [{ say: 'fine' }] })
    const request = { conversationId, conversationState }
    const second = client({ transport, say: 'And now?', request, blobs: first.blobs })
    expect((await second.run()).text).toBe('fine')
    expect(sim.violations).toEqual([])
  })
})

describe('the demo model', () => {
  test('thinks aloud where the model does', async () => {
    await start()
    const { thinking, messages } = await client({ model: 'gpt-5.2-high' }).run()
    expect(thinking).toBe('A short answer will do.')
    expect(updates(messages)).toContain('thinkingCompleted')
  })

  test('speaks beside its answer where that is wanted', async () => {
    await start({ chatter: true })
    const request = { clientSupportsRoutedModelUpdate: true }
    const { messages, end } = await client({ model: 'default', request }).run()
    const all = messages.flatMap(({ message }) =>
      message.case === 'interactionUpdate' ? [message.value] : [],
    )
    expect(updates(messages).slice(0, 5)).toEqual(['routedModel', '', '', 'textDelta', 'textDelta'])
    expect(all.flatMap(({ $unknown }) => $unknown?.map(({ no }) => no) ?? [])).toEqual([22, 26])
    expect(all.filter(({ messageStartedAtMs }) => messageStartedAtMs !== undefined).length).toBeGreaterThan(5)
    expect(messages.every(({ $unknown }) => $unknown?.[0]?.no === 8)).toBe(true)
    const notices = all.filter(({ message }) => message.case === 'textDelta' && message.value.isServerNotice)
    expect(notices).toHaveLength(2)
    expect(end).toEqual({})
  })

  test('says how many calls it makes at once, none included', async () => {
    await start()
    const { messages } = await client({ say: 'Read a.txt and b.txt' }).run()
    const counts = messages.flatMap(({ message }) => {
      const update = message.case === 'interactionUpdate' ? message.value.message : undefined
      return update?.case === 'toolRequestsListed' ? [update.value.callCount] : []
    })
    expect(counts).toEqual([2, 0])
  })

  test('takes the tool of the client where its own is refused', async () => {
    await start()
    const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
    const inputSchema = { kind: { case: 'structValue' as const, value: structOf(schema) } }
    const tool = {
      ...ADD,
      name: 'kit-read',
      toolName: 'read_a_file',
      description: 'Reads a file',
      inputSchema,
    }
    const { text } = await client({
      say: 'Read a.txt',
      request: { mcpTools: { mcpTools: [tool] } },
      onExec: ({ message }) => {
        if (message.case !== 'readArgs') return message.case === 'mcpArgs' ? [mcp('from the client')] : []
        const value = { path: message.value.path, reason: 'not here' }
        return [{ case: 'readResult', value: { result: { case: 'rejected', value } } }]
      },
    }).run()
    expect(text).toBe('a.txt begins: from the client')
  })

  test('says so where every tool is refused', async () => {
    await start()
    const { text, end } = await client({
      say: 'Read a.txt',
      onExec: ({ message }) => (message.case === 'requestContextArgs' ? [] : 'not available'),
    }).run()
    expect(text).toContain('The tool read_file was refused: not available')
    expect(text).toContain('The tool run_terminal_cmd was refused')
    expect(end).toEqual({})
    expect(sim.violations).toEqual([])
  })

  test('asks for a command as one result where it is told to', async () => {
    await start({ shell: 'whole' })
    const { text } = await client({
      say: 'Run `false`',
      onExec: ({ message }) =>
        message.case === 'shellArgs'
          ? [
              {
                case: 'shellResult',
                value: { result: { case: 'failure', value: { exitCode: 1, stderr: 'no' } } },
              },
            ]
          : [],
    }).run()
    expect(text).toBe('`false` failed: no')
  })

  test('has only the tools of the client where it is told so', async () => {
    await start({ nativeTools: false })
    const request = { mcpTools: { mcpTools: [ADD] } }
    const { text, messages } = await client({ say: 'Read a.txt', request }).run()
    expect(text).toBe('I have no tool to do this: Read a.txt.')
    expect(messages.filter(({ message }) => message.case === 'execServerMessage')).toHaveLength(1)
  })

  test('makes titles where that is what it is for', async () => {
    await start()
    const rule = 'You are a title generator. Give a short title.'
    const requestContext = { cloudRule: rule }
    const userMessage = { text: 'Read a.txt' }
    const action = { action: { case: 'userMessageAction' as const, value: { userMessage, requestContext } } }
    expect((await client({ request: { action } }).run()).text).toBe('Read a.txt')
  })

  test('knows no other models than those listed', async () => {
    await start({ models: ['only'] })
    const { end } = await client().run()
    expect(end?.error).toMatchObject({ code: 'not_found', message: 'Error' })
    const value = end?.error?.details?.[0]?.value ?? ''
    const details = fromBinary(ErrorDetailsSchema, Buffer.from(value, 'base64'))
    expect(toJson(ErrorDetailsSchema, details)).toMatchObject({
      error: 5,
      details: { title: 'Bad model name' },
    })
    expect(sim.violations).toEqual([])
  })

  test('resumes a turn from what was done in it', async () => {
    await start()
    const first = client({ say: 'Read a.txt, then read b.txt' })
    const { messages } = await first.run()
    const checkpoints = messages.flatMap(({ message }) =>
      message.case === 'conversationCheckpointUpdate' ? [message.value] : [],
    )
    const conversationState = checkpoints[1] ?? create(ConversationStateStructureSchema)
    const asked: string[] = []
    const second = client({
      blobs: first.blobs,
      request: { conversationState, action: { action: { case: 'resumeAction', value: {} } } },
      onExec: (exec) => {
        if (exec.message.case === 'readArgs') asked.push(exec.message.value.path)
        return answerNatively(exec)
      },
    })
    expect((await second.run()).text).toContain('b.txt begins: text of /project/b.txt')
    expect(asked).toEqual(['/project/b.txt'])
  })

  test('ends with "Blob not found" where the client lost its state', async () => {
    await start()
    const conversationState = { turns: [new Uint8Array(32)] }
    const { end } = await client({ request: { conversationState } }).run()
    expect(end?.error).toMatchObject({ code: 'internal', message: 'Blob not found' })
  })
})

function structOf(json: Record<string, unknown>) {
  const value = (item: unknown): object => {
    if (typeof item === 'string') return { kind: { case: 'stringValue', value: item } }
    if (Array.isArray(item)) return { kind: { case: 'listValue', value: { values: item.map(value) } } }
    return { kind: { case: 'structValue', value: structOf(item as Record<string, unknown>) } }
  }
  return { fields: Object.fromEntries(Object.entries(json).map(([key, item]) => [key, value(item)])) }
}

describe('scripts', () => {
  test.each(TRANSPORTS)('play every exec kind over %s and await the answers', async (transport) => {
    await start()
    sim.play([
      { execs: [{ read: { path: 'a' } }, { mcp: { name: 'add', args: { a: 1 } } }], together: true },
      { exec: { unknown: { field: 77 } } },
      { await: 'results' },
      { say: 'done', pieces: 4 },
    ])
    const seen: (string | undefined)[] = []
    const { text, end } = await client({
      transport,
      request: { mcpTools: { mcpTools: [ADD] } },
      onExec: (exec) => {
        const { message } = exec
        seen.push(
          message.case === 'mcpArgs'
            ? `${message.value.name} of ${message.value.providerIdentifier}`
            : message.case,
        )
        return message.case === undefined ? 'unknown' : answerNatively(exec)
      },
    }).run()
    expect({ text, end }).toEqual({ text: 'done', end: {} })
    expect(seen).toEqual(['requestContextArgs', 'readArgs', 'kit-add of kit', undefined])
    expect([...(sim.runs[0]?.thrown.values() ?? [])]).toEqual(['unknown'])
    expect(sim.violations).toEqual([])
    expect(sim.queued).toBe(0)
  })

  test('are chosen by what the request says', async () => {
    await start()
    sim.play(
      { when: { text: 'second' }, steps: [{ say: 'for the second' }] },
      { when: ({ tools }) => tools.includes('add'), steps: [{ say: 'for the one with tools' }] },
      { expect: { model: 'composer-2-fast' }, steps: [{ say: 'unseen' }] },
    )
    const request = { mcpTools: { mcpTools: [ADD] } }
    expect((await client({ say: 'first', request }).run()).text).toBe('for the one with tools')
    expect((await client({ say: 'second' }).run()).text).toBe('for the second')
    const { end } = await client({ say: 'third' }).run()
    expect(end?.error?.message).toContain('run.model: wanted "composer-2-fast", got "composer-2"')
    expect(sim.runs[2]?.difference).toContain('run.model')
  })

  test('are read from lines, and mistakes are named', async () => {
    const head = '{"script":1,"kind":"cursor","scenario":"s","source":"made"}'
    const lines = `${head}\n\n{"turn":{"when":{"model":"m"}}}\n{"exec":{"read":{"path":"a"}}}\n{"await":"results"}\n{"turn":{}}\n{"query":"web_search","await":false}\n{"end":"turn-only"}`
    const script = parseCursorScript(lines)
    expect(script).toMatchObject({ kind: 'cursor', scenario: 's', turns: [{ when: { model: 'm' } }, {}] })
    expect(script.turns.map(({ steps }) => steps.length)).toEqual([2, 2])
    expect(() => parseCursorScript(`${head}\n{"say":"x"}`)).toThrow('line 2: a step before the first')
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"exec":{"nope":{}}}`)).toThrow(
      'line 3: "exec" must be',
    )
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"say":"x","loud":1}`)).toThrow(
      'has no field "loud"',
    )
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"fault":"oops"}`)).toThrow('must be one of reset')
    expect(parseCursorScript(`${head}\n{"turn":{}}\n{"reask":"same-id"}`).turns[0]?.steps).toEqual([
      { reask: 'same-id' },
    ])
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"reask":"no"}`)).toThrow('"reask" must be')
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"error":{"code":"bad"}}`)).toThrow(
      '"error" must be',
    )
  })

  test('store and fetch blobs, ask the user, and hide text in a blob', async () => {
    await start()
    sim.play([
      ...([{ kv: 'set', data: 'kept' }, { kv: 'get' }, { kv: 'get', missing: true }] as const),
      ...([{ blobText: 'hidden' }, { query: 'web_search' }, { say: 'shown' }] as const),
    ])
    const one = client()
    const { text } = await one.run()
    expect(text).toBe('shown')
    const kept = [...one.blobs.values()].map((data) => Buffer.from(data).toString())
    expect(kept).toContain('kept')
    expect(kept).toContain('{"role":"assistant","content":[{"type":"text","text":"hidden"}]}')
    expect(sim.violations).toEqual([])
  })

  test('send an error with details, a status, a turn without an end, an end without a turn', async () => {
    await start()
    const details = { error: 41, title: 'Slow down', detail: 'Later', isRetryable: true }
    sim.play(
      [{ say: 'a' }, { error: { code: 'resource_exhausted', details } }],
      [{ status: 429, headers: { 'retry-after': '1' }, body: { code: 'resource_exhausted' } }],
      [{ say: 'c' }, { end: 'turn-only' }, { fault: 'fin' }],
      [{ say: 'd' }, { end: 'frame-only' }],
    )
    const limited = await client().run()
    expect(limited.end?.error).toMatchObject({ code: 'resource_exhausted', message: 'Error' })
    for (const transport of TRANSPORTS) {
      if (transport === 'sse') sim.play([{ status: 503, body: 'down' }])
      expect((await client({ transport }).run()).status).toBe(transport === 'http2' ? 429 : 200)
    }
    expect((await client().run()).text).toBe('d')
    expect((await client().run()).status).toBe(503)
    expect(sim.violations).toEqual([])
  })

  test('tell the client to go away after a good end', async () => {
    await start()
    sim.play([{ say: 'fine' }, { end: true, usage: { input: 7, output: 3 } }, { fault: 'goaway' }])
    const { text, end, messages } = await client().run()
    expect({ text, end }).toEqual({ text: 'fine', end: {} })
    const ended = messages.flatMap(({ message }) =>
      message.case === 'interactionUpdate' && message.value.message.case === 'turnEnded'
        ? [message.value.message.value]
        : [],
    )
    expect(ended).toMatchObject([{ inputTokens: 7n, outputTokens: 3n }])
  })

  test('compress and cut what follows', async () => {
    await start()
    sim.play([{ gzip: true }, { say: 'small' }, { gzip: false }, { split: 1 }, { say: ' pieces', pieces: 2 }])
    expect((await client().run()).text).toBe('small pieces')
  })

  test('ask the same again, and abort', async () => {
    await start()
    sim.play([
      READ_A,
      { await: 'results' },
      { 'repeat-exec': true },
      { 'repeat-exec': 'new-call' },
      { abort: 3 },
    ])
    const calls: string[] = []
    const { messages } = await client({
      onExec: (exec) => {
        if (exec.message.case === 'readArgs') calls.push(exec.message.value.toolCallId)
        return answerNatively(exec)
      },
    }).run()
    expect(calls).toHaveLength(3)
    expect(calls[1]).toBe(calls[0])
    expect(calls[2]).not.toBe(calls[0])
    expect(messages.some(({ message }) => message.case === 'execServerControlMessage')).toBe(true)
  })

  test('send messages as they are written', async () => {
    await start()
    const id = 40
    const written = { execServerMessage: { id, readArgs: { path: 'x' } } }
    const frame = Buffer.from('0000000000', 'hex').toString('base64')
    sim.play([{ serverMessage: written }, { await: 'results' }, { raw64: frame }, { end: true }])
    const { messages, end } = await client().run()
    expect(end).toEqual({})
    expect(sim.runs[0]?.closedExecs.has(id)).toBe(true)
    expect(messages).toContainEqual(create(AgentServerMessageSchema))
  })
})

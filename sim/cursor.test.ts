import { randomUUID } from 'node:crypto'
import { create, fromBinary, toJson } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { ConversationStateStructureSchema } from '../proto/gen/agent/v1/run_pb.ts'
import { ErrorDetailsSchema } from '../proto/gen/aiserver/v1/service_pb.ts'
import {
  ADD,
  answerNatively,
  client,
  mcp,
  sim,
  start,
  TRANSPORTS,
  updates,
  useDemoSim,
} from './cursor/demo.fixture.ts'

useDemoSim()

function structOf(json: Record<string, unknown>) {
  const value = (item: unknown): object => {
    if (typeof item === 'string') return { kind: { case: 'stringValue', value: item } }
    if (Array.isArray(item)) return { kind: { case: 'listValue', value: { values: item.map(value) } } }
    return { kind: { case: 'structValue', value: structOf(item as Record<string, unknown>) } }
  }
  return { fields: Object.fromEntries(Object.entries(json).map(([key, item]) => [key, value(item)])) }
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

  test('reports that every tool is refused', async () => {
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
    expect(text).toBe('`false` failed with exit code 1: no')
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

  test('resumes a turn after its completed steps', async () => {
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

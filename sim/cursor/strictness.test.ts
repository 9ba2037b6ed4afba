import { createHash } from 'node:crypto'
import { create } from '@bufbuild/protobuf'
import { afterEach, describe, expect, test } from 'vitest'
import type { ExecServerMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import { type AgentClientMessage, AgentClientMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { type CursorSim, type CursorSimOptions, type CursorStep, startCursorSim } from '../cursor.ts'
import { type ResultInit, TestClient, type TestClientOptions } from './test-client.fixture.ts'

let sim: CursorSim
afterEach(() => sim?.close())

const SHORT: CursorSimOptions = { execPatienceMs: 300, kvPatienceMs: 300 }

function client(options: Partial<TestClientOptions>): TestClient {
  return new TestClient({
    url: sim.url,
    transport: 'http2',
    token: sim.auth.issue().accessToken,
    ...options,
    request: {
      action: { action: { case: 'userMessageAction', value: { userMessage: { text: 'Hello' } } } },
      requestedModel: { modelId: 'composer-2' },
      ...options.request,
    },
  })
}

/** Runs one turn and returns its violations. */
async function blame(options: Partial<TestClientOptions>, steps: CursorStep[] = [], settings = SHORT) {
  sim = await startCursorSim(settings)
  if (steps.length > 0) sim.play(steps)
  const { end } = await client(options).run()
  expect(sim.runs[0]?.closed).toBe('failed')
  expect(sim.runs[0]?.violations).toEqual(sim.violations)
  expect(sim.violations).toEqual([end?.error?.message])
  return `${end?.error?.code}: ${end?.error?.message}`
}

/** Changes messages of one kind. */
function altering(
  kind: AgentClientMessage['message']['case'],
  change: (message: AgentClientMessage) => AgentClientMessage[],
): (message: AgentClientMessage) => AgentClientMessage[] {
  return (message) => (message.message.case === kind ? change(message) : [message])
}

const results =
  (...given: ResultInit[]) =>
  ({ message }: ExecServerMessage) =>
    message.case === 'requestContextArgs' ? [] : given
const READ: CursorStep = { exec: { read: { path: 'a' } } }
const GOOD_READ: ResultInit = {
  case: 'readResult',
  value: { result: { case: 'success', value: { path: 'a', output: { case: 'content', value: '' } } } },
}

describe('a run request', () => {
  test('comes first', async () => {
    const alter = altering('runRequest', () => [
      create(AgentClientMessageSchema, { message: { case: 'clientHeartbeat', value: {} } }),
    ])
    expect(await blame({ alter })).toBe(
      'invalid_argument: the first message is clientHeartbeat, not run_request',
    )
  })

  test('comes once', async () => {
    const alter = altering('runRequest', (message) => [message, message])
    expect(await blame({ alter })).toBe('invalid_argument: a second run_request')
  })

  test('has a conversation_state, though it may be empty', async () => {
    const alter = altering('runRequest', (message) => {
      if (message.message.case === 'runRequest') delete message.message.value.conversationState
      return [message]
    })
    expect(await blame({ alter })).toBe('invalid_argument: Conversation state is required')
    expect(sim.runs[0]?.requestBytes.length).toBeGreaterThan(0)
  })

  test('has neither a system prompt nor a wish without workspace, where the account may not', async () => {
    expect(await blame({ request: { customSystemPrompt: 'Be brief.' } })).toContain('--system-prompt')
    await sim.close()
    expect(await blame({ request: { excludeWorkspaceContext: true } })).toBe(
      'invalid_argument: Workspace context exclusion is not allowed for this user, team, or selected model',
    )
    await sim.close()
    sim = await startCursorSim({ grants: ['system-prompt', 'no-workspace-context'] })
    const request = { customSystemPrompt: 'Be brief.', excludeWorkspaceContext: true }
    expect((await client({ request }).run()).end).toEqual({})
  })

  test('has an action', async () => {
    const alter = altering('runRequest', (message) => {
      if (message.message.case === 'runRequest') delete message.message.value.action
      return [message]
    })
    expect(await blame({ alter })).toBe('invalid_argument: the action of run_request is not set')
  })

  test('gives pre-fetched blobs under their own hashes', async () => {
    const preFetchedBlobs = [{ id: new Uint8Array(32), value: new Uint8Array([1]) }]
    expect(await blame({ request: { preFetchedBlobs } })).toContain('has another sha256')
  })
})

describe('heads', () => {
  test.each([
    ['http2', { transport: 'http2' }],
    ['sse', { transport: 'sse' }],
    ['sse, opened after the first append,', { transport: 'sse', openAfterMs: 50 }],
  ] as const)('over %s are checked', async (_, options) => {
    const headers = { 'connect-protocol-version': undefined }
    expect(await blame({ ...options, headers })).toContain('connect-protocol-version: 1 is missing')
    const { status } = await client({ ...options, headers: { 'content-type': 'application/grpc' } }).run()
    expect(status).toBe(415)
    expect(sim.violations.at(-1)).toContain('content-type application/grpc')
    const { end } = await client({ ...options, headers: { authorization: undefined } }).run()
    expect(end?.error).toMatchObject({ code: 'unauthenticated', details: [{ debug: { error: 2 } }] })
    const token = sim.auth.issue().accessToken
    sim.auth.expire()
    const expired = await client({ ...options, token }).run()
    expect(expired.end?.error).toMatchObject({ code: 'unauthenticated', details: [{ debug: { error: 12 } }] })
  })

  test.each([
    ['content-type', 'application/grpc', 'BidiAppend with content-type application/grpc'],
    ['connect-protocol-version', undefined, 'BidiAppend without connect-protocol-version: 1'],
    ['authorization', undefined, 'an append without authorization'],
  ])('of appends are checked: %s', async (name, value, violation) => {
    sim = await startCursorSim()
    const alone = client({ transport: 'sse', appendHeaders: { [name]: value } })
    void alone.run()
    await expect.poll(() => sim.violations).toEqual([violation])
    alone.leave()
  })

  test('of RunSSE name the request', async () => {
    const headers = { 'x-request-id': undefined }
    expect(await blame({ transport: 'sse', headers })).toContain('RunSSE without x-request-id')
  })
})

describe('execs', () => {
  test.each<[string, ResultInit[], CursorStep, string]>([
    ['of another kind', [GOOD_READ], { exec: { ls: { path: 'a' } } }, 'is a readResult, not a lsResult'],
    [
      'that are one result for a stream',
      [{ case: 'shellResult', value: { result: { case: 'success', value: {} } } }],
      { exec: { shellStream: { command: 'ls' } } },
      'is a shellResult, not a shellStream',
    ],
    ['that say nothing', [{ case: 'readResult', value: {} }], READ, 'its oneof is not set'],
    ['that come twice', [GOOD_READ, GOOD_READ], READ, 'came twice'],
    [
      'of a file without its path',
      [{ case: 'readResult', value: { result: { case: 'success', value: {} } } }],
      READ,
      'is a ReadSuccess without a path',
    ],
    [
      'of a failed command called success',
      [{ case: 'shellResult', value: { result: { case: 'success', value: { exitCode: 2 } } } }],
      { exec: { shell: { command: 'false' } } },
      'is a ShellSuccess with exit code 2: that is a ShellFailure',
    ],
    [
      'of a folder without a tree',
      [{ case: 'lsResult', value: { result: { case: 'success', value: {} } } }],
      { exec: { ls: { path: '/' } } },
      'is an LsSuccess without directory_tree_root',
    ],
    [
      'of a search in another mode',
      [
        {
          case: 'grepResult',
          value: {
            result: {
              case: 'success',
              value: { workspaceResults: { '/': { result: { case: 'count', value: {} } } } },
            },
          },
        },
      ],
      { exec: { grep: { pattern: 'x', outputMode: 'files_with_matches' } } },
      'with "count" though output_mode is files_with_matches',
    ],
    [
      'of a stream that does not start',
      [{ case: 'shellStream', value: { event: { case: 'stdout', value: { data: 'x' } } } }],
      { exec: { shellStream: { command: 'ls' } } },
      'does not begin with a start event',
    ],
    [
      'of an unknown kind, guessed',
      [GOOD_READ],
      { exec: { unknown: { field: 99 } } },
      'an unknown exec is answered by throw',
    ],
  ])('refuse results %s', async (_name, given, step, sentence) => {
    expect(await blame({ onExec: results(...given) }, [step])).toContain(sentence)
  })

  test('are answered or kept alive', async () => {
    const alter = altering('execClientControlMessage', (message) => {
      const control = message.message.case === 'execClientControlMessage' ? message.message.value : undefined
      return control?.message.case === 'heartbeat' ? [] : [message]
    })
    const onExec = ({ message }: ExecServerMessage) =>
      message.case === 'requestContextArgs' ? [] : new Promise<ResultInit[]>(() => undefined)
    expect(await blame({ alter, onExec }, [READ])).toMatch(
      /^internal: exec \d+ \(read_args\) was neither answered nor kept alive by heartbeats for 300 ms$/,
    )
  })

  test('may take long as long as heartbeats come', async () => {
    sim = await startCursorSim({ execPatienceMs: 700, heartbeatMs: 200 })
    sim.play([READ])
    const slow = new Promise<ResultInit[]>((resolve) => setTimeout(() => resolve([GOOD_READ]), 1500))
    const onExec = ({ message }: ExecServerMessage) => (message.case === 'requestContextArgs' ? [] : slow)
    const { end, messages } = await client({ onExec }).run()
    expect(end).toEqual({})
    const [beats] = sim.runs[0]?.execHeartbeats.values() ?? []
    expect(beats).toBeGreaterThan(0)
    const isBeat = ({ message }: (typeof messages)[number]) =>
      message.case === 'interactionUpdate' && message.value.message.case === 'heartbeat'
    expect(messages.some(isBeat)).toBe(true)
  })

  const controlling = (change: (message: AgentClientMessage) => AgentClientMessage[]) =>
    altering('execClientControlMessage', (message) => {
      const control = message.message.case === 'execClientControlMessage' ? message.message.value : undefined
      return control?.message.case === 'streamClose' ? change(message) : [message]
    })

  test('are closed', async () => {
    let closes = 0
    const alter = controlling((message) => (closes++ === 0 ? [message] : []))
    expect(await blame({ alter, onExec: results(GOOD_READ) }, [READ])).toContain('not closed by stream_close')
  })

  test('are closed once', async () => {
    const alter = controlling((message) => [message, message])
    expect(await blame({ alter, onExec: results(GOOD_READ) }, [READ])).toContain('was closed twice')
  })

  test('are not closed without an answer', async () => {
    const alter = altering('execClientMessage', ({ message }) =>
      message.case === 'execClientMessage' && message.value.message.case === 'readResult'
        ? []
        : [create(AgentClientMessageSchema, { message })],
    )
    expect(await blame({ alter, onExec: results(GOOD_READ) }, [READ])).toContain(
      'was closed with neither a result nor a throw',
    )
  })

  test('that were not asked have no result', async () => {
    const alter = altering('execClientMessage', (message) => {
      if (message.message.case === 'execClientMessage') message.message.value.id = 99
      return [message]
    })
    expect(await blame({ alter })).toBe('invalid_argument: a result for exec 99, which nobody asked')
  })
})

describe('blobs', () => {
  test('are stored and acknowledged', async () => {
    expect(await blame({ alter: altering('kvClientMessage', () => []) })).toMatch(
      /^internal: kv request \d+ \(set_blob_args\) was not answered for 300 ms$/,
    )
  })

  test('are given back as they were', async () => {
    const id = createHash('sha256').update('something').digest()
    const blobs = new Map([[id.toString('hex'), Buffer.from('something else') as Uint8Array]])
    const request = { conversationState: { rootPromptMessagesJson: [id] } }
    expect(await blame({ blobs, request })).toContain(`blob ${id.toString('hex')} has another sha256`)
  })

  test('are not lost within a run', async () => {
    const blobs = new Map<string, Uint8Array>()
    blobs.set = () => blobs
    expect(await blame({ blobs }, [{ kv: 'set' }, { kv: 'get' }])).toContain(
      'Blob not found: the client lost',
    )
  })
})

describe('the client', () => {
  test('sends heartbeats', async () => {
    const settings = { ...SHORT, clientHeartbeatPatienceMs: 300 }
    expect(await blame({ heartbeatMs: 60_000 }, [{ wait: 5000 }], settings)).toBe(
      'internal: no client_heartbeat came for 300 ms',
    )
  })

  test('keeps its request open', async () => {
    sim = await startCursorSim()
    sim.play([{ fault: 'hang' }])
    const one = client({})
    const over = one.run()
    one.stream?.end()
    expect((await over).end?.error).toMatchObject({
      code: 'internal',
      message: expect.stringMatching(/^No exec result/),
    })
  })

  test.each([
    ['04 00000000', 'a frame with flags 0x04'],
    ['00 02000000', 'a message of 33554432 bytes; at most 16 MiB are taken'],
    ['01 00000000', 'a compressed message, but no encoding was announced'],
    ['00 00000003 0affff', 'a message that cannot be decoded'],
    ['00 00000000', 'an empty message'],
  ])('writes whole frames, not %s', async (bytes, sentence) => {
    sim = await startCursorSim()
    sim.play([{ fault: 'hang' }])
    const one = client({})
    const over = one.run()
    one.stream?.write(Buffer.from(bytes.replaceAll(' ', ''), 'hex'))
    expect((await over).end?.error?.message).toContain(sentence)
    expect(sim.violations).toHaveLength(1)
  })
})

describe('appends', () => {
  test('are put in order', async () => {
    sim = await startCursorSim()
    const append = (n: number, data: string) => ({ seqno: n, data, afterMs: n % 2 === 0 ? 40 : 0 })
    const { end } = await client({ transport: 'sse', append }).run()
    expect(end).toEqual({})
    expect(sim.violations).toEqual([])
  })

  test('may come before their run', async () => {
    sim = await startCursorSim()
    const { end } = await client({ transport: 'sse', openAfterMs: 100 }).run()
    expect(end).toEqual({})
    expect(sim.requests[0]?.path).toMatch(/BidiAppend$/)
  })

  test.each<[string, NonNullable<TestClientOptions['append']>, string]>([
    ['a number twice', (_, data) => ({ seqno: 0, data }), 'append_seqno 0 came twice'],
    ['a gap', (n, data) => ({ seqno: n * 2, data }), 'append_seqno 1 did not come for 150 ms'],
    ['other letters', (n, data) => ({ seqno: n, data: data.toUpperCase() }), 'is not lower-case hex'],
  ])('have not %s', async (_name, append, sentence) => {
    sim = await startCursorSim({ ...SHORT, clientHeartbeatPatienceMs: 900 })
    const { end } = await client({ transport: 'sse', append }).run()
    expect(sim.violations[0]).toContain(sentence)
    expect(end?.error).toBeDefined()
  })

  test('come in order where that is asked for', async () => {
    sim = await startCursorSim({ strictAppends: true })
    const append = (n: number, data: string) => ({ seqno: n, data, afterMs: n === 1 ? 300 : 0 })
    const { end } = await client({ transport: 'sse', append }).run()
    expect(end?.error?.message).toBe('append_seqno 2 came before 1')
  })
})

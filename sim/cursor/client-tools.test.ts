// How the service takes and calls the client's tools: names that are refused, the state that it asks for first, spellings.

import { toBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, test } from 'vitest'
import { type ExecServerMessage, ExecServerMessageSchema } from '../../proto/gen/agent/v1/exec_pb.ts'
import { type CursorSim, type CursorSimOptions, startCursorSim } from '../cursor.ts'
import { type ResultInit, TestClient, type TestClientOptions } from './test-client.fixture.ts'

let sim: CursorSim
afterEach(() => sim?.close())

const ADD = { name: 'kit-add', toolName: 'add', providerIdentifier: 'kit', description: 'Adds' }
const models = ['composer-2', 'grok-4.7']

interface Scenario extends Partial<TestClientOptions> {
  settings?: CursorSimOptions
  model?: string
  tools?: (typeof ADD)[]
}

async function run({ settings, model = 'grok-4.7', tools = [ADD], ...options }: Scenario = {}) {
  sim = await startCursorSim({ models, ...settings })
  const execs: ExecServerMessage[] = []
  const action = { case: 'userMessageAction' as const, value: { userMessage: { text: 'Call add with {}' } } }
  const client = new TestClient({
    url: sim.url,
    transport: 'http2',
    token: sim.auth.issue().accessToken,
    ...options,
    onExec: (exec) => {
      execs.push(exec)
      return options.onExec?.(exec) ?? answer(exec)
    },
    request: { action: { action }, requestedModel: { modelId: model }, mcpTools: { mcpTools: tools } },
  })
  return { ...(await client.run()), execs }
}

const state = (...tools: (typeof ADD)[]): ResultInit => {
  const servers = [{ serverName: 'kit', serverIdentifier: 'kit', tools }]
  return { case: 'mcpStateExecResult', value: { result: { case: 'success', value: { servers } } } }
}

function answer({ message }: ExecServerMessage): ResultInit[] {
  if (message.case === 'mcpStateExecArgs') return [state(ADD)]
  if (message.case !== 'mcpArgs') return []
  const content = [{ content: { case: 'text' as const, value: { text: 'three' } } }]
  return [{ case: 'mcpResult', value: { result: { case: 'success', value: { content } } } }]
}

const answering = (given: ResultInit[] | string) => (exec: ExecServerMessage) =>
  exec.message.case === 'mcpStateExecArgs' ? given : answer(exec)

describe('names', () => {
  test.each(['Read', 'web_fetch', 'WebSearch', 'glob'])('%s refuses the whole request', async (name) => {
    const { end } = await run({ tools: [{ ...ADD, name: `kit-${name}`, toolName: name }] })
    expect(end?.error?.code).toBe('unavailable')
    expect(sim.violations).toEqual([`the tool name "${name}" is one of Cursor's own`])
  })

  test('that only resemble them are accepted', async () => {
    const { end } = await run({ tools: [ADD, { ...ADD, name: 'kit-Bash', toolName: 'Bash' }] })
    expect([end, sim.violations]).toEqual([{}, []])
  })
})

describe('the state of the MCP servers', () => {
  test('is asked for before the first call of a Grok model, in the captured form', async () => {
    const { execs, text } = await run()
    expect(text).toBe('The tool add returned: three')
    expect(execs.map(({ message }) => message.case)).toEqual([
      'requestContextArgs',
      'mcpStateExecArgs',
      'mcpArgs',
    ])
    const [, asked] = execs
    const bytes = Buffer.from(asked ? toBinary(ExecServerMessageSchema, asked) : []).toString('hex')
    // id, span_context with its flags, the request, accept_hook_additional_contexts; no exec_id.
    expect(bytes).toMatch(/^08029a01360a20(?:[0-9a-f]{64})1210(?:[0-9a-f]{32})1800a202050a036b6974b80300$/)
    expect(sim.violations).toEqual([])
  })

  test('is asked of no other model, or of all, or for every call', async () => {
    const asked = async (settings: CursorSimOptions) => {
      const { execs } = await run({ settings, model: 'composer-2' })
      await sim.close()
      return execs.filter(({ message }) => message.case === 'mcpStateExecArgs').length
    }
    expect(await asked({})).toBe(0)
    expect(await asked({ mcpState: 'first' })).toBe(1)
    expect(await asked({ mcpState: 'every' })).toBe(1)
  })

  test.each([
    ['a throw', 'unknown kind', 'was thrown: unknown kind'],
    [
      'another server',
      [{ ...state(), value: { result: { case: 'success', value: {} } } } as ResultInit],
      'names no server "kit"',
    ],
    ['a server without the tool', [state()], 'names no tool "kit-add"'],
  ])('refuses the run where the answer is %s', async (_, given, words) => {
    const { end } = await run({ onExec: answering(given) })
    expect(end?.error).toEqual({
      code: 'internal',
      message: `Unsupported tool: the answer to mcp_state ${words}`,
    })
    expect(sim.violations).toHaveLength(1)
  })

  test('is a step of a script, too: for all servers, or without waiting', async () => {
    sim = await startCursorSim({ models })
    await sim.close()
    const { execs } = await run({ settings: { script: script() }, onExec: answer })
    expect(execs.slice(1).map(({ message }) => message.value)).toMatchObject([
      { serverIdentifiers: [] },
      { kickOnly: true },
    ])
  })
})

const script = () => ({
  kind: 'cursor',
  scenario: 'state',
  source: 'made',
  turns: [{ steps: [{ exec: { mcpState: {} } }, { exec: { mcpState: { kickOnly: true } } }] }],
})

describe('words for a run that is under way', () => {
  const states = async (settings: CursorSimOptions, expectedRunId: string) => {
    sim = await startCursorSim(settings)
    sim.play([{ wait: 100 }, { say: 'done' }])
    const action = { case: 'userMessageAction' as const, value: { userMessage: { text: 'go' } } }
    const client = new TestClient({
      url: sim.url,
      transport: 'http2',
      token: sim.auth.issue().accessToken,
      request: { action: { action }, requestedModel: { modelId: 'composer-2' }, runId: 'run-1' },
    })
    const over = client.run()
    const context = { case: 'userContext' as const, value: { userMessage: { text: 'and hurry' } } }
    const injection = { injectionId: 'inj-1', expectedRunId, context }
    client.send({
      case: 'conversationAction',
      value: { action: { case: 'injectContextAction', value: injection } },
    })
    const { messages } = await over
    await sim.close()
    expect(sim.runs[0]?.injections).toEqual(['and hurry'])
    return messages.flatMap(({ message }) => {
      const update = message.case === 'interactionUpdate' ? message.value.message : undefined
      return update?.case === 'contextInjectionState' ? [update.value.state?.state.case] : []
    })
  }

  test('are accepted, refused for another run, or ignored', async () => {
    expect(await states({}, 'run-1')).toEqual(['queued', 'delivered'])
    expect(await states({}, 'run-2')).toEqual(['rejected'])
    expect(await states({}, '')).toEqual([])
    expect(await states({ injection: 'rejected' }, 'run-1')).toEqual(['rejected'])
    expect(await states({ injection: 'silent' }, 'run-1')).toEqual([])
  })
})

test.each([
  ['name', 'kit-add'],
  ['provider-tool', 'kit-add'],
  ['mcp_provider_tool', 'mcp_kit_add'],
] as const)('tools are called by %s', async (spelling, name) => {
  const { execs } = await run({ settings: { spelling } })
  expect(execs.at(-1)?.message.value).toMatchObject({ name })
  expect(sim.violations).toEqual([])
})

// What the headers that name Cursor's own tools do to a run.

import { afterEach, describe, expect, test } from 'vitest'
import type { ExecServerMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import { type CursorSim, type CursorSimOptions, startCursorSim } from '../cursor.ts'
import { BREAK, CALL, CHECKPOINT, Talk } from './talk.fixture.ts'
import { type ResultInit, TestClient, type TestClientOptions } from './test-client.fixture.ts'

let sim: CursorSim
afterEach(() => sim?.close())

const ALLOW = 'x-cursor-agent-allowed-tools'
const EXCLUDE = 'x-cursor-agent-exclude-tools'
const READ = {
  name: 'kit-read_file_of_kit',
  toolName: 'read_file_of_kit',
  providerIdentifier: 'kit',
  description: 'Read a file',
  inputSchemaJson: '{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}',
}
const OWN = ['read', 'edit', 'shell', 'ls', 'grep', 'glob', 'delete', 'web_fetch']
  .map((name) => `${name}_tool_call`)
  .join()
const MCP = 'mcp_tool_call,get_mcp_tools_tool_call'

interface Scenario extends Partial<TestClientOptions> {
  settings?: CursorSimOptions
  tools?: (typeof READ)[]
  say?: string
}

async function run({ settings, tools = [READ], say = 'Read a.txt', ...options }: Scenario) {
  sim = await startCursorSim(settings)
  const asked: string[] = []
  const action = { case: 'userMessageAction' as const, value: { userMessage: { text: say } } }
  const client = new TestClient({
    url: sim.url,
    transport: 'http2',
    token: sim.auth.issue().accessToken,
    onExec: (exec) => {
      if (exec.message.case !== 'requestContextArgs') asked.push(exec.message.case ?? '')
      return answer(exec)
    },
    request: {
      action: { action },
      requestedModel: { modelId: 'composer-2' },
      mcpTools: { mcpTools: tools },
    },
    ...options,
  })
  return { ...(await client.run()), asked }
}

function answer({ message }: ExecServerMessage): ResultInit[] {
  if (message.case === 'readArgs') {
    const value = { path: message.value.path, output: { case: 'content' as const, value: 'alpha' } }
    return [{ case: 'readResult', value: { result: { case: 'success', value } } }]
  }
  if (message.case !== 'mcpArgs') return []
  const content = [{ content: { case: 'text' as const, value: { text: 'alpha' } } }]
  return [{ case: 'mcpResult', value: { result: { case: 'success', value: { content } } } }]
}

describe('the model', () => {
  test.each([
    ['has all of them without the headers', {}, ['readArgs']],
    ['has those that are allowed', { [ALLOW]: `${MCP},read_tool_call` }, ['readArgs']],
    ['has the client tools alone where no other is allowed', { [ALLOW]: MCP }, ['mcpArgs']],
    ['has none that is excluded', { [EXCLUDE]: OWN }, ['mcpArgs']],
    [
      'has none that is allowed and excluded',
      { [ALLOW]: `${MCP},read_tool_call`, [EXCLUDE]: 'read_tool_call' },
      ['mcpArgs'],
    ],
  ])('%s', async (_, headers, kinds) => {
    const { asked } = await run({ headers })
    expect(asked).toEqual(kinds)
    expect(sim.violations).toEqual([])
  })

  test('has none at all where the header is empty', async () => {
    const { asked, text } = await run({ headers: { [ALLOW]: '' }, tools: [] })
    expect(asked).toEqual([])
    expect(text).not.toBe('')
    expect(sim.runs[0]?.toolset.allowed).toEqual([])
  })

  test('has no client tool without mcp_tool_call', async () => {
    const { asked } = await run({ headers: { [ALLOW]: 'get_mcp_tools_tool_call,glob_tool_call' } })
    expect(asked).toEqual([])
  })

  test('begins with a tool of the service if the service leaks', async () => {
    const { asked } = await run({ headers: { [ALLOW]: MCP }, settings: { toolset: 'leaky' } })
    expect(asked).toEqual(['readArgs'])
  })
})

test('client tools without get_mcp_tools_tool_call end the run', async () => {
  const { end } = await run({ headers: { [ALLOW]: 'mcp_tool_call' } })
  expect(end?.error).toEqual({
    code: 'internal',
    message: 'Required tool GET_MCP_TOOLS not found in allTools',
  })
})

test('over sse, RunSSE and every append say the same', async () => {
  const transport = 'sse' as const
  const { end } = await run({ transport, headers: { [ALLOW]: '' }, tools: [] })
  expect(end?.error?.message).toBe('RunSSE and BidiAppend name different sets of tools')
  await sim.close()
  const same = { [ALLOW]: '' }
  const again = await run({ transport, headers: same, appendHeaders: same, tools: [] })
  expect([again.end, sim.violations]).toEqual([{}, []])
})

test('a resumed run behaves the same', async () => {
  sim = await startCursorSim()
  const talk = new Talk(sim)
  sim.play([CALL, CHECKPOINT, BREAK])
  const headers = () => ({ 'x-original-request-id': talk.runId, [ALLOW]: MCP })
  await talk.run(talk.say('go', { headers: { [ALLOW]: MCP } }))
  const { end } = await talk.run(talk.resume())
  expect(end?.error?.message).toBe(`run ${talk.runId} goes on with another set of tools`)
  const again = await talk.run(talk.resume({ headers: headers() }))
  expect(again.end).toEqual({})
})

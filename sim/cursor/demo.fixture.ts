// A simulator and a client of it, for tests of one file.

import { randomUUID } from 'node:crypto'
import { afterEach } from 'vitest'
import type { ExecServerMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { AgentServerMessage } from '../../proto/gen/agent/v1/run_pb.ts'
import { type CursorSim, type CursorSimOptions, type CursorStep, startCursorSim } from '../cursor.ts'
import { type ResultInit, TestClient, type TestClientOptions } from './test-client.fixture.ts'

export let sim: CursorSim
/** Each test file calls it: files of one worker share this module, and hooks belong to the file that registers them. */
export function useDemoSim(): void {
  afterEach(() => sim?.close())
}

export const TRANSPORTS = ['http2', 'sse'] as const

export async function start(options: CursorSimOptions = {}): Promise<CursorSim> {
  sim = await startCursorSim(options)
  return sim
}

export function client(
  options: Partial<TestClientOptions> & { say?: string; model?: string } = {},
): TestClient {
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

export function answerNatively({ message }: ExecServerMessage): ResultInit[] {
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

export function read(path: string, content: string): ResultInit {
  const value = { path, output: { case: 'content' as const, value: content } }
  return { case: 'readResult', value: { result: { case: 'success', value } } }
}

export function mcp(text: string): ResultInit {
  const content = [{ content: { case: 'text' as const, value: { text } } }]
  return { case: 'mcpResult', value: { result: { case: 'success', value: { content } } } }
}

export const ADD = { name: 'kit-add', toolName: 'add', providerIdentifier: 'kit', description: 'Adds' }
export const READ_A: CursorStep = { exec: { read: { path: 'a.txt' } } }

export function updates(messages: readonly AgentServerMessage[]): string[] {
  return messages.flatMap(({ message }) =>
    message.case === 'interactionUpdate' ? [message.value.message.case ?? ''] : [],
  )
}

// One conversation over several runs, like the official client's.

import { randomUUID } from 'node:crypto'
import type { ExecServerMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import type { ConversationStateStructure } from '../../proto/gen/agent/v1/run_pb.ts'
import type { CursorSim, CursorStep } from '../cursor.ts'
import { callIdOf } from './exec-kinds.ts'
import { type ResultInit, type RunInit, TestClient, type TestClientOptions } from './test-client.fixture.ts'

export const NEVER = new Promise<never>(() => undefined)
const ADD = { name: 'kit-add', toolName: 'add', providerIdentifier: 'kit', description: 'Adds' }
export const CALL: CursorStep = { exec: { mcp: { name: 'add', args: { a: 1 } } } }
export const CHECKPOINT: CursorStep = { checkpoint: true }
export const BREAK: CursorStep = { fault: 'rst-stream' }
/** Long enough that everything sent before has certainly arrived. */
export const ARRIVED: CursorStep = { wait: 500 }

export function done({ message }: ExecServerMessage): ResultInit[] {
  if (message.case !== 'mcpArgs') return []
  const content = [{ content: { case: 'text' as const, value: { text: 'two' } } }]
  return [{ case: 'mcpResult', value: { result: { case: 'success', value: { content } } } }]
}

export const parked = (exec: ExecServerMessage) => (exec.message.case === 'mcpArgs' ? NEVER : [])

/** Parts that are the same in all runs of a conversation, as in an official client. */
export class Talk {
  readonly id = `agent-${randomUUID()}`
  readonly blobs = new Map<string, Uint8Array>()
  readonly clients: TestClient[] = []
  readonly #sim: CursorSim
  readonly #transport: 'http2' | 'sse'
  runId = ''
  state: ConversationStateStructure | undefined

  constructor(sim: CursorSim, transport: 'http2' | 'sse' = 'http2') {
    this.#sim = sim
    this.#transport = transport
  }

  /** A new turn. */
  say(text: string, options: Partial<TestClientOptions> = {}): TestClient {
    this.runId = randomUUID()
    return this.#client({ ...options, requestId: options.requestId ?? this.runId }, user(text))
  }

  /** The same turn again, after its stream broke; the first request's id is its original id. */
  resume(options: Partial<TestClientOptions> = {}): TestClient {
    return this.#client(options, { action: { case: 'resumeAction', value: {} } })
  }

  repeat(text: string, options: Partial<TestClientOptions> = {}): TestClient {
    return this.#client(options, user(text))
  }

  async run(client: TestClient) {
    const outcome = await client.run()
    this.state = client.checkpoints.at(-1) ?? this.state
    return outcome
  }

  #client(
    { request, headers, ...options }: Partial<TestClientOptions>,
    action: RunInit['action'],
  ): TestClient {
    const client = new TestClient({
      url: this.#sim.url,
      transport: this.#transport,
      token: this.#sim.auth.issue().accessToken,
      onExec: done,
      blobs: this.blobs,
      headers: { 'x-original-request-id': this.runId, ...headers },
      ...options,
      request: {
        ...(action && { action }),
        requestedModel: { modelId: 'composer-2' },
        mcpTools: { mcpTools: [ADD] },
        conversationId: this.id,
        runId: this.runId,
        conversationState: this.state ?? {},
        ...request,
      },
    })
    this.clients.push(client)
    return client
  }
}

function user(text: string): RunInit['action'] {
  return { action: { case: 'userMessageAction', value: { userMessage: { text } } } }
}

export function calls(client: TestClient): { id: number; callId: string; args: unknown }[] {
  return client.messages.flatMap(({ message }) => {
    if (message.case !== 'execServerMessage' || message.value.message.case !== 'mcpArgs') return []
    const { id, message: args } = message.value
    return [{ id, callId: callIdOf(args), args: args.value }]
  })
}

export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 5))
}

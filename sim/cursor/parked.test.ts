// A thousand runs that wait for their clients must cost the simulator next to nothing, or what is measured against
// it is the simulator.

import { connect } from 'node:http2'
import { create, toBinary } from '@bufbuild/protobuf'
import { afterEach, describe, expect, test } from 'vitest'
import { BidiAppendRequestSchema } from '../../proto/gen/aiserver/v1/service_pb.ts'
import { isNightly } from '../../test/depth.ts'
import { type CursorSim, startCursorSim } from '../cursor.ts'
import type { AgentRun } from './agent-run.ts'
import { Appends } from './appends.ts'
import { TestClient } from './test-client.fixture.ts'
import { Toolset } from './toolset.ts'

let sim: CursorSim
afterEach(() => sim?.close())

const share = isNightly ? 1 : 0.2
const TRANSPORTS = [
  ['http2', 1000 * share],
  // Here each message of a client is a request, and most of the time would be that of the clients.
  ['sse', 250 * share],
] as const
const NEVER = new Promise<never>(() => undefined)

describe.each(TRANSPORTS)('over %s, %i parked runs', (transport, count) => {
  test('cost little, and break all at once', async () => {
    sim = await startCursorSim({ maxConcurrentStreams: count })
    const session = transport === 'http2' ? connect(sim.url) : undefined
    const token = sim.auth.issue().accessToken
    const clients = Array.from(
      { length: count },
      (_, index) =>
        new TestClient({
          ...{ url: sim.url, transport, token, heartbeatMs: 10_000, execHeartbeatMs: 8000 },
          ...(session && { session }),
          onExec: ({ message }) => (message.case === 'readArgs' ? NEVER : []),
          request: {
            action: { action: { case: 'userMessageAction', value: { userMessage: { text: 'Read a.txt' } } } },
            requestedModel: { modelId: 'composer-2' },
            conversationId: `conversation-${index}`,
            runId: `run-${index}`,
          },
        }),
    )
    const over = Promise.all(clients.map((client) => client.run()))
    while (clients.some(({ checkpoints }) => checkpoints.length === 0)) await pause(20)

    const before = process.cpuUsage()
    await pause(2000)
    const { user, system } = process.cpuUsage(before)
    // Of two seconds; a few dozen are usual. Heartbeats are rare, for their cost is that of the clients here.
    expect((user + system) / 1000).toBeLessThan(1000)
    expect([...sim.conversations.values()].filter(({ isOpen }) => isOpen)).toHaveLength(count)

    sim.breakRuns()
    for (const { end } of await over) expect(end).toBeUndefined()
    expect(sim.runs.every(({ closed }) => closed === 'failed')).toBe(true)
    expect(sim.violations).toEqual([])
    session?.close()
  })
})

test('over sse, a run can begin while more than a thousand are open', () => {
  const appends = new Appends(() => 0, false)
  const received: Uint8Array[] = []
  const toolset = new Toolset({})
  const open = {
    isOver: false,
    record: { toolset },
    guard: (check: () => void) => check(),
    receive: (bytes: Uint8Array) => received.push(bytes),
  } as unknown as AgentRun
  for (let n = 0; n < 1200; n++) {
    const requestId = `request-${n}`
    const body = create(BidiAppendRequestSchema, { data: '0a00', requestId: { requestId } })
    appends.add(toBinary(BidiAppendRequestSchema, body), toolset)
    appends.attach(requestId, open)
  }
  expect(received).toHaveLength(1200)
})

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

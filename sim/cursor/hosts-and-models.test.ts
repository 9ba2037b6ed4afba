// What the service refuses for the host it was asked at, the model it was asked for, and the history it was told.

import { createHash } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { type CursorSim, type CursorSimOptions, startCursorSim } from '../cursor.ts'
import { TestClient, type TestClientOptions } from './test-client.fixture.ts'

let sim: CursorSim
afterEach(() => sim?.close())

async function run(settings: CursorSimOptions, options: Partial<TestClientOptions> = {}) {
  sim = await startCursorSim(settings)
  const action = { case: 'userMessageAction' as const, value: { userMessage: { text: 'Hello' } } }
  return new TestClient({
    url: sim.url,
    transport: 'http2',
    token: sim.auth.issue().accessToken,
    ...options,
    request: { action: { action }, requestedModel: { modelId: 'gpt-5.2-high' }, ...options.request },
  }).run()
}

describe('an agent host', () => {
  test('takes HTTP/2, and answers HTTP/1.1 with 464 and nothing', async () => {
    expect((await run({ role: 'agent' })).end).toEqual({})
    const answer = await fetch(`${sim.url}/agent.v1.AgentService/RunSSE`, { method: 'POST', body: 'x' })
    expect([answer.status, await answer.text()]).toEqual([464, ''])
  })

  test('of another region closes silently or reports the region', async () => {
    expect(await run({ region: 'wrong' })).toMatchObject({ status: 200, messages: [], end: undefined })
    await sim.close()
    const { end } = await run({ region: 'refused' })
    expect(end?.error?.message).toBe('This region is not yet available for your team')
  })
})

describe('max mode', () => {
  const models = [
    { id: 'only', maxMode: 'only' },
    { id: 'wide', maxMode: 'also', contexts: ['200k', '1m'] },
  ] as const
  const asked = (modelId: string, parameters: { id: string; value: string }[], both: [boolean, boolean]) => ({
    request: {
      requestedModel: { modelId, parameters, maxMode: both[0] },
      modelDetails: { modelId, maxMode: both[1] },
    },
  })
  const wide = [{ id: 'context', value: '1m' }]

  test.each([
    ['both', asked('only', [], [true, true]), undefined],
    ['one of both', asked('only', [], [true, false]), 'failed_precondition'],
    ['the other', asked('only', [], [false, true]), 'failed_precondition'],
    ['a usual window', asked('wide', [], [false, false]), undefined],
    ['a wide window', asked('wide', wide, [false, false]), 'failed_precondition'],
    ['a wide window with both', asked('wide', wide, [true, true]), undefined],
    ['what is not listed', asked('wide', [{ id: 'max', value: 'true' }], [true, true]), 'invalid_argument'],
  ])('%s', async (_, options, code) => {
    const { end } = await run({ models }, options)
    expect(end?.error?.code).toBe(code)
  })
})

describe('the history of a model of another vendor', () => {
  const told = async (roots: unknown[], modelId = 'gpt-5.2-high') => {
    const data = roots.map((root) => Buffer.from(JSON.stringify(root)))
    const ids = data.map((bytes) => createHash('sha256').update(bytes).digest())
    const blobs = new Map(ids.map((id, at) => [id.toString('hex'), data[at] ?? Buffer.alloc(0)]))
    const request = { requestedModel: { modelId }, conversationState: { rootPromptMessagesJson: ids } }
    return run({}, { blobs, request })
  }
  const user = (text: string) => ({ role: 'user', content: [{ type: 'text', text }] })

  test.each([
    ['201 messages', Array.from({ length: 201 }, (_, n) => user(`${n}`)), '201 root prompts'],
    ['more than 512 KiB', [user('x'.repeat(600_000))], 'bytes of root prompts'],
    ['a bare string', [{ role: 'user', content: 'hello' }], 'no list of parts'],
  ])('is refused with %s, once all of it was fetched', async (_, roots, words) => {
    const { end } = await told(roots)
    expect(end?.error).toEqual({ code: 'invalid_argument', message: 'Error' })
    expect(sim.violations[0]).toContain(words)
    expect(sim.runs[0]?.blobs.fetched.size).toBe(roots.length)
    await sim.close()
    expect((await told(roots, 'composer-2')).end).toEqual({})
  })

  test('is accepted up to 200 messages', async () => {
    const { end } = await told(Array.from({ length: 200 }, (_, n) => user(`${n}`)))
    expect(end).toEqual({})
  })
})

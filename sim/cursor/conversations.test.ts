// A conversation over several runs: what the service remembers of it, and how a run that broke is taken up as the
// official client does it.

import { afterEach, describe, expect, test } from 'vitest'
import { type CursorSim, type CursorSimOptions, type CursorStep, startCursorSim } from '../cursor.ts'
import { ARRIVED, BREAK, CALL, CHECKPOINT, calls, done, NEVER, parked, Talk, until } from './talk.fixture.ts'

let sim: CursorSim
afterEach(() => sim?.close())

async function start(options: CursorSimOptions = {}): Promise<void> {
  sim = await startCursorSim(options)
}

const TRANSPORTS = ['http2', 'sse'] as const
const AWAIT: CursorStep = { await: 'results' }

describe.each(TRANSPORTS)('over %s, a run that broke', (transport) => {
  test.each([
    [true, 'another number'],
    ['same-id', 'the same number'],
  ] as const)('while its client worked: reask %s asks for the same call under %s', async (reask, number) => {
    await start()
    sim.play([CALL, CHECKPOINT, ARRIVED, BREAK], {
      when: ({ action, pending }) => action === 'resume' && pending.length === 1,
      steps: [{ reask }, AWAIT, { say: 'done' }],
    })
    const talk = new Talk(sim, transport)
    const first = talk.say('go', { onExec: parked })
    expect((await talk.run(first)).end).toBeUndefined()
    const [asked] = calls(first)
    expect(talk.state?.pendingToolCalls).toEqual([expect.stringContaining(asked?.callId ?? '?')])
    expect(sim.conversations.get(talk.id)).toMatchObject({ isOpen: false, turnEnded: false, attempts: 1 })

    const second = talk.resume()
    const { text, end } = await talk.run(second)
    expect({ text, end }).toEqual({ text: 'done', end: {} })
    const [again, ...more] = calls(second)
    expect(more).toEqual([])
    expect(again).toMatchObject({ callId: asked?.callId, args: asked?.args })
    if (number === 'the same number') expect(again?.id).toBe(asked?.id)
    else expect(again?.id).not.toBe(asked?.id)
    expect(sim.deliveries).toEqual(new Map([[asked?.callId, 1]]))
    expect(talk.state?.pendingToolCalls).toEqual([])
    expect(sim.runs.map(({ request }) => request.runId)).toEqual([talk.runId, talk.runId])
    expect(sim.violations).toEqual([])
  })

  test('right after its results came: they are delivered once more', async () => {
    await start()
    sim.play([CALL, CHECKPOINT, AWAIT, BREAK], [{ reask: true }, AWAIT, { say: 'done' }])
    const talk = new Talk(sim, transport)
    await talk.run(talk.say('go'))
    expect((await talk.run(talk.resume())).text).toBe('done')
    expect([...sim.deliveries.values()]).toEqual([2])
    expect(sim.violations).toEqual([])
  })

  test('after a checkpoint with its results: nothing is asked for again', async () => {
    await start()
    const steps: CursorStep[] = [CALL, AWAIT, CHECKPOINT, { say: 'half of ', pieces: 2 }, BREAK]
    sim.play(steps, [{ reask: true }, AWAIT, { say: 'the answer' }])
    const talk = new Talk(sim, transport)
    expect(await talk.run(talk.say('go'))).toMatchObject({ text: 'half of ', end: undefined })
    const second = talk.resume()
    expect((await talk.run(second)).text).toBe('the answer')
    expect(calls(second)).toEqual([])
    expect(sim.violations).toEqual([])
  })

  test.each([
    ['before anything', [{ bare: true }, BREAK]],
    ['before its first checkpoint', [{ say: 'hal' }, BREAK]],
  ] as [string, CursorStep[]][])('%s: its message is sent again', async (_when, steps) => {
    await start()
    sim.play(steps)
    const talk = new Talk(sim, transport)
    expect((await talk.run(talk.say('Hello'))).end).toBeUndefined()
    expect(talk.state).toBeUndefined()
    expect((await talk.run(talk.repeat('Hello'))).text).toContain('simulated model')
    expect(sim.violations).toEqual([])
  })

  test('is resumed by the demo model, which continues normally', async () => {
    await start()
    const talk = new Talk(sim, transport)
    const first = talk.say('Call add with {"a":1}', { onExec: parked })
    const over = talk.run(first)
    await until(() => first.checkpoints.length === 1)
    sim.breakRuns()
    expect((await over).brokenBy).toMatch(transport === 'http2' ? /INTERNAL_ERROR/ : /aborted|ECONNRESET/)
    expect(sim.runs[0]?.closed).toBe('failed')

    const second = talk.resume()
    const { text, end } = await talk.run(second)
    expect({ text, end }).toEqual({ text: 'The tool add returned: two', end: {} })
    expect(calls(second).map(({ callId }) => callId)).toEqual(calls(first).map(({ callId }) => callId))
    expect([...sim.deliveries.values()]).toEqual([1])

    expect((await talk.run(talk.say('What did I say first?'))).text).toBe(
      'You said first: Call add with {"a":1}',
    )
    expect(sim.conversations.get(talk.id)).toMatchObject({ attempts: 3, turnEnded: true, isOpen: false })
    expect(sim.violations).toEqual([])
  })
})

describe('a conversation', () => {
  test('is remembered', async () => {
    await start()
    const talk = new Talk(sim)
    const first = talk.say('Call add with {"a":1}', { onExec: parked })
    const over = first.run()
    await until(() => first.checkpoints.length === 1)
    const [asked] = calls(first)
    const remembered = sim.conversations.get(talk.id)
    expect(remembered).toMatchObject({ runId: talk.runId, originalRequestId: talk.runId, isOpen: true })
    expect(remembered?.calls.get(asked?.callId ?? '')).toEqual({
      exec: 'mcp_args',
      execIds: [asked?.id],
      isAnswered: false,
    })
    expect([...(remembered?.requestIds ?? [])]).toEqual([talk.runId])
    expect(remembered?.checkpoint?.length).toBeGreaterThan(30)
    first.leave()
    await over
    await until(() => remembered?.isOpen === false)
  })

  test('has each call among the steps or among those that are pending', async () => {
    await start()
    const second = { exec: { read: { path: 'b' } } }
    sim.play([CALL, second, { wait: 50 }, CHECKPOINT, { say: 'x' }, BREAK])
    const talk = new Talk(sim)
    await talk.run(
      talk.say('go', { onExec: (exec) => (exec.message.case === 'readArgs' ? NEVER : done(exec)) }),
    )
    expect(talk.state?.pendingToolCalls.map((text) => JSON.parse(text).exec)).toEqual(['read_args'])
    sim.play({
      expect: { turns: [{ steps: [{ tool: 'add', result: 'two' }] }] },
      steps: [{ say: 'seen' }],
    })
    expect((await talk.run(talk.resume())).text).toBe('seen')
    // The turn neither asked again nor got a result: it is still pending.
    expect(talk.state?.pendingToolCalls).toHaveLength(1)
    await talk.run(talk.say('never mind'))
    expect(talk.state?.pendingToolCalls).toEqual([])
    expect(sim.violations).toEqual([])
  })

  test('may be taken up while the cancel of its last run is on its way', async () => {
    await start()
    const talk = new Talk(sim)
    const first = talk.say('Call add with {"a":1}', { onExec: parked })
    const over = talk.run(first)
    await until(() => first.checkpoints.length === 1)
    talk.state = first.checkpoints[0]
    const second = talk.run(talk.resume())
    setTimeout(() => first.leave(), 200)
    expect((await second).text).toBe('The tool add returned: two')
    await over
    expect(sim.violations).toEqual([])
  })

  test('may be resumed while the old connection still seems open', async () => {
    await start()
    const talk = new Talk(sim)
    const first = talk.say('Call add with {"a":1}', { onExec: parked })
    void first.run()
    await until(() => first.checkpoints.length === 1)
    talk.state = first.checkpoints[0]
    sim.freeze()
    expect((await talk.run(talk.resume())).text).toBe('The tool add returned: two')
    sim.thaw()
    expect(sim.violations).toEqual([])
  })

  test('may go on from the checkpoint before one that was lost on its way', async () => {
    await start()
    sim.play([{ say: 'a' }, CHECKPOINT, ARRIVED, { say: 'b' }, CHECKPOINT, BREAK], [{ say: 'c' }])
    const talk = new Talk(sim)
    const first = talk.say('go')
    await talk.run(first)
    talk.state = first.checkpoints[0]
    expect((await talk.run(talk.resume())).text).toBe('c')
    expect(sim.violations).toEqual([])
  })

  test('goes on without run ids, as with older clients', async () => {
    await start()
    const talk = new Talk(sim)
    const request = { runId: '' }
    await talk.run(talk.say('Hello', { request }))
    const options = { request: { ...request, conversationState: talk.state ?? {} } }
    expect((await talk.run(talk.say('What did I say before?', options))).text).toBe('You said before: Hello')
    expect(sim.violations).toEqual([])
  })
})

describe.each(TRANSPORTS)('over %s', (transport) => {
  test('every run costs its bootstrap before its first message', async () => {
    await start({ bootstrapMs: 300 })
    const talk = new Talk(sim, transport)
    for (const text of ['Hello', 'Hello again']) {
      const client = talk.say(text)
      const startedAt = Date.now()
      const over = talk.run(client)
      await until(() => client.messages.length > 0)
      expect(Date.now() - startedAt).toBeGreaterThanOrEqual(295)
      expect((await over).end).toEqual({})
    }
    expect(sim.violations).toEqual([])
  })

  test('all open runs break at once, and new ones work', async () => {
    await start()
    const talks = Array.from({ length: 5 }, () => new Talk(sim, transport))
    const waiting = talks.map((talk) => talk.say('Call add with {"a":1}', { onExec: parked }))
    const over = Promise.all(waiting.map((client) => client.run()))
    await until(() => waiting.every((client) => client.checkpoints.length === 1))
    sim.breakRuns()
    for (const { end, brokenBy } of await over) {
      expect(end).toBeUndefined()
      expect(brokenBy).toBeDefined()
    }
    expect((await new Talk(sim, transport).say('Hello').run()).end).toEqual({})
    expect(sim.violations).toEqual([])
  })
})

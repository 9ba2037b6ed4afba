// What a client must not do with a conversation that the service knows.

import { afterEach, describe, expect, test } from 'vitest'
import { type CursorSim, startCursorSim } from '../cursor.ts'
import { ARRIVED, BREAK, CALL, CHECKPOINT, parked, Talk, until } from './talk.fixture.ts'
import type { TestClient } from './test-client.fixture.ts'

let sim: CursorSim
afterEach(() => sim?.close())

async function start(): Promise<void> {
  sim = await startCursorSim()
}

describe('a client must not', () => {
  /** What the run after a broken one is blamed for. */
  async function blame(next: (talk: Talk) => TestClient, steps = [CALL, CHECKPOINT, ARRIVED, BREAK]) {
    await start()
    sim.play(steps)
    const talk = new Talk(sim)
    await talk.run(talk.say('go', { onExec: parked }))
    const { end } = await next(talk).run()
    expect(sim.violations).toEqual([end?.error?.message])
    expect(sim.conversations.get(talk.id)?.attempts).toBe(1)
    return sim.violations[0]?.replaceAll(talk.id, 'C').replaceAll(talk.runId, 'R')
  }

  const EMPTY = { request: { conversationState: {} } }

  test('open two runs at once', async () => {
    await start()
    const talk = new Talk(sim)
    const first = talk.say('Call add with {"a":1}', { onExec: parked })
    const over = first.run()
    await until(() => first.checkpoints.length === 1)
    talk.state = first.checkpoints[0]
    const { end } = await talk.resume().run()
    expect(end?.error).toMatchObject({
      code: 'failed_precondition',
      message: `two runs of conversation ${talk.id} at once`,
    })
    expect(sim.runs.map(({ closed }) => closed)).toEqual([undefined, 'failed'])
    first.leave()
    await over
  })

  test('resume from another state', async () => {
    expect(await blame((talk) => talk.resume(EMPTY))).toBe(
      'the conversation_state for conversation C is not the last checkpoint that was sent in it',
    )
  })

  test('resume from an older checkpoint', async () => {
    const steps = [{ say: 'a' }, CHECKPOINT, { say: 'b' }, CHECKPOINT, ARRIVED, BREAK]
    const resume = (talk: Talk) => {
      const [older] = talk.clients[0]?.checkpoints ?? []
      return talk.resume({ request: { conversationState: older ?? {} } })
    }
    expect(await blame(resume, steps)).toContain('is not the last checkpoint')
  })

  test('begin a new turn from another state', async () => {
    expect(await blame((talk) => talk.say('next', EMPTY))).toContain('is not the last checkpoint')
  })

  test('resume under another original id, or none', async () => {
    const other = { 'x-original-request-id': 'other' }
    expect(await blame((talk) => talk.resume({ headers: other }))).toBe(
      'run R goes on with x-original-request-id other, not R',
    )
    const none = { 'x-original-request-id': undefined }
    expect(await blame((talk) => talk.resume({ headers: none }))).toContain('x-original-request-id missing')
  })

  test('use an x-request-id again', async () => {
    expect(await blame((talk) => talk.resume({ requestId: talk.runId }))).toBe(
      'x-request-id R was used before',
    )
  })

  test('use a run_id in two conversations', async () => {
    const inAnother = (talk: Talk) => talk.resume({ request: { conversationId: 'other' } })
    expect(await blame(inAnother)).toBe('run_id R belongs to conversation C, not to other')
  })

  test('use an older run_id for a new turn', async () => {
    await start()
    const talk = new Talk(sim)
    await talk.run(talk.say('Hello'))
    const { runId } = talk
    await talk.run(talk.say('Hello'))
    await talk.run(talk.say('Hello', { request: { runId, conversationState: talk.state ?? {} } }))
    expect(sim.violations).toEqual([`run_id ${runId} was used before; a new turn has a new one`])
  })

  test('say its message again when a checkpoint has it', async () => {
    expect(await blame((talk) => talk.repeat('go'))).toBe(
      'run R of conversation C has a checkpoint, but its message was sent again',
    )
  })

  test('resume what no checkpoint has', async () => {
    expect(await blame((talk) => talk.resume(), [{ say: 'hal' }, BREAK])).toBe(
      'run R of conversation C is resumed from a state without its message',
    )
  })

  test('invent pending calls', async () => {
    await start()
    const { end } = await new Talk(sim)
      .resume({ request: { conversationState: { pendingToolCalls: ['x'] } } })
      .run()
    expect(end?.error?.message).toContain('pending_tool_calls[0] cannot be read')
  })
})

import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../../test/check-turn.ts'
import { GatewayError } from '../../core/errors.ts'
import { callId, Stage } from './run.fixture.ts'

describe('an answer', () => {
  it('is text and reasoning, ended by turn_ended with its usage', () => {
    const stage = new Stage()
    stage.update({ case: 'thinkingDelta', value: { text: 'hm' } })
    stage.update({ case: 'thinkingCompleted', value: {} })
    stage.text('Hel')
    stage.text('lo')
    stage.update({ case: 'turnEnded', value: { inputTokens: 10n, outputTokens: 4n, cacheReadTokens: 3n } })
    expect(checkTurn(stage.events)).toEqual([])
    expect(stage.said).toBe('Hello')
    expect(stage.end).toMatchObject({
      type: 'turn-end',
      reason: 'stop',
      usage: { inputTokens: 10, outputTokens: 4, cacheReadTokens: 3 },
    })
  })

  it('ends in tool calls when the stream goes quiet', () => {
    const stage = new Stage()
    stage.add()
    stage.pass(40)
    stage.add()
    stage.pass(59)
    expect(stage.end?.type).toBe('tool-call-end')
    stage.pass(1)
    expect(stage.end).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect(stage.calls).toEqual([callId(0), callId(1)])
    expect(stage.run.state.phase).toBe('parked')
  })

  it('does not end because the process was suspended: messages may be unread', () => {
    const stage = new Stage()
    stage.add()
    stage.standStill(5_000)
    expect(stage.run.state.phase).toBe('answering')
    stage.add()
    stage.pass(60)
    expect(stage.calls).toEqual([callId(0), callId(1)])
    expect(stage.run.state.phase).toBe('parked')
  })

  it('ends at the third quiet step in a row, however late each is', () => {
    const stage = new Stage()
    stage.add()
    stage.standStill(5_000)
    stage.standStill(5_000)
    expect(stage.run.state.phase).toBe('answering')
    stage.standStill(5_000)
    expect(stage.run.state.phase).toBe('parked')
  })

  it('turns notices of the service into a note', () => {
    const stage = new Stage()
    for (const text of ['Close to ', 'your limit.'])
      stage.update({ case: 'textDelta', value: { text, isServerNotice: true } })
    stage.text('The answer.')
    stage.update({ case: 'textDelta', value: { text: 'Bye.', isServerNotice: true } })
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('The answer.')
    expect(stage.notes).toEqual(['Cursor says: Close to your limit.', 'Cursor says: Bye.'])
  })

  it('notes which model was chosen', () => {
    const stage = new Stage()
    stage.update({ case: 'routedModel', value: { displayName: 'Composer 2' } })
    expect(stage.notes).toEqual(['answered by Composer 2'])
  })

  const list = (stage: Stage, callCount: number) =>
    stage.update({ case: 'toolRequestsListed', value: { callCount } })

  it('ends with the last of the listed calls, without waiting', () => {
    const stage = new Stage()
    list(stage, 2)
    stage.add()
    stage.pass(1_400)
    expect(stage.run.state.phase).toBe('answering')
    stage.add()
    expect(stage.run.state.phase).toBe('parked')
    expect(stage.calls).toHaveLength(2)
  })

  it('counts refused calls, questions to the user, and calls completed without the client', () => {
    const stage = new Stage()
    list(stage, 4)
    stage.exec({ case: 'fetchArgs', value: { url: 'https://a.example', toolCallId: 'tool_1\nfc_1' } })
    stage.update({ case: 'toolCallCompleted', value: { callId: 'tool_1' } })
    stage.server({
      case: 'interactionQuery',
      value: { id: 1, query: { case: 'webSearchRequestQuery', value: {} } },
    })
    stage.add()
    stage.pass(1_400)
    expect(stage.run.state.phase).toBe('answering')
    stage.update({ case: 'toolCallCompleted', value: { callId: 'tool_9' } })
    expect(stage.run.state.phase).toBe('parked')
    expect(stage.calls).toHaveLength(1)
  })

  it.each([
    ['more than come', 3, 1_500],
    ['none', 0, 60],
  ])('does not wait for ever where the service said %s', (_, callCount, patienceMs) => {
    const stage = new Stage()
    list(stage, callCount)
    stage.add()
    stage.add()
    stage.pass(patienceMs - 1)
    expect(stage.run.state.phase).toBe('answering')
    // No sign of a call.
    stage.update({ case: 'heartbeat', value: {} })
    stage.setBlob({ role: 'user', content: 'x' })
    stage.server({ case: 'conversationCheckpointUpdate', value: {} })
    stage.pass(1)
    expect(stage.run.state.phase).toBe('parked')
    expect(stage.calls).toHaveLength(2)
  })

  it('leaves calls beyond the listed number to the next answer', () => {
    const stage = new Stage()
    list(stage, 1)
    stage.add()
    expect(stage.run.state.phase).toBe('parked')
    stage.add()
    const [first = ''] = stage.run.waitingFor
    stage.run.resume(new Map([[first, { callId: first, content: [] }]]), stage.answer(), { now: stage.now })
    stage.pass(60)
    expect(stage.run.waitingFor).toHaveLength(1)
    expect(stage.run.state.phase).toBe('parked')
  })

  it('waits for announced calls, although fewer were listed', () => {
    const stage = new Stage()
    for (const callId of ['a', 'b']) stage.update({ case: 'toolCallStarted', value: { callId } })
    list(stage, 1)
    stage.add()
    expect(stage.run.state.phase).toBe('answering')
    stage.add()
    stage.pass(60)
    expect(stage.calls).toHaveLength(2)
  })

  it('waits longer for an announced call', () => {
    const stage = new Stage()
    stage.update({ case: 'toolCallStarted', value: { callId: 'one' } })
    stage.update({ case: 'partialToolCall', value: { callId: 'two', argsTextDelta: '{' } })
    stage.add()
    stage.pass(1_000)
    expect(stage.run.state.phase).toBe('answering')
    stage.add()
    stage.pass(100)
    expect(stage.calls).toHaveLength(2)
    expect(stage.run.state.phase).toBe('parked')
  })

  it('has one call if the client wants no parallel ones; the next call begins the next answer', () => {
    const stage = new Stage({ parallelToolCalls: false })
    stage.add()
    stage.add()
    expect(stage.calls).toEqual([callId(0)])
    expect(stage.end).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    stage.resume({ [callId(0)]: '1' }, { parallelToolCalls: false })
    expect(stage.calls).toEqual([callId(1)])
    expect(stage.end).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect(stage.sent()).toEqual(['mcpResult 1', 'streamClose 1'])
  })

  it('waits for announced calls, however many were requested and completed before', () => {
    const stage = new Stage()
    stage.update({ case: 'toolCallStarted', value: { callId: 'refused' } })
    stage.exec({ case: 'mcpArgs', value: { name: 'unknown', toolCallId: 'refused' } })
    stage.update({ case: 'toolCallCompleted', value: { callId: 'refused' } })
    stage.update({ case: 'toolCallStarted', value: { callId: 'one' } })
    stage.update({ case: 'toolCallStarted', value: { callId: 'two' } })
    stage.add()
    stage.pass(1_000)
    stage.add()
    stage.pass(100)
    expect(stage.calls).toHaveLength(2)
    expect(stage.run.state.phase).toBe('parked')
  })

  it('is an error when the stream ends before the turn', () => {
    const stage = new Stage()
    stage.text('half')
    stage.run.end()
    const { events } = stage.run.take()
    expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'upstream-protocol' } })
  })

  it('is complete at turn_ended, whatever happens to the stream afterwards', () => {
    const stage = new Stage()
    stage.text('all')
    stage.update({ case: 'turnEnded', value: {} })
    stage.run.end(new GatewayError('upstream-unavailable', 'reset'))
    stage.text('more')
    expect(stage.run.take().events).toEqual([])
    expect(stage.end).toMatchObject({ type: 'turn-end', reason: 'stop' })
  })

  it('is a stall when only heartbeats come', () => {
    const stage = new Stage()
    stage.text('one moment')
    for (let minute = 0; minute < 3; minute++) {
      stage.update({ case: 'heartbeat', value: {} })
      stage.pass(60_000)
    }
    expect(stage.end).toMatchObject({ type: 'turn-error', error: { code: 'timeout', retryable: false } })
    expect(stage.run.state.phase).toBe('ended')
  })

  it('is an error if a message cannot be decoded', () => {
    const stage = new Stage()
    stage.run.receive(Buffer.from([0xff, 0xff]), 0)
    expect(stage.run.take().events.at(-1)).toMatchObject({
      type: 'turn-error',
      error: { code: 'upstream-protocol' },
    })
  })
})

describe('usage', () => {
  it('of an answer that ends in calls is an estimate; the last answer gets the rest', () => {
    const stage = new Stage()
    stage.server({
      case: 'conversationCheckpointUpdate',
      value: { tokenDetails: { usedTokens: 500, maxTokens: 200_000 } },
    })
    stage.update({ case: 'tokenDelta', value: { tokens: 20 } })
    stage.add()
    stage.pass(100)
    expect(stage.end).toMatchObject({ usage: { inputTokens: 480, outputTokens: 20, estimated: true } })
    stage.resume({ [callId(0)]: '1' })
    stage.update({ case: 'tokenDelta', value: { tokens: 5 } })
    stage.update({ case: 'turnEnded', value: { inputTokens: 900n, outputTokens: 30n } })
    expect(stage.end).toMatchObject({ usage: { inputTokens: 490, outputTokens: 10, estimated: true } })
  })
})

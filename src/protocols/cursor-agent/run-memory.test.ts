import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { toValue } from './json-value.ts'
import { callId, type Exec, fileTools, Stage } from './run.fixture.ts'

describe('what a run keeps', () => {
  const large = 'x'.repeat(1_500_000)
  const mcp = (toolCallId: string): Exec => ({ case: 'mcpArgs', value: { name: 'add', toolCallId } })
  const checkpoint = (stage: Stage, ...pendingToolCalls: string[]) =>
    stage.server({ case: 'conversationCheckpointUpdate', value: { pendingToolCalls } })
  const broken = new GatewayError('upstream-unavailable', 'The stream broke.')

  it('is small, however much its calls write', () => {
    const stage = new Stage({ tools: fileTools })
    for (let round = 0; round < 40; round++) {
      const fileText = large.slice(0, 200_000)
      stage.exec({ case: 'writeArgs', value: { path: `/w/${round}`, toolCallId: `t${round}`, fileText } })
      stage.pass(100)
      stage.resume({ [`sess_SESSION00000__call_${round.toString(36)}`]: 'ok' }, { tools: fileTools })
    }
    expect(stage.run.bytes).toBeGreaterThan(200_000)
    expect(stage.run.bytes).toBeLessThan(2_000_000)
  })

  it('drops a large result that its checkpoint lacks: the run cannot continue from there', () => {
    for (const isCovered of [false, true]) {
      const stage = new Stage({ parallelToolCalls: false })
      stage.exec(mcp('first'))
      stage.exec(mcp('second'))
      checkpoint(stage, 'first', 'second')
      stage.resume({ [callId(0)]: large })
      if (isCovered) checkpoint(stage, 'first', 'second')
      stage.pass(100)
      stage.resume({ [callId(1)]: 'small' })
      stage.run.end(broken)
      expect(stage.run.isLost).toBe(isCovered)
    }
  })

  it('does not continue from a state that lacks output shown after the calls', () => {
    const stage = new Stage()
    stage.exec(mcp('first'))
    checkpoint(stage, 'first')
    stage.text('while you read')
    stage.pass(100)
    stage.run.end(broken)
    expect(stage.run.state.phase).toBe('ended')
  })

  it('has no state of the conversation before the end of the turn', () => {
    const stage = new Stage()
    stage.setBlob({ role: 'assistant', content: 'only stored' })
    stage.pass(30_000)
    expect(stage.said).toBe('only stored')
    checkpoint(stage)
    expect(stage.run.conversationEnd).toBeUndefined()
    const ended = new Stage()
    ended.text('streamed')
    ended.update({ case: 'turnEnded', value: {} })
    checkpoint(ended)
    expect(ended.run.conversationEnd).toBeDefined()
  })
})

describe('the limit of what a server makes a run keep', () => {
  const maxBytes = 200_000
  const long = 'x'.repeat(10_000)
  const checkpoint = (at: number) => ({
    case: 'conversationCheckpointUpdate' as const,
    value: { pendingToolCalls: Array.from({ length: at }, () => long) },
  })
  const calls = { case: 'mcpArgs' as const, value: { name: 'add', args: {}, toolCallId: '' } }
  const floods: Record<string, (stage: Stage, at: number) => void> = {
    'blobs, of which no more are taken': (stage, at) => stage.blob(Buffer.from(`${at}`), Buffer.from(long)),
    'ids of blobs, of which no more are taken': (stage, at) =>
      stage.blob(Buffer.from(`${at}${long}`), Buffer.alloc(0)),
    'a checkpoint': (stage, at) => stage.server(checkpoint(at)),
    'calls that are announced': (stage, at) =>
      stage.update({ case: 'toolCallStarted', value: { callId: `${at}${long}` } }),
    'calls that are made': (stage, at) =>
      void stage.exec({ ...calls, value: { ...calls.value, toolCallId: `${at}${long}` } }),
    'small calls that are made': (stage) => void stage.add(),
  }

  it.each(Object.entries(floods))('%s', (name, flood) => {
    const stage = new Stage({}, [], maxBytes)
    for (let at = 0; at < 1_000 && stage.run.state.phase === 'answering'; at++) flood(stage, at)
    if (name.endsWith('taken')) {
      expect(stage.run.state.phase).toBe('answering')
      expect(stage.blobs.serverBytes).toBeLessThan(maxBytes)
      expect(JSON.stringify(stage.replies.at(-1)?.message.value)).toMatch(/no more room/)
    } else {
      expect(stage.events.at(-1)).toMatchObject({
        type: 'turn-error',
        error: {
          code: 'upstream-protocol',
          retryable: false,
          message: expect.stringMatching(/200000 bytes/),
        },
      })
    }
  })

  it('is released with the call it belongs to: a long run of answered calls goes on', () => {
    // More than the ledger remembers of answered calls, and far less than all calls together.
    const stage = new Stage({}, [], 2_000_000)
    for (let at = 0; at < 200; at++) {
      stage.exec({ ...calls, value: { ...calls.value, toolCallId: `c${at}`, args: { a: toValue(long) } } })
      stage.pass(1_000)
      const [callId = ''] = stage.run.waitingFor
      stage.resume({ [callId]: 'ok' })
    }
    expect(stage.run.state.phase).toBe('answering')
  })
})

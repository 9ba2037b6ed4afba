import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../../test/check-turn.ts'
import { GatewayError } from '../../core/errors.ts'
import { toValue } from './json-value.ts'
import { callId, fileTools, Stage, shellTools } from './run.fixture.ts'

describe('a parked run', () => {
  const parked = () => {
    const stage = new Stage()
    stage.add()
    stage.add()
    stage.pass(100)
    stage.sent()
    return stage
  }

  it('sends both heartbeats', () => {
    const stage = parked()
    stage.pass(6_000)
    expect(stage.sent()).toEqual([
      'heartbeat 1',
      'heartbeat 2',
      'clientHeartbeat',
      'heartbeat 1',
      'heartbeat 2',
    ])
  })

  it('answers blobs, contexts, unknown requests and questions', () => {
    const stage = parked()
    stage.setBlob('x')
    const get = { case: 'getBlobArgs' as const, value: { blobId: Buffer.alloc(32, 1) } }
    stage.server({ case: 'kvServerMessage', value: { id: 8, message: get } })
    stage.exec({ case: 'requestContextArgs', value: {} })
    stage.exec({ case: undefined })
    stage.server({
      case: 'interactionQuery',
      value: { id: 3, query: { case: 'webSearchRequestQuery', value: {} } },
    })
    expect(stage.replies[1]?.message.value).toMatchObject({
      message: { value: { blobData: new Uint8Array(Buffer.from('x')) } },
    })
    expect(stage.sent()).toEqual([
      'setBlobResult 7',
      'getBlobResult 8',
      'requestContextResult 3',
      'streamClose 3',
      'throw 4',
      'streamClose 4',
      'interactionResponse',
    ])
    expect(stage.run.state.phase).toBe('parked')
  })

  it('does not stall', () => {
    const stage = parked()
    stage.pass(600_000)
    expect(stage.run.state.phase).toBe('parked')
  })

  it('takes results in any order, and answers missing ones for the client', () => {
    const stage = parked()
    stage.resume({ [callId(1)]: 'B' })
    expect(stage.replies.map(({ message }) => message.value)).toMatchObject([
      { id: 1, message: { case: 'mcpResult', value: { result: { case: 'error' } } } },
      { message: { case: 'streamClose', value: { id: 1 } } },
      { id: 2, message: { case: 'mcpResult', value: { result: { case: 'success' } } } },
      { message: { case: 'streamClose', value: { id: 2 } } },
    ])
    stage.text('so')
    stage.update({ case: 'turnEnded', value: {} })
    expect(checkTurn(stage.events)).toEqual([])
    expect(stage.said).toBe('so')
    stage.pass(10_000)
    expect(stage.sent().filter((line) => line.startsWith('heartbeat'))).toEqual([])
  })

  it('holds messages for the next answer', () => {
    const stage = parked()
    stage.text('by the way')
    const late = stage.add()
    stage.resume({ [callId(0)]: 'A', [callId(1)]: 'B' })
    stage.pass(100)
    expect(stage.said).toBe('by the way')
    expect(stage.calls).toEqual([callId(2)])
    stage.resume({ [callId(2)]: 'C' })
    expect(stage.sent()).toEqual([`mcpResult ${late}`, `streamClose ${late}`])
  })

  it('answers an abort with a result, and drops the late result of the client', () => {
    const stage = parked()
    stage.server({
      case: 'execServerControlMessage',
      value: { message: { case: 'abort', value: { id: 1 } } },
    })
    expect(stage.sent()).toEqual(['mcpResult 1', 'streamClose 1'])
    stage.resume({ [callId(0)]: 'late', [callId(1)]: 'B' })
    expect(stage.sent()).toEqual(['mcpResult 2', 'streamClose 2'])
  })

  it('keeps execs alive that the client has not seen yet, and can abort them', () => {
    const stage = parked()
    const late = stage.add()
    const other = stage.add()
    stage.pass(3_000)
    expect(stage.sent()).toEqual([1, 2, late, other].map((id) => `heartbeat ${id}`))
    stage.server({
      case: 'execServerControlMessage',
      value: { message: { case: 'abort', value: { id: late } } },
    })
    expect(stage.sent()).toEqual([`mcpResult ${late}`, `streamClose ${late}`])
    stage.resume({ [callId(0)]: 'A', [callId(1)]: 'B' })
    stage.pass(100)
    expect(stage.calls).toEqual([callId(2)])
    stage.resume({ [callId(2)]: 'C' })
    expect(stage.sent()).toEqual([`mcpResult ${other}`, `streamClose ${other}`])
  })

  it('T28 answers an exec that is asked again from memory; another one under its id is another', () => {
    const stage = parked()
    stage.resume({ [callId(0)]: 'A', [callId(1)]: 'B' })
    stage.sent()
    const again = (a: number) => {
      const value = { name: 'add', args: { a: toValue(a) } }
      stage.server({ case: 'execServerMessage', value: { id: 1, message: { case: 'mcpArgs', value } } })
    }
    again(1)
    expect(stage.sent()).toEqual(['mcpResult 1', 'streamClose 1'])
    stage.pass(100)
    expect(stage.calls).toEqual([])
    again(2)
    stage.pass(100)
    expect(stage.calls).toEqual([callId(2)])
  })

  it('is full when it holds too much, so that reading stops', () => {
    const stage = parked()
    const text = 'x'.repeat(1024 * 1024)
    expect(stage.run.isFull).toBe(false)
    for (let n = 0; n < 9; n++) stage.text(text)
    expect([stage.run.state.phase, stage.run.isFull]).toEqual(['parked', true])
  })

  it('answers every exec, even if the result does not fit its kind', () => {
    const stage = new Stage({ tools: shellTools })
    for (const command of ['one', 'two']) stage.exec({ case: 'shellArgs', value: { command } })
    stage.exec({ case: 'lsArgs', value: { path: '/w' } })
    stage.pass(100)
    expect(stage.calls).toHaveLength(3)
    stage.resume({
      [callId(0)]: '{"stdout":"","exitCode":3221225786}',
      [callId(1)]: '{"stdout":"","exitCode":1.5}',
      [callId(2)]: JSON.stringify(['a/'.repeat(50_000)]),
    })
    const results = stage.replies.flatMap(({ message }) =>
      message.case === 'execClientMessage' ? [message.value.message] : [],
    )
    expect(results.map(({ case: kind }) => kind)).toEqual(['shellResult', 'shellResult', 'lsResult'])
    expect(results[0]?.value).toMatchObject({ result: { case: 'failure', value: { exitCode: -1073741510 } } })
  })

  it('refuses to write a file that was read only in part, until it was read completely', () => {
    const stage = new Stage({ tools: fileTools })
    let calls = 0
    const read = (path: string, result: string, range: { offset?: number; limit?: number } = {}) => {
      stage.exec({ case: 'readArgs', value: { path, ...range } })
      stage.pass(100)
      stage.resume({ [callId(calls++)]: result }, { tools: fileTools })
      stage.sent()
    }
    const refuses = (path: string) => {
      stage.exec({ case: 'writeArgs', value: { path, fileText: 'new' } })
      const refused = stage.sent().some((line) => line.startsWith('writeResult'))
      if (refused) return true
      stage.pass(100)
      stage.resume({ [callId(calls++)]: 'written' }, { tools: fileTools })
      stage.sent()
      return false
    }
    read('/w/a', 'some of it\n[12 more lines]')
    expect(refuses('/w/a')).toBe(true)
    expect(refuses('/w/x/../a')).toBe(true)
    read('/w/a', 'Error: /w/a could not be read: permission denied')
    expect(refuses('/w/a')).toBe(true)
    read('/w/a', 'all of it\n')
    expect(refuses('/w/a')).toBe(false)
    read('/w/b', 'some of it\n[12 more lines]', { offset: 1, limit: 0 })
    expect(refuses('/w/b')).toBe(true)
  })

  it('is over when its turn or its stream ends', () => {
    for (const end of [
      (stage: Stage) => stage.update({ case: 'turnEnded', value: {} }),
      (stage: Stage) => stage.run.end(new GatewayError('upstream-unavailable', 'reset')),
    ]) {
      const stage = parked()
      end(stage)
      expect(stage.run.state.phase).toBe('ended')
      expect(stage.run.take().events).toEqual([])
    }
  })
})

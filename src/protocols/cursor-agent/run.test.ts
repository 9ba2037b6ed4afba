import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import type { ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { InteractionUpdateSchema } from '../../../proto/gen/agent/v1/interaction_pb.ts'
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  AgentServerMessageSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { checkTurn } from '../../../test/check-turn.ts'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { Tool, ToolResult } from '../../core/request.ts'
import { BlobStore } from './blobs.ts'
import { emptyPlan } from './empty-plan.fixture.ts'
import { toValue } from './json-value.ts'
import { AgentRun } from './run.ts'
import type { AnswerOptions } from './run-options.ts'
import type { SteeringMemory } from './steering.ts'

const tools: Tool[] = [
  { name: 'add', schema: { type: 'object', properties: {} } },
  {
    name: 'read',
    schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
]

const text = (name: string) => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
})
const shellTools: Tool[] = [
  { name: 'run_command', description: 'Runs a shell command', schema: text('command') },
  { name: 'list_directory', description: 'Lists a directory', schema: text('path') },
]

const fileTools: Tool[] = [
  { name: 'read_file', description: 'Reads a file', schema: text('path') },
  {
    name: 'write_file',
    description: 'Writes a file',
    schema: {
      type: 'object',
      properties: { path: { type: 'string' }, content: { type: 'string' } },
      required: ['path', 'content'],
    },
  },
]

type Message = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>['message']>
type Update = NonNullable<MessageInitShape<typeof InteractionUpdateSchema>['message']>
type Exec = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>['message']>

/** A run with a clock of its own. */
class Stage {
  now = 0
  readonly events: TurnEvent[] = []
  readonly replies: AgentClientMessage[] = []
  readonly notes: string[] = []
  readonly blobs = new BlobStore()
  readonly run: AgentRun
  #execs = 0

  constructor(
    more: Partial<AnswerOptions> = {},
    said: string[] = [],
    maxBytes?: number,
    steering?: SteeringMemory,
  ) {
    const plan = emptyPlan({ said })
    this.run = new AgentRun(
      {
        backend: 'cursor',
        sessionId: 'SESSION00000',
        blobs: this.blobs,
        plan,
        progressMs: 120_000,
        maxBytes,
        steering,
      },
      this.answer(more),
    )
    this.run.begin(0)
    this.run.take()
    this.events.push({ type: 'turn-start', id: 'turn_1', model: 'composer-2' })
  }

  answer(more: Partial<AnswerOptions> = {}): AnswerOptions {
    const note = (text: string) => this.notes.push(text)
    return { turnId: 'turn_1', model: 'composer-2', tools, parallelToolCalls: true, note, ...more }
  }

  server(message: Message): void {
    const bytes = toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message }))
    this.run.receive(bytes, this.now)
    this.#take()
  }

  update(message: Update): void {
    this.server({ case: 'interactionUpdate', value: { message } })
  }

  text(text: string): void {
    this.update({ case: 'textDelta', value: { text } })
  }

  exec(message: Exec): number {
    const id = ++this.#execs
    this.server({ case: 'execServerMessage', value: { id, message } })
    return id
  }

  add(): number {
    return this.exec({ case: 'mcpArgs', value: { name: 'add', args: { a: toValue(1) } } })
  }

  setBlob(data: unknown): void {
    this.blob(Buffer.alloc(32, 1), Buffer.from(typeof data === 'string' ? data : JSON.stringify(data)))
  }

  blob(blobId: Uint8Array, blobData: Uint8Array): void {
    const message = { case: 'setBlobArgs' as const, value: { blobId, blobData } }
    this.server({ case: 'kvServerMessage', value: { id: 7, message } })
  }

  /** Time passes as a driver lets it pass. */
  pass(ms: number): void {
    const end = this.now + ms
    while (this.run.wakeAt <= end) {
      this.now = this.run.wakeAt
      this.run.elapse(this.now)
      this.#take()
    }
    this.now = end
  }

  /** One timer that fires late: the driver reads nothing until it is back. */
  standStill(ms: number): void {
    this.now += ms
    this.run.elapse(this.now)
    this.#take()
  }

  resume(results: Record<string, string>, more: Partial<AnswerOptions> = {}, words?: string): void {
    expect(checkTurn(this.events)).toEqual([])
    this.events.length = 0
    this.replies.length = 0
    const byId = Object.entries(results).map(([callId, text]): [string, ToolResult] => [
      callId,
      { callId, content: [{ type: 'text', text }] },
    ])
    this.run.resume(new Map(byId), this.answer(more), { now: this.now, words })
    this.#take()
  }

  /** What was sent since the last look, in short. */
  sent(): string[] {
    return this.replies.splice(0).map(({ message }) => {
      if (message.case === 'execClientControlMessage')
        return `${message.value.message.case} ${message.value.message.value?.id}`
      if (message.case === 'execClientMessage') return `${message.value.message.case} ${message.value.id}`
      if (message.case === 'kvClientMessage') return `${message.value.message.case} ${message.value.id}`
      return String(message.case)
    })
  }

  get calls(): string[] {
    return this.events.flatMap((event) => (event.type === 'tool-call-end' ? [event.callId] : []))
  }

  get said(): string {
    return this.events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
  }

  get end(): TurnEvent | undefined {
    return this.events.at(-1)
  }

  #take(): void {
    const { events, replies } = this.run.take()
    this.events.push(...events)
    this.replies.push(...replies.map((bytes) => fromBinary(AgentClientMessageSchema, bytes)))
  }
}

const callId = (n: number) => `sess_SESSION00000__call_${n}`

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
    expect(stage.run.phase).toBe('parked')
  })

  it('is not ended by a process that stood still: what came meanwhile has not been read yet', () => {
    const stage = new Stage()
    stage.add()
    stage.standStill(5_000)
    expect(stage.run.phase).toBe('running')
    stage.add()
    stage.pass(60)
    expect(stage.calls).toEqual([callId(0), callId(1)])
    expect(stage.run.phase).toBe('parked')
  })

  it('is ended by the third look in a row that finds nothing, however late each is', () => {
    const stage = new Stage()
    stage.add()
    stage.standStill(5_000)
    stage.standStill(5_000)
    expect(stage.run.phase).toBe('running')
    stage.standStill(5_000)
    expect(stage.run.phase).toBe('parked')
  })

  it('keeps what the service itself says out of the text, as one note', () => {
    const stage = new Stage()
    for (const text of ['Close to ', 'your limit.'])
      stage.update({ case: 'textDelta', value: { text, isServerNotice: true } })
    stage.text('The answer.')
    stage.update({ case: 'textDelta', value: { text: 'Bye.', isServerNotice: true } })
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('The answer.')
    expect(stage.notes).toEqual(['Cursor says: Close to your limit.', 'Cursor says: Bye.'])
  })

  it('tells which model was taken', () => {
    const stage = new Stage()
    stage.update({ case: 'routedModel', value: { displayName: 'Composer 2' } })
    expect(stage.notes).toEqual(['answered by Composer 2'])
  })

  const list = (stage: Stage, callCount: number) =>
    stage.update({ case: 'toolRequestsListed', value: { callCount } })

  it('ends with the last of as many calls as the service said, without waiting', () => {
    const stage = new Stage()
    list(stage, 2)
    stage.add()
    stage.pass(1_400)
    expect(stage.run.phase).toBe('running')
    stage.add()
    expect(stage.run.phase).toBe('parked')
    expect(stage.calls).toHaveLength(2)
  })

  it('counts calls that are refused, questions to the user, and calls that are done without us', () => {
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
    expect(stage.run.phase).toBe('running')
    stage.update({ case: 'toolCallCompleted', value: { callId: 'tool_9' } })
    expect(stage.run.phase).toBe('parked')
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
    expect(stage.run.phase).toBe('running')
    // No sign of a call.
    stage.update({ case: 'heartbeat', value: {} })
    stage.setBlob({ role: 'user', content: 'x' })
    stage.server({ case: 'conversationCheckpointUpdate', value: {} })
    stage.pass(1)
    expect(stage.run.phase).toBe('parked')
    expect(stage.calls).toHaveLength(2)
  })

  it('takes calls that are more than the service said into the next answer', () => {
    const stage = new Stage()
    list(stage, 1)
    stage.add()
    expect(stage.run.phase).toBe('parked')
    stage.add()
    const [first = ''] = stage.run.waitingFor
    stage.run.resume(new Map([[first, { callId: first, content: [] }]]), stage.answer(), { now: stage.now })
    stage.pass(60)
    expect(stage.run.waitingFor).toHaveLength(1)
    expect(stage.run.phase).toBe('parked')
  })

  it('waits for calls that are announced, although fewer were said', () => {
    const stage = new Stage()
    for (const callId of ['a', 'b']) stage.update({ case: 'toolCallStarted', value: { callId } })
    list(stage, 1)
    stage.add()
    expect(stage.run.phase).toBe('running')
    stage.add()
    stage.pass(60)
    expect(stage.calls).toHaveLength(2)
  })

  it('waits longer for a call that is announced', () => {
    const stage = new Stage()
    stage.update({ case: 'toolCallStarted', value: { callId: 'one' } })
    stage.update({ case: 'partialToolCall', value: { callId: 'two', argsTextDelta: '{' } })
    stage.add()
    stage.pass(1_000)
    expect(stage.run.phase).toBe('running')
    stage.add()
    stage.pass(100)
    expect(stage.calls).toHaveLength(2)
    expect(stage.run.phase).toBe('parked')
  })

  it('holds one call where the client wants no parallel ones; the next leads the next answer', () => {
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

  it('waits for what is announced, however many calls were asked for and done before', () => {
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
    expect(stage.run.phase).toBe('parked')
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
    expect(stage.run.phase).toBe('ended')
  })

  it('is an error where a message cannot be decoded', () => {
    const stage = new Stage()
    stage.run.receive(Buffer.from([0xff, 0xff]), 0)
    expect(stage.run.take().events.at(-1)).toMatchObject({
      type: 'turn-error',
      error: { code: 'upstream-protocol' },
    })
  })
})

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
    expect(stage.run.phase).toBe('parked')
  })

  it('does not stall', () => {
    const stage = parked()
    stage.pass(600_000)
    expect(stage.run.phase).toBe('parked')
  })

  it('takes results in any order, and answers for the client what it left out', () => {
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

  it('keeps what comes meanwhile for the next answer', () => {
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

  it('answers an abort with a result, and drops the one that comes too late', () => {
    const stage = parked()
    stage.server({
      case: 'execServerControlMessage',
      value: { message: { case: 'abort', value: { id: 1 } } },
    })
    expect(stage.sent()).toEqual(['mcpResult 1', 'streamClose 1'])
    stage.resume({ [callId(0)]: 'late', [callId(1)]: 'B' })
    expect(stage.sent()).toEqual(['mcpResult 2', 'streamClose 2'])
  })

  it('keeps alive, and can abort, what the client has not heard of yet', () => {
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

  it('is not read on when far more comes than anyone could have asked for', () => {
    const stage = parked()
    const text = 'x'.repeat(1024 * 1024)
    expect(stage.run.isFull).toBe(false)
    for (let n = 0; n < 9; n++) stage.text(text)
    expect([stage.run.phase, stage.run.isFull]).toEqual(['parked', true])
  })

  it('answers every exec, also where the result is none that its kind can say', () => {
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

  it('refuses to write a file of which only a part was shown, until the whole of it was', () => {
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
      expect(stage.run.phase).toBe('ended')
      expect(stage.run.take().events).toEqual([])
    }
  })
})

describe('an answer that stands only in a blob', () => {
  const assistant = (text: string) => ({ role: 'assistant', content: [{ type: 'text', text }] })

  it('is given once, with a note, when nothing else comes', () => {
    const stage = new Stage()
    stage.setBlob(assistant('from the blob'))
    stage.setBlob(assistant('from the blob'))
    for (let n = 0; n < 32; n++) {
      stage.update({ case: 'heartbeat', value: {} })
      stage.pass(1_000)
    }
    expect(stage.said).toBe('from the blob')
    expect(stage.end).toMatchObject({ type: 'turn-end', reason: 'stop' })
    expect(stage.notes).toEqual([expect.stringContaining('without streaming')])
  })

  it('is not lost to a piece of text without text', () => {
    const stage = new Stage()
    stage.setBlob(assistant('from the blob'))
    stage.text('')
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('from the blob')
  })

  it('is not what the client itself has put there', () => {
    const stage = new Stage()
    const id = stage.blobs.add(Buffer.from(JSON.stringify(assistant('of the history'))))
    const value = { blobId: id, blobData: stage.blobs.get(id) ?? new Uint8Array() }
    stage.server({ case: 'kvServerMessage', value: { id: 7, message: { case: 'setBlobArgs', value } } })
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('')
  })

  it('is given at turn_ended', () => {
    const stage = new Stage()
    stage.setBlob({ role: 'assistant', content: 'plain' })
    stage.update({ case: 'turnEnded', value: {} })
    expect(stage.said).toBe('plain')
  })

  it('is not given again where it was streamed, was said before, or is no answer', () => {
    const streamed = new Stage()
    streamed.text('streamed')
    streamed.setBlob(assistant('streamed'))
    const before = new Stage({}, ['said before'])
    before.setBlob(assistant('said before'))
    const user = new Stage()
    user.setBlob({ role: 'user', content: 'question' })
    const call = new Stage()
    call.setBlob({ role: 'assistant', content: [{ type: 'tool-call', toolName: 'x', args: {} }] })
    for (const [stage, said] of [
      [streamed, 'streamed'],
      [before, ''],
      [user, ''],
      [call, ''],
    ] as const) {
      stage.pass(60_000)
      stage.update({ case: 'turnEnded', value: {} })
      expect(stage.said).toBe(said)
      expect(stage.notes).not.toContainEqual(expect.stringContaining('stored'))
    }
  })
})

describe('what a run keeps', () => {
  const large = 'x'.repeat(1_500_000)
  const mcp = (toolCallId: string): Exec => ({ case: 'mcpArgs', value: { name: 'add', toolCallId } })
  const checkpoint = (stage: Stage, ...pendingToolCalls: string[]) =>
    stage.server({ case: 'conversationCheckpointUpdate', value: { pendingToolCalls } })
  const broken = new GatewayError('upstream-unavailable', 'The stream broke.')

  it('is little, however much the calls of its rounds write', () => {
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

  it('no longer holds a large result that its checkpoint lacks: from there, no call could be told from a new one', () => {
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

  it('goes on from no state that lacks what was shown behind the calls', () => {
    const stage = new Stage()
    stage.exec(mcp('first'))
    checkpoint(stage, 'first')
    stage.text('while you read')
    stage.pass(100)
    stage.run.end(broken)
    expect(stage.run.phase).toBe('ended')
  })

  it('is no state of the conversation before the service has ended the turn', () => {
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

describe('what a server leaves with a run', () => {
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
    for (let at = 0; at < 1_000 && stage.run.phase === 'running'; at++) flood(stage, at)
    if (name.endsWith('taken')) {
      expect(stage.run.phase).toBe('running')
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

  it('is let go with what it belonged to: a long run of calls that are answered goes on', () => {
    const stage = new Stage({}, [], maxBytes)
    for (let at = 0; at < 50; at++) {
      stage.exec({ ...calls, value: { ...calls.value, toolCallId: `c${at}`, args: { a: toValue(long) } } })
      stage.pass(1_000)
      stage.resume({ [callId(at)]: 'ok' })
    }
    expect(stage.run.phase).toBe('running')
  })
})

describe('what the user says beside results', () => {
  const memory = (): SteeringMemory => ({ isSilent: false })
  /** A run that was given a result and words. */
  function steered(at = memory()) {
    const stage = new Stage({}, [], undefined, at)
    stage.add()
    stage.pass(60)
    const [callId = ''] = stage.run.waitingFor
    stage.resume({ [callId]: 'three' }, {}, 'and hurry')
    const kinds = () =>
      stage.replies.flatMap(({ message }) =>
        message.case === 'conversationAction' || message.case === 'execClientMessage' ? [message] : [],
      )
    return { stage, kinds }
  }
  const idOf = ([first]: ReturnType<ReturnType<typeof steered>['kinds']>) =>
    first?.case === 'conversationAction' && first.value.action.case === 'injectContextAction'
      ? first.value.action.value.injectionId
      : ''
  const tell = (
    stage: Stage,
    injectionId: string,
    how: 'queued' | 'delivered' | 'rejected' | 'queuedForNextTurn',
  ) => {
    const state = { state: { case: how, value: {} } }
    stage.update({ case: 'contextInjectionState', value: { injectionId, state } })
    stage.pass(0)
  }
  const said = (kinds: ReturnType<ReturnType<typeof steered>['kinds']>) =>
    JSON.stringify(kinds.slice(1), (_, value) => (typeof value === 'bigint' ? String(value) : value))

  it.each(['queued', 'delivered'] as const)('is told to the run: %s, then the results without it', (how) => {
    const { stage, kinds } = steered()
    expect(kinds()).toHaveLength(1)
    tell(stage, 'another', 'rejected')
    expect(kinds()).toHaveLength(1)
    tell(stage, idOf(kinds()), how)
    expect(kinds()).toHaveLength(2)
    expect(said(kinds())).not.toContain('and hurry')
    tell(stage, idOf(kinds()), 'delivered')
    expect(kinds()).toHaveLength(2)
  })

  it.each(['rejected', 'queuedForNextTurn'] as const)('rides along where it is %s', (how) => {
    const { stage, kinds } = steered()
    tell(stage, idOf(kinds()), how)
    expect(said(kinds())).toContain('and hurry')
  })

  it('rides along where the service says nothing, which is remembered', () => {
    const at = memory()
    const { stage, kinds } = steered(at)
    stage.pass(2_999)
    expect(kinds()).toHaveLength(1)
    stage.pass(1)
    expect(said(kinds())).toContain('and hurry')
    expect(at.isSilent).toBe(true)
    expect(idOf(steered(at).kinds())).toBe('')
  })

  it('rides along where another call comes first, whose result is not due yet', () => {
    const { stage, kinds } = steered()
    stage.add()
    stage.pass(0)
    expect(kinds()).toHaveLength(2)
    expect(said(kinds())).toContain('and hurry')
    stage.pass(60)
    expect(stage.run.waitingFor).toHaveLength(1)
  })
})

// A run with a clock that the test moves, and everything that the run said.

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { expect } from 'vitest'
import type { ExecServerMessageSchema } from '../../../proto/gen/agent/v1/exec_pb.ts'
import type { InteractionUpdateSchema } from '../../../proto/gen/agent/v1/interaction_pb.ts'
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  AgentServerMessageSchema,
} from '../../../proto/gen/agent/v1/run_pb.ts'
import { checkTurn } from '../../../test/check-turn.ts'
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
export const shellTools: Tool[] = [
  { name: 'run_command', description: 'Runs a shell command', schema: text('command') },
  { name: 'list_directory', description: 'Lists a directory', schema: text('path') },
]

export const fileTools: Tool[] = [
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
export type Exec = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>['message']>

/** A run with a clock of its own. */
export class Stage {
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

export const callId = (n: number) => `sess_SESSION00000__call_${n}`

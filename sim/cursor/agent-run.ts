// One agent run on the server's side: reads the client's messages, checks that the client does its duties, and lets scripts and the
// demo model write. Independent of transport and model.

import { randomUUID } from 'node:crypto'
import { create, type MessageInitShape, toBinary, type UnknownField } from '@bufbuild/protobuf'
import type { ExecServerMessage } from '../../proto/gen/agent/v1/exec_pb.ts'
import {
  type InteractionResponse,
  type InteractionUpdate,
  InteractionUpdateSchema,
} from '../../proto/gen/agent/v1/interaction_pb.ts'
import {
  type AgentClientMessage,
  type AgentRunRequest,
  AgentServerMessageSchema,
} from '../../proto/gen/agent/v1/run_pb.ts'
import { TTFT_BREAKDOWN } from './asides.ts'
import type { FairClock } from './clock.ts'
import { Deferred } from './deferred.ts'
import { type ExecSpec, withCallId } from './exec-kinds.ts'
import { type Exec, ExecLedger } from './exec-ledger.ts'
import { encodeEnd } from './frames.ts'
import { answerInjection, type InjectionMode } from './injections.ts'
import { blobIdOf, hex, KvLedger } from './kv-ledger.ts'
import type { Patience } from './patience.ts'
import type { PendingCall } from './pending-calls.ts'
import { QueryLedger } from './query-ledger.ts'
import { Refusal } from './refusal.ts'
import { RunOver } from './run-over.ts'
import type { RunEnd, RunRecord } from './run-record.ts'
import type { RunWitness } from './run-witness.ts'
import type { StreamWriter } from './stream-writer.ts'
import {
  decodeClientMessage,
  type KvInit,
  type QueryInit,
  type ServerPayload,
  toAbort,
  toExecMessage,
  toKvMessage,
  toQueryMessage,
} from './wire-messages.ts'

interface AgentRunParts {
  readonly record: RunRecord
  readonly writer: StreamWriter
  readonly clock: FairClock
  readonly patience: Patience
  readonly chatters: boolean
  readonly injection: InjectionMode
  readonly onViolation: (sentence: string) => void
}

type UpdateInit = NonNullable<MessageInitShape<typeof InteractionUpdateSchema>['message']>

export class AgentRun {
  readonly record: RunRecord
  readonly writer: StreamWriter
  readonly execs: ExecLedger
  witness: RunWitness | undefined
  readonly #kv: KvLedger
  readonly #clock: FairClock
  readonly #patience: Patience
  readonly #onViolation: AgentRunParts['onViolation']
  readonly #queries = new QueryLedger()
  readonly #injection: InjectionMode
  readonly #opened = new Deferred<AgentRunRequest>()
  readonly #unwatch: () => void
  // As in the service, each channel has its own numbers: the same number may be in use on all three.
  #lastExecId = 0
  #lastKvId = 0
  #lastQueryId = 0
  #isOpen = false
  #lastSentAt: number
  #lastClientHeartbeatAt: number
  #waiters = 0
  #isOver = false
  /** After this many more messages `onBreak` is called. */
  messagesToBreak = Number.POSITIVE_INFINITY
  onBreak: (() => void) | undefined
  /** Whether its messages have fields that clients need not know. */
  readonly chatters: boolean

  constructor({ record, writer, clock, patience, chatters, injection, onViolation }: AgentRunParts) {
    this.chatters = chatters
    this.#injection = injection
    this.record = record
    this.writer = writer
    this.execs = new ExecLedger(record, (exec) => this.witness?.onAnswered(exec))
    this.#kv = new KvLedger(record.blobs)
    this.#clock = clock
    this.#patience = patience
    this.#onViolation = onViolation
    this.#lastSentAt = clock.now
    this.#lastClientHeartbeatAt = clock.now
    this.#unwatch = clock.watch((now) => this.#tick(now))
    writer.gone.addEventListener('abort', () => this.close(writer.endedHere ? 'failed' : 'by-client'))
  }

  get isOver(): boolean {
    return this.#isOver
  }

  opening(): Promise<AgentRunRequest> {
    return this.#opened.promise
  }

  receive(bytes: Uint8Array): void {
    if (this.#isOver) return
    this.guard(() => {
      const message = decodeClientMessage(bytes)
      this.record.keep(message)
      this.#dispatch(message, bytes)
    })
  }

  /** The client sends nothing more, though it still has duties. */
  halfClose(): void {
    this.violate(new Refusal('internal', 'No exec result: the request was closed too early'))
  }

  /** Runs a check; what it throws as a Refusal is a violation. */
  guard(check: () => void): void {
    try {
      check()
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      this.violate(error)
    }
  }

  /** `sentence`: what was wrong, if the service's own message does not say it. */
  violate(refusal: Refusal, sentence = refusal.message): void {
    if (this.#isOver) return
    this.record.violations.push(sentence)
    this.#onViolation(sentence)
    this.fail(refusal)
  }

  /** Ends the run with an error that is not the client's fault. */
  fail(refusal: Refusal): void {
    if (this.#isOver) return
    void this.writer.raw(encodeEnd(refusal)).then(() => this.writer.end())
    this.close('failed')
  }

  async finish(): Promise<void> {
    await this.writer.raw(encodeEnd())
    await this.writer.end()
    this.close('finished')
  }

  /** Stops reading and sending; the connection stays as it is. */
  close(end: RunEnd): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#unwatch()
    const over = new RunOver(`the run is over (${end})`)
    this.#opened.reject(over)
    this.execs.abandonAll(over)
    this.#kv.abandonAll(over)
    this.#queries.abandonAll(over)
    this.record.close(end)
  }

  send(message: ServerPayload): Promise<void> {
    if (this.#isOver) throw new RunOver('the run is over')
    this.#lastSentAt = this.#clock.now
    const envelope = create(AgentServerMessageSchema, { message })
    if (this.chatters) envelope.$unknown = [TTFT_BREAKDOWN]
    const handedOver = this.writer.frame(0, toBinary(AgentServerMessageSchema, envelope))
    this.witness?.onSent(message, handedOver)
    if (--this.messagesToBreak === 0) void handedOver.then(() => this.onBreak?.())
    return handedOver
  }

  update(message: UpdateInit): Promise<void> {
    const value: InteractionUpdate = create(InteractionUpdateSchema, { message })
    if (this.chatters) value.messageStartedAtMs = BigInt(Date.now())
    return this.send({ case: 'interactionUpdate', value })
  }

  sendUnknownUpdate(field: UnknownField): Promise<void> {
    const value = create(InteractionUpdateSchema)
    value.$unknown = [field]
    return this.send({ case: 'interactionUpdate', value })
  }

  ask(spec: ExecSpec, callId = `tool_${randomUUID()}`): Exec {
    return this.#askAs(++this.#lastExecId, withCallId(spec, callId))
  }

  /** Repeats the same calls, under new numbers or under the same ones, as the service may. */
  askAgain(calls: readonly PendingCall[], keepsIds: boolean): Exec[] {
    this.#lastExecId = Math.max(this.#lastExecId, ...calls.map(({ execId }) => execId))
    return calls.map(({ execId, spec }) => this.#askAs(keepsIds ? execId : ++this.#lastExecId, spec))
  }

  #askAs(id: number, spec: ExecSpec): Exec {
    const exec = this.#expect(id, spec)
    void this.send({ case: 'execServerMessage', value: toExecMessage(exec) })
    return exec
  }

  /** An exec that a script wrote by hand; its answer is awaited like any other. */
  adopt({ id, message }: ExecServerMessage): Exec | undefined {
    if (message.case === undefined) return undefined
    this.#lastExecId = Math.max(this.#lastExecId, id)
    return this.#expect(id, { args: message })
  }

  #expect(id: number, spec: ExecSpec): Exec {
    const exec = this.execs.add(id, spec, this.#clock.now)
    this.record.asked.push('args' in spec ? spec.args.case : 'unknown')
    this.witness?.onAsked(exec)
    return exec
  }

  abort(exec: Exec): Promise<void> {
    return this.send(toAbort(exec.id))
  }

  async storeBlob(data: Uint8Array): Promise<Uint8Array> {
    const blobId = blobIdOf(data)
    this.record.blobs.stored.set(hex(blobId), data)
    await this.#kvRequest('set', blobId, { case: 'setBlobArgs', value: { blobId, blobData: data } })
    return blobId
  }

  fetchBlob(blobId: Uint8Array): Promise<Uint8Array | undefined> {
    return this.#kvRequest('get', blobId, { case: 'getBlobArgs', value: { blobId } })
  }

  query(query: QueryInit & { case: string }, wanted: string): Promise<InteractionResponse> {
    const id = ++this.#lastQueryId
    const answer = this.#queries.add(id, wanted, this.#clock.now)
    void this.send(toQueryMessage(id, query))
    return this.waitFor(answer)
  }

  /** Waits for the client, and sends heartbeats meanwhile. */
  async waitFor<T>(promise: Promise<T>): Promise<T> {
    this.#waiters++
    try {
      return await promise
    } finally {
      this.#waiters--
    }
  }

  async #kvRequest(
    what: 'get' | 'set',
    blobId: Uint8Array,
    message: KvInit,
  ): Promise<Uint8Array | undefined> {
    const id = ++this.#lastKvId
    const answer = this.#kv.add(id, { what, blobId, askedAt: this.#clock.now })
    void this.send(toKvMessage(id, message))
    return this.waitFor(answer)
  }

  #dispatch({ message, $unknown }: AgentClientMessage, bytes: Uint8Array): void {
    const { now } = this.#clock
    if (message.case !== 'runRequest' && !this.#isOpen) {
      throw new Refusal(
        'invalid_argument',
        `the first message is ${message.case ?? 'empty'}, not run_request`,
      )
    }
    switch (message.case) {
      case undefined:
        if ($unknown === undefined) throw new Refusal('invalid_argument', 'an empty message')
        break
      case 'runRequest':
        if (this.#isOpen) throw new Refusal('invalid_argument', 'a second run_request')
        this.#isOpen = true
        this.record.request = message.value
        this.record.requestBytes = Uint8Array.from(bytes)
        this.#opened.resolve(message.value)
        break
      case 'execClientMessage':
        this.execs.onResult(message.value, now)
        break
      case 'execClientControlMessage':
        this.execs.onControl(message.value, now)
        break
      case 'kvClientMessage':
        this.#kv.onAnswer(message.value)
        break
      case 'clientHeartbeat':
        this.record.clientHeartbeats++
        this.#lastClientHeartbeatAt = now
        break
      case 'conversationAction':
        if (message.value.action.case === 'cancelAction') this.#cancel()
        else if (message.value.action.case === 'injectContextAction')
          answerInjection(this, message.value.action.value, this.#injection)
        break
      case 'interactionResponse':
        this.#queries.onAnswer(message.value)
        break
    }
  }

  #cancel(): void {
    void this.writer.raw(encodeEnd(new Refusal('canceled', 'Canceled'))).then(() => this.writer.end())
    this.close('by-client')
  }

  #tick(now: number): void {
    const { execMs, kvMs, clientHeartbeatMs, serverHeartbeatMs } = this.#patience
    this.guard(() => {
      this.execs.checkPatience(now, execMs)
      this.#kv.checkPatience(now, kvMs)
      this.#queries.checkPatience(now, execMs)
      if (now - this.#lastClientHeartbeatAt >= clientHeartbeatMs) {
        throw new Refusal('internal', `no client_heartbeat came for ${clientHeartbeatMs} ms`)
      }
    })
    if (this.#isOver || this.#waiters === 0 || now - this.#lastSentAt < serverHeartbeatMs) return
    void this.update({ case: 'heartbeat', value: {} })
  }
}

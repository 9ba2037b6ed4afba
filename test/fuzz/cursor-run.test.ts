// A run of Cursor's agent in any order of things: a server that keeps its word, streams that break anywhere, results
// that come early, late or not at all. Whatever happens, nothing is said or asked twice, nothing is lost or stuck.

import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { ExecServerMessageSchema } from '../../proto/gen/agent/v1/exec_pb.ts'
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  AgentServerMessageSchema,
} from '../../proto/gen/agent/v1/run_pb.ts'
import { GatewayError } from '../../src/core/errors.ts'
import type { TurnEvent } from '../../src/core/events.ts'
import type { ToolResult } from '../../src/core/request.ts'
import { BlobStore } from '../../src/protocols/cursor-agent/blobs.ts'
import { emptyPlan } from '../../src/protocols/cursor-agent/empty-plan.fixture.ts'
import { toValue } from '../../src/protocols/cursor-agent/json-value.ts'
import { AgentRun } from '../../src/protocols/cursor-agent/run.ts'
import { checkTurn } from '../check-turn.ts'
import { fuzz } from './settings.ts'

type Message = NonNullable<MessageInitShape<typeof AgentServerMessageSchema>['message']>
type Exec = NonNullable<MessageInitShape<typeof ExecServerMessageSchema>['message']>

/** What the server does next. It waits for the results of all that it has asked for at each `await`. */
type Op = 'say' | 'think' | 'call' | 'checkpoint' | 'await' | 'context' | 'blob' | 'abort' | 'end'

/** Where the story stands: in a checkpoint, and on the stream of the moment. */
interface Place {
  at: number
  asked: number[]
  answered: number[]
}

const upstreamId = (call: number) => `tool_${call}_`

/** The server's side of one stream; what it asks for and says is named by its place in the story. */
class Server {
  readonly #story: readonly Op[]
  readonly #place: Place
  readonly #execs = new Map<number, { call: number | undefined; closes: number }>()
  readonly #again: number[]
  readonly problems: string[] = []

  constructor(story: readonly Op[], from: Place = { at: 0, asked: [], answered: [] }) {
    this.#story = story
    this.#place = { at: from.at, asked: [...from.asked], answered: [...from.answered] }
    this.#again = from.asked.filter((call) => !from.answered.includes(call))
  }

  get isOver(): boolean {
    return this.#place.at >= this.#story.length
  }

  get openExecs(): number {
    return [...this.#execs.values()].filter(({ closes }) => closes === 0).length
  }

  /** The next message; undefined while it waits. */
  next(): Message | undefined {
    const again = this.#again.shift()
    if (again !== undefined) return this.#ask(again)
    const { at, asked, answered } = this.#place
    const op = this.#story[at]
    if (op === undefined || (op === 'await' && answered.length < asked.length)) return undefined
    this.#place.at++
    return this.#play(op, at)
  }

  #play(op: Op, at: number): Message | undefined {
    const update = (message: object): Message => ({
      case: 'interactionUpdate',
      value: { message: message as never },
    })
    switch (op) {
      case 'say':
        return update({ case: 'textDelta', value: { text: `t${at} ` } })
      case 'think':
        return update({ case: 'thinkingDelta', value: { text: `hm${at} ` } })
      case 'call':
        this.#place.asked.push(at)
        return this.#ask(at)
      case 'context':
        return this.#exec(undefined, { case: 'requestContextArgs', value: {} })
      case 'blob':
        return {
          case: 'kvServerMessage',
          value: {
            id: at,
            message: {
              case: 'setBlobArgs',
              value: { blobId: Buffer.alloc(32, at), blobData: Buffer.of(at) },
            },
          },
        }
      case 'checkpoint': {
        const names = this.#place.asked.map(upstreamId)
        const value = { pendingToolCalls: [JSON.stringify(this.#place), ...names] }
        return { case: 'conversationCheckpointUpdate', value }
      }
      case 'abort':
        return this.#abort()
      case 'end':
        return update({ case: 'turnEnded', value: {} })
      case 'await':
        return update({ case: 'heartbeat', value: {} })
    }
  }

  #abort(): Message | undefined {
    const open = [...this.#execs].find(([, { call, closes }]) => call !== undefined && closes === 0)
    if (!open) return undefined
    return {
      case: 'execServerControlMessage',
      value: { message: { case: 'abort', value: { id: open[0] } } },
    }
  }

  #ask(call: number): Message {
    const args = { call: toValue(call) }
    return this.#exec(call, { case: 'mcpArgs', value: { name: 'add', toolCallId: upstreamId(call), args } })
  }

  #exec(call: number | undefined, message: Exec): Message {
    const id = this.#execs.size + 1
    this.#execs.set(id, { call, closes: 0 })
    return { case: 'execServerMessage', value: { id, message } }
  }

  take({ message }: AgentClientMessage): void {
    if (message.case !== 'execClientControlMessage' || message.value.message.case !== 'streamClose') return
    const { id } = message.value.message.value
    const exec = this.#execs.get(id)
    if (!exec) this.problems.push(`closed exec ${id}, which was not asked for`)
    else if (exec.closes++ > 0) this.problems.push(`closed exec ${id} twice`)
    else if (exec.call !== undefined) this.#place.answered.push(exec.call)
  }
}

interface Shown {
  callId: string
  call: number
}

/** The gateway and its client, around the run. */
class Player {
  now = 0
  readonly #story: readonly Op[]
  #server: Server | undefined
  readonly #run: AgentRun
  #events: TurnEvent[] = []
  readonly #blobs = new BlobStore()
  /** What the client has of the conversation. */
  readonly said: string[] = []
  readonly calls: number[] = []
  /** The calls of the last answer that had any, and whether that is the present one. */
  #open: Shown[] = []
  #isNewRound = false
  #results = new Map<string, ToolResult>()
  outcome: 'running' | 'waiting' | 'failed' | 'done' | 'given up' = 'running'

  constructor(story: readonly Op[], parallelToolCalls: boolean) {
    this.#story = story
    this.#server = new Server(story)
    this.#run = new AgentRun(
      {
        backend: 'box',
        sessionId: 'SESSION00000',
        blobs: this.#blobs,
        plan: emptyPlan(),
        progressMs: 60_000,
      },
      this.#answer(parallelToolCalls),
    )
    this.#run.begin(0)
    this.#take()
  }

  #answer = (parallelToolCalls = true) => ({
    turnId: 'turn_1',
    model: 'm',
    tools: [{ name: 'add', schema: {} }],
    parallelToolCalls,
    note: () => undefined,
  })

  serve(): boolean {
    const message = this.#server?.next()
    if (!message) return false
    this.#run.receive(
      toBinary(AgentServerMessageSchema, create(AgentServerMessageSchema, { message })),
      this.now,
    )
    this.#take()
    return true
  }

  pass(ms: number): void {
    const end = this.now + ms
    for (let wakes = 0; this.#run.wakeAt <= end; wakes++) {
      expect(wakes).toBeLessThan(1_000)
      this.now = Math.max(this.now, this.#run.wakeAt)
      this.#run.elapse(this.now)
      this.#take()
    }
    this.now = end
  }

  break(): void {
    if (!this.#server) return
    this.#dropServer()
    this.#run.end(new GatewayError('upstream-unavailable', 'The stream broke.'))
    this.#take()
    if (this.#run.isLost && this.#run.state.phase === 'answering') this.#reopen()
  }

  /** Hands in the results of calls that the client knows of. */
  deliver(which: number | 'all'): void {
    const { length } = this.#open
    const chosen = which === 'all' ? this.#open : this.#open.slice(which % Math.max(1, length)).slice(0, 1)
    for (const shown of chosen) this.#deliver(shown)
  }

  #deliver(shown: Shown): void {
    if (this.#run.state.phase === 'ended') return
    const result = resultOf(shown)
    const state = this.#run.resultState(result)
    if (state === 'open') this.#run.deliver(result)
    else expect(['duplicate', 'late']).toContain(state)
    this.#take()
  }

  /** The follow-up request, without the results that `missing` says; again, where it failed. */
  resume(missing: number): void {
    if (this.outcome !== 'waiting' && this.outcome !== 'failed') return
    if (this.#run.state.phase !== 'parked') {
      this.outcome = 'given up'
      return
    }
    if (this.outcome === 'waiting') {
      const given = this.#open.filter((_, at) => ((missing >> at) & 1) === 0)
      this.#results = new Map(given.map((shown) => [shown.callId, resultOf(shown)]))
    }
    for (const result of this.#results.values()) expect(this.#run.resultState(result)).not.toBe('unknown')
    this.outcome = 'running'
    this.#isNewRound = false
    this.#run.resume(this.#results, this.#answer(), { now: this.now })
    this.#take()
    if (this.#run.isLost) this.#reopen()
  }

  /** To the end, without further harm. */
  finish(): void {
    for (let steps = 0; this.outcome !== 'done' && this.outcome !== 'given up'; steps++) {
      expect(steps, 'stuck').toBeLessThan(500)
      if (this.outcome !== 'running') this.resume(0)
      else if (!this.serve()) this.pass(3_100)
    }
    while (this.serve());
    if (this.outcome === 'done' && this.#server) expect(this.#server.openExecs).toBe(0)
    this.#dropServer()
  }

  #reopen(): void {
    this.#run.reopen(this.now)
    const { replies } = this.#run.take()
    expect(replies).toHaveLength(1)
    const { message } = fromBinary(AgentClientMessageSchema, replies[0] as Uint8Array)
    if (message.case !== 'runRequest') throw new Error(`a stream that begins with ${message.case}`)
    const [place = ''] = message.value.conversationState?.pendingToolCalls ?? []
    this.#server = new Server(this.#story, JSON.parse(place))
  }

  #dropServer(): void {
    expect(this.#server?.problems ?? []).toEqual([])
    this.#server = undefined
  }

  #take(): void {
    const { events, replies } = this.#run.take()
    for (const reply of replies) this.#server?.take(fromBinary(AgentClientMessageSchema, reply))
    this.#events.push(...events)
    for (const event of events)
      if (event.type === 'tool-call-end') this.#onCall(event.callId, JSON.parse(event.input).call)
    const last = this.#events.at(-1)
    if (last?.type === 'turn-end' || last?.type === 'turn-error') this.#onAnswer(last)
    // An answer that is being made must be waiting for something, or be lost with its stream.
    if (this.outcome === 'running' && !this.#run.isLost) expect(this.#run.wakeAt).toBeLessThan(Infinity)
  }

  #onCall(callId: string, call: number): void {
    expect(this.calls).not.toContain(call)
    this.calls.push(call)
    if (!this.#isNewRound) this.#open = []
    this.#isNewRound = true
    this.#open.push({ callId, call })
  }

  /** What the results of an answer's calls lead to is no part of that answer. */
  #expectNoneBehindResults(texts: readonly string[]): void {
    const results = this.#story.indexOf('await', Math.min(...this.#open.map(({ call }) => call)))
    expect(texts.filter((text) => Number(text.slice(1)) > results)).toEqual([])
  }

  #onAnswer(last: TurnEvent): void {
    expect(checkTurn(this.#events)).toEqual([])
    const texts = this.#events.flatMap((event) => (event.type === 'text-delta' ? [event.delta] : []))
    if (this.#isNewRound) this.#expectNoneBehindResults(texts)
    this.#events = []
    if (last.type === 'turn-error') this.outcome = 'failed'
    else {
      this.said.push(...texts)
      this.outcome = last.type === 'turn-end' && last.reason === 'tool-calls' ? 'waiting' : 'done'
    }
  }
}

const resultOf = ({ callId, call }: Shown): ToolResult => ({
  callId,
  content: [{ type: 'text', text: `result ${call}` }],
})

/** Mostly like the service, with a checkpoint after its calls; sometimes not. */
const scenes = fc.constantFrom<Op[]>(
  ['say'],
  ['think'],
  ['checkpoint'],
  ['context'],
  ['blob'],
  ['abort'],
  ['await'],
  ['call'],
  ['call', 'checkpoint'],
  ['call', 'call', 'checkpoint'],
  ['call', 'checkpoint', 'await', 'say', 'checkpoint'],
  ['await', 'checkpoint'],
  ['await', 'say', 'checkpoint', 'say'],
)

/** By far the most steps are the server's. */
const steps = fc.oneof(
  {
    weight: 10,
    arbitrary: fc.integer({ min: 1, max: 5 }).map((count) => (player: Player) => {
      for (let served = 0; served < count; served++) player.serve()
    }),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom(20, 110, 3_100).map((ms) => (player: Player) => player.pass(ms)),
  },
  { weight: 2, arbitrary: fc.constant((player: Player) => player.break()) },
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(0, 1, 'all' as const, 'all' as const)
      .map((which) => (player: Player) => player.deliver(which)),
  },
  {
    weight: 4,
    arbitrary: fc.constantFrom(0, 0, 1, 2).map((missing) => (player: Player) => player.resume(missing)),
  },
)

it('says everything once, asks for everything once, and always comes to an end', () => {
  fc.assert(
    fc.property(
      fc.array(scenes, { maxLength: 8 }),
      fc.array(steps, { maxLength: 50 }),
      fc.boolean(),
      (middle, moves, parallel) => {
        const story: Op[] = [...middle.flat(), 'await', 'end', 'checkpoint']
        const player = new Player(story, parallel)
        for (const move of moves) move(player)
        player.finish()
        const texts = story.flatMap((op, at) => (op === 'say' ? [`t${at} `] : []))
        const calls = story.flatMap((op, at) => (op === 'call' ? [at] : []))
        if (player.outcome === 'done') {
          expect(player.said).toEqual(texts)
          expect(player.calls.filter((call) => !calls.includes(call))).toEqual([])
        } else expect(player.said).toEqual(texts.slice(0, player.said.length))
      },
    ),
    fuzz,
  )
})

import { create, toBinary } from '@bufbuild/protobuf'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AgentServerMessageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import { scaled } from '../../../test/depth.ts'
import type { TurnEvent } from '../../core/events.ts'
import { BlobStore } from '../../protocols/cursor-agent/blobs.ts'
import { emptyPlan } from '../../protocols/cursor-agent/empty-plan.fixture.ts'
import { AgentRun } from '../../protocols/cursor-agent/run.ts'
import { LiveRun } from './live-run.ts'
import type { RunStream } from './transport.ts'

const progressMs = 60_000

const update = (message: object) =>
  toBinary(
    AgentServerMessageSchema,
    create(AgentServerMessageSchema, {
      message: { case: 'interactionUpdate', value: { message: message as never } },
    }),
  )
const text = (words: string) => update({ case: 'textDelta', value: { text: words } })
const turnEnded = update({ case: 'turnEnded', value: {} })

/** A stream that always has more, up to its last read. */
class Flood implements RunStream {
  reads = 0
  canceled = false
  readonly taken = 0
  isOver = false
  isFull = false
  readonly sent: Uint8Array[] = []
  #tellDrained: () => void = () => undefined
  readonly #source: (read: number) => Uint8Array[] | null

  constructor(source: (read: number) => Uint8Array[] | null) {
    this.#source = source
  }

  async read() {
    return this.canceled ? null : this.#source(this.reads++)
  }

  /** The server takes what was sent. */
  drain() {
    this.isFull = false
    this.#tellDrained()
  }

  drained() {
    return new Promise<void>((resolve) => {
      this.#tellDrained = resolve
    })
  }

  /** Large messages fill it. */
  send = (message: Uint8Array) => {
    this.sent.push(message)
    this.isFull ||= message.length > 1_000
  }
  close = () => undefined
  cancel = () => {
    this.canceled = true
    this.drain()
  }
}

const answer = {
  turnId: 'turn_1',
  model: 'composer-2',
  tools: [{ name: 'add', schema: {} }],
  parallelToolCalls: true,
  note: () => undefined,
}

const noOther = () => Promise.reject(new Error('no other stream'))

function startRun(
  stream: RunStream,
  reconnect: () => Promise<RunStream> = noOther,
  maxBytes?: number,
): LiveRun {
  const options = {
    maxBytes,
    backend: 'box',
    sessionId: 'SESSION00000',
    blobs: new BlobStore(),
    plan: emptyPlan(),
    progressMs,
  }
  const live = new LiveRun(new AgentRun(options, answer), stream, {
    backend: 'cursor',
    reconnect,
    onEnd: () => undefined,
  })
  live.begin()
  return live
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

const settle = () => new Promise((resolve) => setImmediate(resolve))

async function readAll(live: LiveRun): Promise<TurnEvent[]> {
  const batches: TurnEvent[][] = []
  for await (const batch of live.answer({
    signal: new AbortController().signal,
    onAnswered: () => undefined,
  }))
    batches.push(batch)
  return batches.flat()
}

describe('a client that does not read', () => {
  it('applies back-pressure to the upstream, which does not count as a stall', async () => {
    const stream = new Flood((read) => (read < 2_000 ? [text('x')] : [turnEnded]))
    const live = startRun(stream)
    await settle()
    expect(stream.reads).toBeLessThan(1_100)
    await vi.advanceTimersByTimeAsync(3 * progressMs)
    const events = await readAll(live)
    expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' })
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(2_000)
    live.close()
  })

  it('has a small queue, however long the deltas are', async () => {
    const piece = text('x'.repeat(100_000))
    const stream = new Flood((read) => (read < 100 ? [piece] : [turnEnded]))
    const live = startRun(stream)
    await settle()
    expect(stream.reads).toBeLessThan(5)
    const events = await readAll(live)
    expect(events.at(-1)).toMatchObject({ type: 'turn-end' })
    expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(100)
    live.close()
  })
})

describe('a server that asks for more than it takes', () => {
  const kv = (message: object) =>
    toBinary(
      AgentServerMessageSchema,
      create(AgentServerMessageSchema, { message: { case: 'kvServerMessage', value: message as never } }),
    )
  const blobId = Buffer.from('blob')
  const stored = kv({
    id: 1,
    message: { case: 'setBlobArgs', value: { blobId, blobData: Buffer.alloc(100_000) } },
  })
  const asked = kv({ id: 2, message: { case: 'getBlobArgs', value: { blobId } } })
  const bytesOf = (sent: readonly Uint8Array[]) => sent.reduce((sum, { length }) => sum + length, 0)
  const questionCount = scaled(400, 100)
  const reads = [[stored, ...Array.from({ length: questionCount }, () => asked)], [turnEnded]]
  const questions = () => new Flood((read) => reads[read] ?? null)

  it('is answered one question at a time, however many arrive together', async () => {
    const stream = questions()
    const live = startRun(stream)
    await settle()
    expect(bytesOf(stream.sent)).toBeLessThan(200_000)
    const events = readAll(live)
    while (stream.reads < 2) {
      stream.drain()
      await settle()
    }
    expect(bytesOf(stream.sent)).toBeGreaterThan(questionCount * 100_000)
    expect((await events).at(-1)).toMatchObject({ type: 'turn-end' })
    live.close()
  })

  it('is not answered after it has gone', async () => {
    const stream = questions()
    const live = startRun(stream)
    await settle()
    const { length } = stream.sent
    stream.isOver = true
    stream.drain()
    const events = await readAll(live)
    expect(events.at(-1)).toMatchObject({ type: 'turn-end' })
    expect(stream.sent).toHaveLength(length)
    live.close()
  })

  it('stalls its run when it takes nothing, and gets no heartbeats meanwhile', async () => {
    const stream = questions()
    const events = readAll(startRun(stream))
    await settle()
    const { length } = stream.sent
    await vi.advanceTimersByTimeAsync(progressMs + 10_000)
    expect((await events).at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'timeout' } })
    expect(stream.sent).toHaveLength(length)
    expect(stream.canceled).toBe(true)
  })
})

it('gives an error to its listener when it is closed from outside', async () => {
  const stream = new Flood(() => [text('x')])
  stream.read = () => new Promise(() => undefined)
  const live = startRun(stream)
  const events = readAll(live)
  await settle()
  live.close()
  expect((await events).at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'canceled' } })
})

it('fails with an error when no stream can be reopened', async () => {
  const state = create(AgentServerMessageSchema, {
    message: {
      case: 'conversationCheckpointUpdate',
      // More than one message can hold.
      value: { pendingToolCalls: ['x'.repeat(17 * 1024 * 1024)] },
    },
  })
  const checkpoint = toBinary(AgentServerMessageSchema, state)
  const live = startRun(new Flood((read) => (read === 0 ? [checkpoint] : null)), () =>
    Promise.resolve(new Flood(() => null)),
  )
  expect((await readAll(live)).at(-1)).toMatchObject({ type: 'turn-error' })
})

it('resumes with every message that arrived meanwhile', async () => {
  const exec = create(AgentServerMessageSchema, {
    message: {
      case: 'execServerMessage',
      value: { id: 1, message: { case: 'mcpArgs', value: { name: 'add' } } },
    },
  })
  const word = text('x')
  const reads = [
    [toBinary(AgentServerMessageSchema, exec)],
    Array.from({ length: 300_000 }, () => word),
    [turnEnded],
  ]
  let release: () => void = () => undefined
  let at = 0
  const stream = new Flood(() => null)
  stream.read = async () => {
    // The run parks with the first, the second arrives while it is parked, the third after the results.
    if (at > 0) {
      await new Promise<void>((resolve) => {
        release = resolve
      })
    }
    return reads[at++] ?? null
  }
  const live = startRun(stream, noOther, Number.POSITIVE_INFINITY)
  const first = readAll(live)
  await settle()
  await vi.advanceTimersByTimeAsync(200)
  expect((await first).at(-1)).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
  release()
  await settle()
  live.resume(new Map(), answer)
  const second = readAll(live)
  release()
  await settle()
  release()
  const events = await second
  expect(events.filter(({ type }) => type === 'text-delta')).toHaveLength(300_000)
  expect(events.at(-1)).toMatchObject({ type: 'turn-end', reason: 'stop' })
  live.close()
})

// Runs as the simulator gave them, cut at every byte; and any messages at all, in any order.

import { readdirSync, readFileSync } from 'node:fs'
import { fromBinary, fromJsonString, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AgentClientMessageSchema, AgentServerMessageSchema } from '../../../proto/gen/agent/v1/run_pb.ts'
import { checkTurn } from '../../../test/check-turn.ts'
import { positions } from '../../../test/depth.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import type { TurnEvent } from '../../core/events.ts'
import type { Tool } from '../../core/request.ts'
import { EnvelopeReader, encodeEnvelope } from '../connect/envelope.ts'
import { BlobStore } from './blobs.ts'
import { emptyPlan } from './empty-plan.fixture.ts'
import { AgentRun } from './run.ts'

const folder = new URL('../../../test/fixtures/cursor-agent/', import.meta.url)

const runs = readdirSync(folder).map((file) => {
  const payloads = readFileSync(new URL(file, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => toBinary(AgentServerMessageSchema, fromJsonString(AgentServerMessageSchema, line)))
  const bytes = Buffer.concat([
    ...payloads.map((payload) => encodeEnvelope(payload)),
    encodeEnvelope(Buffer.from('{}'), 2),
  ])
  return { name: file.replace('.jsonl', ''), bytes }
})

const tool = (name: string, ...properties: string[]): Tool => ({
  name,
  schema: {
    type: 'object',
    properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
    required: properties,
  },
})
const tools = [tool('bash', 'command'), tool('read', 'path'), tool('write', 'path', 'content')]

function newRun(): AgentRun {
  const plan = emptyPlan()
  const run = new AgentRun(
    { backend: 'cursor', sessionId: 'S', blobs: new BlobStore(), plan, progressMs: 120_000 },
    { turnId: 't', model: 'm', tools, parallelToolCalls: true, note: () => undefined },
  )
  run.begin(0)
  return run
}

type Envelope = ReturnType<EnvelopeReader['push']>[number]

function envelopesOf(chunks: Iterable<Uint8Array>): Envelope[] {
  const reader = new EnvelopeReader({ backend: 'cursor', encoding: undefined })
  const envelopes: Envelope[] = []
  for (const chunk of chunks) envelopes.push(...reader.push(chunk))
  return envelopes
}

/** As a driver does it, in no time at all; a stream that stops short of its end frame was cut. */
function replay(envelopes: Iterable<Envelope>): TurnEvent[] {
  const run = newRun()
  let isEnded = false
  for (const { endOfStream, data } of envelopes) {
    if (endOfStream) isEnded = true
    else run.receive(data, 0)
  }
  if (!isEnded) run.end()
  if (run.isLost) run.giveUp()
  return run.take().events
}

describe.each(runs)('$name', ({ bytes }) => {
  const envelopes = envelopesOf([bytes])
  const whole = replay(envelopes)

  it('is a proper turn', () => {
    expect(checkTurn(whole)).toEqual([])
    expect(whole.at(-1)?.type).toBe('turn-end')
  })

  // A run sees whole envelopes alone: where these are the same, so are its events.
  it('gives the same envelopes however it is cut', () => {
    const isSame = (found: readonly Envelope[]) =>
      found.length === envelopes.length &&
      found.every(({ endOfStream, data }, index) => {
        const expected = envelopes[index]
        return endOfStream === expected?.endOfStream && Buffer.compare(data, expected.data) === 0
      })
    expect(isSame(envelopesOf([...bytes].map((byte) => Uint8Array.of(byte))))).toBe(true)
    for (const at of positions(bytes.length, 200))
      if (!isSame(envelopesOf([bytes.subarray(0, at), bytes.subarray(at)])))
        expect.fail(`cut at ${at}, other envelopes are read`)
  })

  it('stopped at any byte gives the envelopes that were whole', () => {
    let begun = 0
    for (let at = 0; at < bytes.length; at++) {
      const { length } = envelopesOf([bytes.subarray(0, at)])
      expect(length === begun || length === begun + 1).toBe(true)
      begun = length
    }
    expect(begun).toBe(envelopes.length - 1)
  })

  it('cut after any envelope ends with an error after the earlier output, or with the complete calls', () => {
    for (let count = 0; count < envelopes.length; count++) {
      const events = replay(envelopes.slice(0, count))
      expect(checkTurn(events)).toEqual([])
      const last = events.at(-1)
      const before = events.slice(0, -1)
      const given = before.filter(({ type }, index) => type !== 'text-end' || index < before.length - 1)
      if (last?.type === 'turn-end' && last.reason === 'stop') expect(events).toEqual(whole)
      else {
        const hasCalls = before.some(({ type }) => type === 'tool-call-end')
        if (hasCalls) expect(last).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
        else expect(last).toMatchObject({ type: 'turn-error', error: { code: 'upstream-protocol' } })
        expect(whole.slice(0, given.length)).toEqual(given)
      }
    }
  })
})

const text = fc.string({ unit: 'grapheme' })
const update = fc.oneof(
  text.map((value) => ({ textDelta: { text: value } })),
  text.map((value) => ({ thinkingDelta: { text: value } })),
  fc.constant({ thinkingCompleted: {} }),
  fc.integer().map((tokens) => ({ tokenDelta: { tokens: tokens | 0 } })),
  text.map((callId) => ({ toolCallStarted: { callId } })),
  text.map((callId) => ({ toolCallCompleted: { callId } })),
  fc.constant({ heartbeat: {} }),
  fc.constant({ stepStarted: {} }),
  fc.record({ inputTokens: fc.nat(), outputTokens: fc.nat(), cacheReadTokens: fc.nat() }).map((counts) => ({
    turnEnded: Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, String(count)])),
  })),
)
const exec = fc.oneof(
  text.map((path) => ({ readArgs: { path } })),
  fc.record({ path: text, fileText: text }).map((args) => ({ writeArgs: args })),
  text.map((command) => ({ shellArgs: { command } })),
  text.map((command) => ({ shellStreamArgs: { command } })),
  text.map((pattern) => ({ grepArgs: { pattern } })),
  text.map((path) => ({ lsArgs: { path } })),
  text.map((path) => ({ deleteArgs: { path } })),
  text.map((url) => ({ fetchArgs: { url } })),
  fc.record({ name: fc.oneof(text, fc.constantFrom('read', 'bash')) }).map((args) => ({ mcpArgs: args })),
  fc.constant({ requestContextArgs: {} }),
  fc.constant({ backgroundShellSpawnArgs: {} }),
  fc.constant({}),
)
const message = fc.oneof(
  { weight: 4, arbitrary: update.map((interactionUpdate) => ({ interactionUpdate })) },
  { weight: 3, arbitrary: exec.map((execServerMessage) => ({ execServerMessage })) },
  fc.constant({ conversationCheckpointUpdate: { tokenDetails: { usedTokens: 5 } } }),
  text.map((data) => ({
    kvServerMessage: {
      id: 1,
      setBlobArgs: { blobId: 'AQ==', blobData: Buffer.from(data).toString('base64') },
    },
  })),
  fc.constant({ kvServerMessage: { id: 2, getBlobArgs: { blobId: 'AQ==' } } }),
  fc.nat(6).map((n) => ({ execServerControlMessage: { abort: { id: 100 + n } } })),
  fc.constant({ interactionQuery: { id: 4, askQuestionInteractionQuery: {} } }),
)
const step = fc.oneof(
  { weight: 6, arbitrary: message.map((json) => ({ json })) },
  { weight: 1, arbitrary: fc.nat(4_000).map((ms) => ({ ms })) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 20 }).map((bytes) => ({ bytes })) },
)

/** One run under the property: what went in, what came out. */
class Trial {
  readonly run = newRun()
  now = 0
  asked = 0
  readonly events: TurnEvent[] = []
  readonly closes: number[] = []

  take(): void {
    const { events, replies } = this.run.take()
    this.events.push(...events)
    for (const reply of replies) {
      const { message: sent } = fromBinary(AgentClientMessageSchema, reply)
      if (sent.case === 'execClientControlMessage' && sent.value.message.case === 'streamClose')
        this.closes.push(sent.value.message.value.id)
    }
  }

  send(json: Record<string, unknown>): void {
    if ('execServerMessage' in json) {
      if (this.run.state.phase !== 'ended') this.asked++
      json = { execServerMessage: { id: this.asked + 100, ...(json.execServerMessage as object) } }
    }
    const bytes = toBinary(
      AgentServerMessageSchema,
      fromJsonString(AgentServerMessageSchema, JSON.stringify(json)),
    )
    this.run.receive(bytes, this.now)
  }

  pass(ms: number): void {
    for (
      const end = this.now + ms;
      this.now < end;
      this.now = Math.min(end, Math.max(this.now + 1, this.run.wakeAt))
    )
      this.run.elapse(this.now)
  }

  resume(): void {
    const note = () => undefined
    this.run.resume(
      new Map(),
      { turnId: 't', model: 'm', tools, parallelToolCalls: true, note },
      { now: this.now },
    )
  }
}

describe('any messages, in any order, with any pauses', () => {
  it('give answers that keep the rules, and every request its one answer', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 25 }), (steps) => {
        const trial = new Trial()
        for (const one of steps) {
          if ('json' in one) trial.send(one.json)
          else if ('bytes' in one) trial.run.receive(one.bytes, trial.now)
          else trial.pass(one.ms)
          trial.take()
          if (trial.run.state.phase !== 'parked') continue
          expect(checkTurn(trial.events)).toEqual([])
          trial.events.length = 0
          trial.resume()
          trial.take()
        }
        if (trial.run.state.phase === 'answering') {
          expect(trial.closes.length + trial.run.waitingFor.length).toBe(trial.asked)
          trial.run.end()
          if (trial.run.isLost) trial.run.giveUp()
        }
        trial.take()
        expect(checkTurn(trial.events)).toEqual([])
        expect(new Set(trial.closes).size).toBe(trial.closes.length)
      }),
      fuzz,
    )
  })
})

import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../test/check-turn.ts'
import { BlockWriter } from '../core/blocks.ts'
import { GatewayError } from '../core/errors.ts'
import type { FinishReason, TurnEvent } from '../core/events.ts'
import type { TurnRequest } from '../core/request.ts'
import { Turn } from '../core/turn.ts'
import type { CallRecord } from '../protocols/call-check/restore-calls.ts'
import { TurnCalls } from '../protocols/call-check/turn-calls.ts'
import { retryTurn } from './retry-turn.ts'

const read = {
  name: 'read',
  schema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
}
const request: TurnRequest = {
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
  tools: [read],
  stream: true,
  origin: { dialect: 'openai-chat', body: {}, faithful: true },
}

type Part =
  | { say: string }
  | { think: string }
  | { call: string; input?: string; id?: string; isStreamed?: boolean }

const good = (path = 'a', id = `good_${path}`): Part => ({ call: 'read', input: `{"path":"${path}"}`, id })
const bad = (id = 'bad'): Part => ({ call: 'read', input: '{"path":5}', id })

/** A turn of these parts, with the check of its calls. */
function answer(
  parts: readonly Part[],
  notes: string[],
  reason: FinishReason = 'tool-calls',
  error?: GatewayError,
) {
  const calls = new TurnCalls({
    mode: 'retry',
    tools: [read],
    marksIds: true,
    note: (text) => notes.push(text),
  })
  const blocks = new BlockWriter({ calls })
  blocks.push({ type: 'turn-start', id: 'up', model: 'm' })
  const batches: TurnEvent[][] = []
  for (const part of parts) {
    if ('say' in part) blocks.text(part.say)
    else if ('think' in part) {
      blocks.reasoning(part.think)
      blocks.endReasoning({ signature: `signed ${part.think}` })
    } else {
      blocks.startCall(part.id ?? 'id', part.call)
      if (part.isStreamed) {
        blocks.callDelta(part.input ?? '{}')
        batches.push(blocks.take())
      }
      blocks.endCall(part.input ?? '{}')
    }
  }
  blocks.close()
  const usage = { inputTokens: 10, outputTokens: 1 }
  blocks.push(error ? { type: 'turn-error', error } : { type: 'turn-end', reason, usage })
  batches.push(blocks.take())
  async function* played() {
    yield* batches
  }
  return { turn: new Turn(played()), calls }
}

interface Setting {
  isSession?: boolean
  mayAsk?: boolean
  reason?: FinishReason
  breaksWith?: GatewayError
}

async function play(
  first: readonly Part[],
  second: readonly Part[] | GatewayError = [],
  { isSession = false, mayAsk = true, reason, breaksWith }: Setting = {},
) {
  const notes: string[] = []
  const asked: TurnRequest[] = []
  const kept: [string[], CallRecord][] = []
  const abandoned: string[] = []
  const { turn, calls } = answer(first, notes, reason)
  const events: TurnEvent[] = []
  for await (const batch of retryTurn({
    request,
    first: turn,
    calls,
    isSession,
    mayAsk: () => mayAsk,
    ask: async (next) => {
      asked.push(next)
      if (second instanceof GatewayError) throw second
      const hasCalls = second.some((part) => 'call' in part)
      return answer(second, notes, hasCalls ? 'tool-calls' : 'stop', breaksWith)
    },
    keep: (shown, record) => kept.push([shown.map(({ callId }) => callId), record]),
    abandon: (callId) => abandoned.push(callId),
    note: (text) => notes.push(text),
    onRetried: () => undefined,
  }))
    events.push(...batch)
  expect(checkTurn(events)).toEqual([])
  const made = events.flatMap((event) =>
    event.type === 'tool-call-end' ? [[event.callId, event.input]] : [],
  )
  const text = events.map((event) => (event.type === 'text-delta' ? event.delta : '')).join('')
  return { events, made, text, end: events.at(-1), notes, asked, kept, abandoned }
}

describe('a call that does not fit', () => {
  it('is replaced by the second try, and usage adds up', async () => {
    const { made, text, end, asked } = await play([{ say: 'Now.' }, bad()], [good()])
    expect(made).toEqual([['good_a_mended', '{"path":"a"}']])
    expect(text).toBe('Now.')
    expect(end).toMatchObject({ reason: 'tool-calls', usage: { inputTokens: 20, outputTokens: 2 } })
    expect(asked[0]?.messages.slice(1)).toMatchObject([
      { role: 'assistant', content: [{ text: 'Now.' }, { callId: 'bad', input: '{"path":5}' }] },
      { role: 'tool', results: [{ callId: 'bad', isError: true }] },
    ])
    expect(JSON.stringify(asked[0]?.messages.at(-1))).toContain('path: must be string, not integer')
    expect(asked[0]?.origin.faithful).toBe(false)
  })

  it('of an unknown tool is told which there are', async () => {
    const { made, asked } = await play([{ call: 'write', input: '{}', id: 'w' }], [good()])
    expect(made).toEqual([['good_a_mended', '{"path":"a"}']])
    expect(JSON.stringify(asked[0]?.messages.at(-1))).toContain('The tools are: read.')
  })

  it('lets good calls pass, which are not asked for and not made twice', async () => {
    const { made, asked, notes } = await play([good('a'), bad(), good('b')], [good('a', 'again'), good('c')])
    expect(made.map(([, input]) => input)).toEqual(['{"path":"a"}', '{"path":"b"}', '{"path":"c"}'])
    expect(JSON.stringify(asked[0]?.messages)).not.toContain('good_a')
    expect(notes).toContain('a tool call that was repeated was left out')
  })

  it('is passed on if it may not be asked for again', async () => {
    for (const setting of [{ mayAsk: false }, { reason: 'length' as const }]) {
      const { made, asked } = await play([bad()], [good()], setting)
      expect(made).toEqual([['bad', '{"path":5}']])
      expect(asked).toEqual([])
    }
  })

  it('is passed on if asking fails, and the turn ends well', async () => {
    const { made, end, notes } = await play([bad()], new GatewayError('upstream-unavailable', 'gone'))
    expect(made).toEqual([['bad', '{"path":5}']])
    expect(end).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect(notes.at(-1)).toContain('upstream-unavailable')
  })

  it('is passed on if the second answer breaks off before a call', async () => {
    const breaksWith = new GatewayError('upstream-unavailable', 'gone')
    const { made, end } = await play([bad()], [{ think: 'b' }, { say: 'Then' }], { breaksWith })
    expect(made).toEqual([['bad', '{"path":5}']])
    expect(end).toMatchObject({ type: 'turn-end', reason: 'tool-calls' })
    expect((await play([bad()], [good()], { breaksWith })).end).toMatchObject({ error: breaksWith })
    const canceled = new GatewayError('canceled', 'gone')
    expect((await play([bad()], [], { breaksWith: canceled })).end).toMatchObject({ error: canceled })
  })

  it('twice is passed on as the second answer has it', async () => {
    const { made, notes } = await play([bad()], [bad('again')])
    expect(made).toEqual([['again_mended', '{"path":5}']])
    expect(notes.at(-1)).toContain('does not fit either')
  })

  it('may be answered in words', async () => {
    const { made, text, end } = await play([bad()], [{ say: 'I cannot.' }])
    expect({ made, text, end }).toMatchObject({ made: [], text: 'I cannot.', end: { reason: 'stop' } })
    expect((await play([good(), bad()], [{ say: 'No.' }])).end).toMatchObject({ reason: 'tool-calls' })
  })

  it('is passed on after an answer that is too long to be remembered, which ends as it did', async () => {
    const { made, text, end, asked } = await play([{ say: 'x'.repeat(600_000) }, bad()], [good()])
    expect({ made, length: text.length, asked }).toEqual({
      made: [['bad', '{"path":5}']],
      length: 600_000,
      asked: [],
    })
    expect(end).toMatchObject({ reason: 'tool-calls', usage: { inputTokens: 10 } })
  })

  it('is passed on after an empty second answer', async () => {
    expect((await play([bad()], [])).made).toEqual([['bad', '{"path":5}']])
  })

  it('in a session is asked for again only if it is alone', async () => {
    const alone = await play([bad()], [good()], { isSession: true })
    expect(alone.made).toEqual([['good_a_mended', '{"path":"a"}']])
    const beside = await play([good(), bad()], [good('c')], { isSession: true })
    expect(beside.asked).toEqual([])
    expect(beside.made.map(([id]) => id)).toEqual(['good_a', 'bad'])
  })
})

it('calls of both answers with the same id are told apart', async () => {
  const repaired: Part = { call: 'Read', input: '{"path":"a"}', id: 'c_0' }
  const { made, kept } = await play([repaired, bad('c_1')], [good('b', 'c_0')])
  expect(made.map(([id]) => id)).toEqual(['c_0_mended', 'c_0_2_mended'])
  expect(kept[0]?.[1]).toMatchObject({ ids: new Map([['c_0_2_mended', 'c_0']]) })
})

it('a repeated call that the client has begun to see is not left out', async () => {
  const { made } = await play([good('a'), bad()], [{ ...good('a', 'again'), isStreamed: true }])
  expect(made.map(([id]) => id)).toEqual(['good_a', 'again_mended'])
})

it('the record has both answers as they were, and proofs of the second stay with the gateway', async () => {
  const { events, kept } = await play([{ think: 'a' }, good('a'), bad()], [{ think: 'b' }, good('b')])
  const proofs = events.flatMap((event) => (event.type === 'reasoning-end' ? [event.signature] : []))
  expect(proofs).toEqual(['signed a', undefined])
  const [[ids, record] = []] = kept
  expect(ids).toEqual(['good_b_mended'])
  expect(record).toMatchObject({
    type: 'retried',
    added: [
      { content: [{ signature: 'signed a' }, { callId: 'bad' }] },
      { role: 'tool', results: [{ callId: 'bad' }] },
    ],
    second: [{ signature: 'signed b' }, { callId: 'good_b' }],
    ids: new Map([['good_b_mended', 'good_b']]),
  })
})

it('a client that leaves leaves no call without an end', async () => {
  const notes: string[] = []
  const { turn, calls } = answer([bad()], notes)
  const abandoned: string[] = []
  const batches = retryTurn({
    request,
    first: turn,
    calls,
    isSession: true,
    mayAsk: () => true,
    ask: () => Promise.reject(new GatewayError('canceled', 'gone')),
    keep: () => undefined,
    abandon: (callId) => abandoned.push(callId),
    note: (text) => notes.push(text),
    onRetried: () => undefined,
  })
  const events: TurnEvent[] = []
  for await (const batch of batches) events.push(...batch)
  expect(events.at(-1)).toMatchObject({ type: 'turn-error', error: { code: 'canceled' } })
  expect(abandoned).toEqual(['bad'])
})

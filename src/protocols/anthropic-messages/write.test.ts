import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkTurn } from '../../../test/check-turn.ts'
import { bytewise, readChunks } from '../../../test/contract/reader.ts'
import { inBatches, turns } from '../../../test/contract/turns.ts'
import { positions } from '../../../test/depth.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import type { CollectedTurn } from '../../core/collect.ts'
import { errorCodes, GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { AnthropicReader } from './read.ts'
import { collected, options, sdkReads, shownBlocks, start, wireEvents } from './write.fixture.ts'
import { MessagesWriter, messagesKeepAlive } from './write.ts'

const runs = fuzz

const streamOf = (chunks: readonly Uint8Array[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })

/** Blocks one after the other, numbered without gaps, each started and stopped. */
function checkOrder(raw: string): void {
  const events = wireEvents(raw)
  expect(events[0]?.type).toBe('message_start')
  expect(events.slice(-2).map(({ type }) => type)).toEqual(['message_delta', 'message_stop'])
  let next = 0
  let open = false
  for (const { type, index } of events.slice(1, -2)) {
    expect([type, index]).toEqual([type, next])
    expect(open).toBe(type !== 'content_block_start')
    open = type !== 'content_block_stop'
    if (!open) next++
  }
  expect(open).toBe(false)
}

describe('MessagesWriter', () => {
  it('the official client reads any turn correctly, in any batching', async () => {
    const batches = fc.array(fc.nat(), { maxLength: 5 })
    const forms = fc.constantFrom('whole' as const, 'streamed' as const)
    await fc.assert(
      fc.asyncProperty(turns, batches, forms, fc.boolean(), async (events, sizes, form, showsThinking) => {
        const writer = new MessagesWriter({ ...options, toolArguments: form, showsThinking })
        const raw = inBatches(events, sizes)
          .map((batch) => writer.push(batch))
          .join('')
        checkOrder(raw)
        const message = await sdkReads(raw)
        const said = JSON.parse(JSON.stringify(shownBlocks(collected(events), showsThinking)))
        const content = JSON.parse(JSON.stringify(message.content))
        // A call that was cut off is visible only with streamed arguments.
        expect(form === 'whole' ? content : content.slice(0, said.length)).toEqual(said)
        expect(message).toMatchObject({ model: 'asked/for', usage: { input_tokens: 7, output_tokens: 5 } })
      }),
      runs,
    )
  })

  it('AnthropicReader reads the same turn back', () => {
    fc.assert(
      fc.property(turns, (events) => {
        const reader = new AnthropicReader({
          turnId: 't',
          model: 'm',
          backend: 'b',
          wholeArguments: true,
          note: () => undefined,
          toolName: (name) => name,
        })
        const raw = new MessagesWriter(options).push(events)
        const again = readChunks(reader, [new TextEncoder().encode(raw)])
        expect(checkTurn(again)).toEqual([])
        const [before, after] = [collected(events), collected(again)]
        expect(after.reason).toBe(before.reason)
        const inputs = (turn: CollectedTurn) =>
          turn.parts.map((part) => (part.type === 'tool-call' ? [part.name, part.input] : part.text))
        expect(inputs(after)).toEqual(inputs(before))
      }),
      runs,
    )
  })

  describe('a stream with everything in it', () => {
    const call = (block: number, input: string): TurnEvent[] => [
      { type: 'tool-call-start', block, callId: `call_${block}`, name: 'read' },
      { type: 'tool-call-delta', block, delta: input },
      { type: 'tool-call-end', block, callId: `call_${block}`, name: 'read', input },
    ]
    const events: TurnEvent[] = [
      start,
      { type: 'reasoning-start', block: 0 },
      { type: 'reasoning-delta', block: 0, delta: 'hm 🤔' },
      { type: 'reasoning-end', block: 0, signature: 'c2ln+/==' },
      { type: 'reasoning-start', block: 1 },
      { type: 'reasoning-end', block: 1, redacted: 'sealed' },
      { type: 'text-start', block: 2 },
      { type: 'text-delta', block: 2, delta: 'é\u2028\r\n' },
      { type: 'text-delta', block: 2, delta: 'data: {}\n\n' },
      { type: 'text-end', block: 2 },
      ...call(3, '{"path":"ü"}'),
      ...call(4, '{}'),
      { type: 'turn-end', reason: 'tool-calls', usage: { inputTokens: 1, outputTokens: 2 } },
    ]
    const raw = new MessagesWriter({ ...options, lateNotes: () => ['a note'] }).push(events)
    const bytes = new TextEncoder().encode(raw)
    const createReader = () =>
      new AnthropicReader({
        turnId: 't',
        model: 'm',
        backend: 'b',
        wholeArguments: true,
        note: () => undefined,
        toolName: (name) => name,
      })

    it('AnthropicReader reads the same turn, split at any byte', () => {
      const whole = readChunks(createReader(), [bytes])
      expect(collected(whole).parts).toEqual(collected(events).parts)
      for (const at of positions(bytes.length, 80))
        expect(readChunks(createReader(), [bytes.subarray(0, at), bytes.subarray(at)])).toEqual(whole)
    })

    it('the official client reads the same turn, split at every byte and at any byte', async () => {
      const whole = await sdkReads(raw)
      expect(whole.content).toEqual(shownBlocks(collected(events), true))
      expect(await sdkReads(streamOf(bytewise(bytes)))).toEqual(whole)
      for (const at of positions(bytes.length, 20))
        expect(await sdkReads(streamOf([bytes.subarray(0, at), bytes.subarray(at)]))).toEqual(whole)
    })

    it('neither accepts it as an answer if it stops early', async () => {
      const lines = raw.lastIndexOf('event: message_stop')
      const end = new TextEncoder().encode(raw.slice(0, lines)).length
      for (const at of positions(end + 1, 20)) {
        const cut = bytes.subarray(0, at)
        expect(readChunks(createReader(), [cut]).at(-1)?.type).toBe('turn-error')
        await expect(sdkReads(streamOf([cut]))).rejects.toThrow()
      }
    })
  })

  it('signed thinking is sent to a client that did not ask for it, in one piece and in its position', async () => {
    const events: TurnEvent[] = [
      start,
      { type: 'reasoning-start', block: 0 },
      { type: 'reasoning-delta', block: 0, delta: 'let ' },
      { type: 'reasoning-delta', block: 0, delta: 'me' },
      { type: 'reasoning-end', block: 0, signature: 'proof' },
      { type: 'reasoning-start', block: 1 },
      { type: 'reasoning-end', block: 1, signature: 'of nothing' },
      { type: 'reasoning-start', block: 2 },
      { type: 'reasoning-end', block: 2, redacted: 'sealed' },
      { type: 'reasoning-start', block: 3 },
      { type: 'reasoning-delta', block: 3, delta: 'unproven' },
      { type: 'reasoning-end', block: 3 },
      { type: 'turn-end', reason: 'stop' },
    ]
    const proven = [
      { type: 'thinking', thinking: 'let me', signature: 'proof' },
      { type: 'thinking', thinking: '', signature: 'of nothing' },
      { type: 'redacted_thinking', data: 'sealed' },
    ]
    const unproven = { type: 'thinking', thinking: 'unproven', signature: '' }
    for (const showsThinking of [true, false]) {
      const raw = new MessagesWriter({ ...options, showsThinking }).push(events)
      checkOrder(raw)
      const expected = showsThinking ? [...proven, unproven] : proven
      expect((await sdkReads(raw)).content).toEqual(expected)
      expect(shownBlocks(collected(events), showsThinking)).toEqual(expected)
    }
  })

  it.each(errorCodes)('an error %s ends the stream as an error', async (code) => {
    const error = new GatewayError(code, 'line\nbreak')
    const raw = new MessagesWriter(options).push([start, { type: 'turn-error', error }])
    const failed = await sdkReads(raw).catch((thrown: unknown) => thrown)
    expect(failed).toBeInstanceOf(Anthropic.APIError)
    expect(failed).toMatchObject({
      type: expect.stringMatching(/^[a-z_]+$/),
      apiMessage: expect.stringContaining('line\nbreak'),
      error: { request_id: 'turn_1' },
    })
    expect(raw).not.toContain('message_stop')
  })

  it('clients skip keep-alives at any position', async () => {
    const raw = new MessagesWriter(options).push([start, { type: 'turn-end', reason: 'stop' }])
    const kept = raw.replaceAll(/^event/gm, `${messagesKeepAlive}event`)
    expect((await sdkReads(kept)).stop_reason).toBe('end_turn')
  })

  it('puts late notes into one comment before message_stop', async () => {
    const lateNotes = () => ['one', 'two\r\nthree']
    const raw = new MessagesWriter({ ...options, lateNotes }).push([
      start,
      { type: 'turn-end', reason: 'stop' },
    ])
    expect(raw).toMatch(/\n\n: x-dragoman-notes: one; two three\nevent: message_stop\ndata: [^\n]*\n\n$/)
    expect((await sdkReads(raw)).stop_reason).toBe('end_turn')
  })
})

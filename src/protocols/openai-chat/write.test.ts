import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readChatStream } from '../../../test/chat-stream.ts'
import { checkTurn } from '../../../test/check-turn.ts'
import { readChunks } from '../../../test/contract/reader.ts'
import { inBatches, turns } from '../../../test/contract/turns.ts'
import { fuzz } from '../../../test/fuzz/settings.ts'
import { TurnCollector } from '../../core/collect.ts'
import { errorCodes, GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import { ChatReader } from './read.ts'
import { ChatWriter, type ChatWriterOptions, chatAnswer } from './write.ts'

const options: ChatWriterOptions = {
  id: 'chatcmpl-1',
  model: 'asked/for',
  createdAt: 1,
  includeUsage: true,
  toolArguments: 'whole',
  lateNotes: () => [],
}
const streamOf = (raw: string) =>
  readChatStream(new Response(raw, { headers: { 'content-type': 'text/event-stream' } }))

function collected(events: readonly TurnEvent[]) {
  const collector = new TurnCollector()
  collector.push(events)
  return collector.turn
}

describe('ChatWriter', () => {
  it('a strict client reads any turn correctly, in any batching', async () => {
    await fc.assert(
      fc.asyncProperty(
        turns,
        fc.array(fc.nat(), { maxLength: 5 }),
        fc.constantFrom('whole' as const, 'streamed' as const),
        async (events, sizes, toolArguments) => {
          expect(checkTurn(events)).toEqual([])
          const writer = new ChatWriter({ ...options, toolArguments })
          const stream = await streamOf(
            inBatches(events, sizes)
              .map((batch) => writer.push(batch))
              .join(''),
          )
          const turn = collected(events)
          expect(stream.problems).toEqual([])
          const joined = (type: 'text' | 'reasoning') =>
            turn.parts.flatMap((part) => (part.type === type ? [part.text] : [])).join('')
          expect([stream.text, stream.reasoning]).toEqual([joined('text'), joined('reasoning')])
          const calls = turn.parts.flatMap((part) =>
            part.type === 'tool-call' ? [[part.callId, part.name, part.input]] : [],
          )
          const shown = toolArguments === 'whole' ? stream.calls : stream.calls.slice(0, calls.length)
          expect(shown.map((call) => [call.id, call.name, call.arguments])).toEqual(calls)
          if (toolArguments === 'whole')
            expect(stream.calls.every((call) => call.pieces.length === 1)).toBe(true)
          expect(stream.usage).toMatchObject({ prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 })
          expect(new Set(stream.chunks.map((chunk) => chunk.model))).toEqual(new Set(['asked/for']))
        },
      ),
      fuzz,
    )
  })

  it('ChatReader reads the same turn back', () => {
    fc.assert(
      fc.property(turns, (events) => {
        const raw = new ChatWriter(options).push(events)
        const reader = new ChatReader({
          turnId: 't',
          model: 'm',
          backend: 'b',
          wholeArguments: true,
          note: () => undefined,
        })
        const again = readChunks(reader, [new TextEncoder().encode(raw)])
        expect(checkTurn(again)).toEqual([])
        const [before, after] = [collected(events), collected(again)]
        expect(after.reason).toBe(before.reason)
        expect(after.parts.filter((part) => part.type === 'tool-call')).toEqual(
          before.parts.filter((part) => part.type === 'tool-call'),
        )
      }),
      fuzz,
    )
  })

  it('a whole answer is consistent: finish_reason, content and calls', () => {
    fc.assert(
      fc.property(turns, (events) => {
        const answer = JSON.parse(chatAnswer(collected(events), options))
        const { message, finish_reason } = answer.choices[0]
        expect(finish_reason === 'tool_calls').toBe(
          message.tool_calls !== undefined &&
            finish_reason !== 'length' &&
            finish_reason !== 'content_filter',
        )
        expect(typeof message.content === 'string' || message.tool_calls.length > 0).toBe(true)
      }),
      fuzz,
    )
  })

  it.each(errorCodes)('an error %s ends the stream with [DONE] and no finish_reason', async (code) => {
    const writer = new ChatWriter(options)
    const stream = await streamOf(
      writer.push([
        { type: 'turn-start', id: 'x', model: 'm' },
        { type: 'turn-error', error: new GatewayError(code, 'line\nbreak') },
      ]),
    )
    expect(stream.problems).toEqual([])
    expect(stream.error.message).toBe('line\nbreak')
  })

  it.each(['whole', 'streamed'] as const)(
    'writes custom calls among functions, each header once (%s)',
    async (toolArguments) => {
      const called = (block: number, name: string, input: string, callId = `c${block}`): TurnEvent[] => [
        { type: 'tool-call-start', block, callId, name },
        { type: 'tool-call-delta', block, delta: input.slice(0, 3) },
        { type: 'tool-call-delta', block, delta: input.slice(3) },
        { type: 'tool-call-end', block, callId, name, input },
      ]
      const text = '*** "a"\n'
      const events: TurnEvent[] = [
        { type: 'turn-start', id: 't', model: 'm' },
        ...called(0, 'read', '{"path":"a"}'),
        ...called(1, 'patch', JSON.stringify({ input: text })),
        ...called(2, 'free', JSON.stringify({ input: text })),
        ...called(3, 'read', '{"path":"b"}'),
        { type: 'turn-end', reason: 'tool-calls' },
      ]
      expect(checkTurn(events)).toEqual([])
      const forms = new Map([
        ['patch', 'function'],
        ['free', 'custom'],
      ] as const)
      const customForm = (name: string) => forms.get(name as 'patch')
      const raw = new ChatWriter({ ...options, toolArguments, customForm }).push(events)
      const { chunks } = await streamOf(raw)
      const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? [])
      const calls = [0, 1, 2, 3].map((index) => {
        const own = deltas.filter((delta) => delta.index === index)
        const texts = own.map((delta) => delta.custom?.input ?? delta.function?.arguments)
        const header = own.filter(({ id }) => id !== undefined)
        const names = own.flatMap((delta) => delta.custom?.name ?? delta.function?.name ?? [])
        return [header.length, header[0].type, ...names, texts.join('')]
      })
      expect(calls).toEqual([
        [1, 'function', 'read', '{"path":"a"}'],
        [1, 'function', 'patch', text],
        [1, 'custom', 'free', text],
        [1, 'function', 'read', '{"path":"b"}'],
      ])
      const { message } = (
        JSON.parse(chatAnswer(collected(events), { ...options, customForm })).choices as [
          { message: { tool_calls: unknown } },
        ]
      )[0]
      expect(message.tool_calls).toEqual([
        { id: 'c0', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
        { id: 'c1', type: 'function', function: { name: 'patch', arguments: text } },
        { id: 'c2', type: 'custom', custom: { name: 'free', input: text } },
        { id: 'c3', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } },
      ])
    },
  )

  it('puts late notes into one comment before [DONE]', () => {
    const raw = new ChatWriter({ ...options, lateNotes: () => ['one', 'two\r\nthree'] }).push([
      { type: 'turn-end', reason: 'stop' },
    ])
    expect(raw).toMatch(/\n\n: x-dragoman-notes: one; two three\ndata: \[DONE\]\n\n$/)
  })
})

// What the page gets: bounded, without secrets; and the rest of it on demand.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/depth.ts'
import { Scrubber } from '../../observe/scrub.ts'
import type { FrameBody } from '../../tapes/frame.ts'
import type { TranscriptPart } from '../transcript-api.ts'
import { calls, dialects, linesOf, says, taped, tapeOf, transcriptOf } from './transcript.fixture.ts'
import { Transcripts } from './transcripts.ts'

const [chat] = dialects
if (!chat) throw new Error('no dialect')
const question = { user: 'Write a.txt' }
const long = 'line of text\n'.repeat(5_000)

const allParts = async (...of: Parameters<typeof transcriptOf>): Promise<TranscriptPart[]> =>
  (await transcriptOf(...of)).entries.flatMap(({ parts }) =>
    parts.flatMap((part) => [part, ...(part.result?.parts ?? [])]),
  )

describe('long texts', () => {
  const input = JSON.stringify({ text: long })
  const loop = [
    question,
    { assistant: 'Ok.', call: { id: 'c1', name: 'read', input: { text: long } } },
    { result: `${long}END`, of: 'c1', name: 'read' },
  ]
  const tape = tapeOf(chat, chat.body(loop), calls('c2', input))

  it('are cut to their beginning, with their size', async () => {
    const parts = await allParts(tape)
    const cut = parts.filter(({ text, size }) => text.length < size)
    expect(cut.map(({ kind, text, size }) => [kind, text.length, size])).toEqual([
      ['call', 8_192, input.length],
      ['text', 8_192, long.length + 3],
      ['call', 8_192, input.length],
    ])
  })

  it('are whole as parts, which keep their numbers', async () => {
    const transcripts = new Transcripts(new Scrubber())
    const find = () => undefined
    for (const part of await allParts(tape)) {
      const whole = await transcripts.part(tape, part.number, find)
      expect(whole?.text.slice(0, part.text.length)).toBe(part.text)
      expect(whole?.text).toHaveLength(part.size)
    }
    expect(await transcripts.part(tape, 1_000, find)).toBeUndefined()
    expect(await transcripts.part(tape, 1_001, find)).toBeUndefined()
  })

  it('are few in all: far from the turn they are shorter', async () => {
    const messages = Array.from({ length: 200 }, (_, at) => [
      { user: `${at} ${'x'.repeat(20_000)}` },
      { assistant: `${at}` },
    ]).flat()
    const { entries } = await transcriptOf(tapeOf(chat, chat.body([...messages, question]), says('Done')))
    expect(JSON.stringify(entries).length).toBeLessThan(3 * 1024 * 1024)
    expect(entries.at(-4)?.parts[0]?.text).toHaveLength(8_192)
    expect(entries[1]?.parts[0]?.text.length).toBeLessThan(8_192)
    expect(entries).toHaveLength(403)
  })

  it('hold no half of a secret at the cut', async () => {
    const scrubber = new Scrubber()
    scrubber.add('sk-canary-1234567890abcdef')
    for (const before of [8_180, 8_185, 8_192]) {
      const text = `${' '.repeat(before)}sk-canary-1234567890abcdef ${'x'.repeat(9_000)}`
      const shown = await allParts(tapeOf(chat, chat.body([{ user: text }]), says('Ok')), undefined, scrubber)
      expect(JSON.stringify(shown)).not.toContain('canary')
      expect(JSON.stringify(shown)).not.toContain('sk-')
    }
  })
})

describe('any tape', () => {
  const json = fc.jsonValue({ maxDepth: 4 })
  const members = fc.constantFrom(
    ...[
      'messages',
      'input',
      'contents',
      'choices',
      'candidates',
      'output',
      'delta',
      'content',
      'parts',
      'role',
    ],
    ...[
      'type',
      'item',
      'response',
      'error',
      'tool_calls',
      'function',
      'name',
      'arguments',
      'id',
      'call_id',
      'text',
    ],
    ...[
      'content_block',
      'index',
      'previous_response_id',
      'model',
      'system',
      'summary',
      'functionCall',
      'object',
    ],
  )
  const words = fc.constantFrom(
    ...[
      'user',
      'assistant',
      'tool',
      'function_call',
      'reasoning',
      'response',
      'message',
      'tool_use',
      'error',
    ],
    ...['content_block_start', 'content_block_delta', 'response.completed', 'response.output_item.done'],
  )
  const like = fc.letrec((tie) => ({
    value: fc.oneof({ maxDepth: 5 }, words, json, tie('object'), fc.array(tie('value'), { maxLength: 3 })),
    object: fc.dictionary(members, tie('value'), { maxKeys: 6 }),
  })).object
  const body = fc.oneof(
    like.map((value) => JSON.stringify(value)),
    fc.string(),
  )
  const write = fc.oneof(
    like.map((value) => `data: ${JSON.stringify(value)}\n\n`),
    like.map((value) => JSON.stringify(value)),
    fc.string(),
  )
  const path = fc.constantFrom(
    ...['/v1/chat/completions', '/v1/messages', '/v1/responses', '/v1/responses/compact', '/x'],
    ...['/v1beta/models/m:generateContent', '/v1beta/models/:streamGenerateContent?alt=sse'],
  )

  it('has a transcript', async () => {
    await fc.assert(
      fc.asyncProperty(
        path,
        fc.array(fc.tuple(body, fc.array(write, { maxLength: 5 })), { minLength: 1, maxLength: 4 }),
        async (one, turns) => {
          const tapes = turns.map(([text, writes], at) =>
            taped(`turn_${at}`, { path: one, body: text, writes }, { startedAt: at * 1_000 }),
          )
          for (const tape of tapes) {
            const { entries } = await transcriptOf(tape, tapes)
            expect(entries.filter(({ isChosen }) => isChosen)).toHaveLength(1)
            JSON.stringify(entries)
          }
        },
      ),
      { numRuns: scaled(2_000, 150) },
    )
  })

  it('that has no request, or no answer', async () => {
    const end: FrameBody = { side: 'client', do: 'end' }
    const empty = { turn: 'turn_a', startedAt: 1, isOver: true, frames: [{ at: 1, turn: 'turn_a', ...end }] }
    const transcript = await transcriptOf(empty)
    expect([transcript.isPartial, linesOf(transcript.entries)]).toEqual([true, ['*assistant turn_a: ']])
  })
})

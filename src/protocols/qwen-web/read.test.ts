import { describe, expect, it } from 'vitest'
import { describeReader, readChunks } from '../../../test/contract/reader.ts'
import { fixtures } from '../../../test/fixtures.ts'
import { TurnCollector } from '../../core/collect.ts'
import type { TurnEvent } from '../../core/events.ts'
import { QwenWebReader } from './read.ts'

const createReader = (toolsOffered = true, notes: string[] = []) =>
  new QwenWebReader({
    turnId: 'turn_1',
    model: 'qwen3.7-plus',
    backend: 'qwen',
    wholeArguments: true,
    toolsOffered,
    note: (text) => notes.push(text),
  })

const all = fixtures('qwen-web')
const bytesOf = (name: string) =>
  all.find((fixture) => fixture.name === name)?.bytes() ?? expect.unreachable(`no fixture ${name}`)
const read = (name: string, reader = createReader()) => readChunks(reader, [bytesOf(name)])
const frames = (...events: unknown[]) => [
  new TextEncoder().encode(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')),
]
const delta = (content: string, more: object = {}) => ({
  choices: [{ delta: { content, phase: 'answer', status: 'typing', ...more } }],
})
const finished = delta('', { status: 'finished' })

function partsOf(events: readonly TurnEvent[]) {
  const collector = new TurnCollector()
  collector.push(events)
  if (collector.error) throw collector.error
  return collector.turn.parts.map((part) => [part.type, 'text' in part ? part.text : ''])
}
const errorOf = (events: readonly TurnEvent[]) => {
  const last = events.at(-1)
  return last?.type === 'turn-error' ? last.error : undefined
}

describe('QwenWebReader', () => {
  describeReader({ createReader: () => createReader(), fixtures: all })

  it('emits text, the last token count, and the parent id of the next message', () => {
    const reader = createReader()
    expect(read('text', reader)).toEqual([
      { type: 'turn-start', id: 'answer-1', model: 'qwen3.7-plus' },
      { type: 'text-start', block: 0 },
      { type: 'text-delta', block: 0, delta: 'Grüße, ' },
      { type: 'text-delta', block: 0, delta: '日本語 ' },
      { type: 'text-delta', block: 0, delta: '🙂' },
      { type: 'text-end', block: 0 },
      {
        type: 'turn-end',
        reason: 'stop',
        rawReason: 'finished',
        usage: { inputTokens: 33, outputTokens: 6 },
      },
    ])
    expect(reader.responseId).toBe('answer-1')
  })

  it.each([
    ['thinking-summary', 'Let me see.\n\nTwo é files.', 'So: two.'],
    ['think', 'First this.', 'Done.'],
  ])('%s: thoughts once, then the answer', (name, thought, text) => {
    expect(partsOf(read(name))).toEqual([
      ['reasoning', thought],
      ['text', text],
    ])
  })

  it('shows a text once if every chunk has all of it', () => {
    expect(partsOf(read('whole-text'))).toEqual([['text', 'The answer is forty-two.']])
  })

  it('takes text without a phase as the answer', () => {
    expect(partsOf(read('no-phase'))).toEqual([['text', 'plain words']])
  })

  it('leaves out the service’s own tools, with one note for each', () => {
    const notes: string[] = []
    expect(partsOf(read('own-tools', createReader(true, notes)))).toEqual([['text', 'found']])
    expect(notes).toEqual([
      'the service used a tool of its own ("web_search"); its output is not shown',
      'the service used a tool of its own ("function"); its output is not shown',
    ])
  })

  it('names the setting if the service took a call for its own, and shows none of it', () => {
    const events = read('intercepted')
    expect(events.some((event) => event.type === 'text-delta')).toBe(false)
    expect(errorOf(events)).toMatchObject({
      code: 'upstream-protocol',
      retryable: false,
      message: expect.stringMatching(/"Tool read does not exists\.".*"toolText\.tag"/),
    })
  })

  it.each([
    'Tool',
    'Tool read',
    'Tool read does not work here.',
    'Tools do not exist.',
    'Tool x does not exist, sorry',
  ])('gives "%s" as it is', (text) => {
    const pieces = text.match(/.{1,3}/g) ?? []
    const stream = frames(...pieces.map((piece) => delta(piece)), finished)
    expect(partsOf(readChunks(createReader(), stream))).toEqual([['text', text]])
  })

  it('passes the sentence on if no tool was offered', () => {
    expect(partsOf(read('intercepted', createReader(false)))).toEqual([
      ['text', 'Tool read does not exists.'],
    ])
  })

  it.each([
    ['error-in-stream', { code: 'upstream-unavailable', message: 'qwen: the model went away' }],
    ['status-error', { code: 'upstream-unavailable', message: 'qwen: too busy now' }],
    ['refused', { code: 'rate-limited', retryAfterMs: 7 * 3_600_000 }],
    ['empty', { code: 'upstream-protocol', retryable: false, message: /^qwen: an empty answer\./ }],
    ['thoughts-only', { code: 'upstream-protocol', message: /finished thinking without an answer/ }],
    ['no-end', { code: 'upstream-protocol', retryable: true, message: /in the middle of the answer/ }],
  ])('%s is an error', (name, expected) => {
    const { message } = expected as { message?: string | RegExp }
    expect(errorOf(read(name))).toMatchObject({
      ...expected,
      ...(message instanceof RegExp ? { message: expect.stringMatching(message) } : {}),
    })
  })

  it('fails for an empty stream and for a clean end without text', () => {
    expect(errorOf(readChunks(createReader(), []))).toMatchObject({ retryable: false })
    expect(errorOf(readChunks(createReader(), frames(finished)))).toMatchObject({ retryable: false })
  })

  it('does not end with the thinking phase, by any name', () => {
    const stream = frames(
      delta('hm', { phase: 'think' }),
      delta('', { phase: 'think', status: 'finished' }),
      delta('', { phase: null, status: 'finished' }),
      delta('so'),
      finished,
    )
    expect(partsOf(readChunks(createReader(), stream))).toEqual([
      ['reasoning', 'hm'],
      ['text', 'so'],
    ])
  })

  it('keeps the order if the model thinks in between, and does not end there', () => {
    const stream = frames(
      delta('ab'),
      delta('ab'),
      delta('hm', { phase: 'think' }),
      delta('', { phase: 'think', status: 'finished' }),
      delta('c'),
      finished,
    )
    expect(partsOf(readChunks(createReader(), stream))).toEqual([
      ['text', 'abab'],
      ['reasoning', 'hm'],
      ['text', 'c'],
    ])
  })

  it('separates paragraphs of one chunk, and does not repeat a rewritten one', () => {
    const summary = (...content: unknown[]) =>
      delta('', { phase: 'thinking_summary', extra: { summary_thought: { content } } })
    const stream = frames(
      summary('a', 'b'),
      summary('A', 'b', 'c'),
      summary('A', 'b', 'c', 7, 'd'),
      delta('x'),
      finished,
    )
    expect(partsOf(readChunks(createReader(), stream))).toEqual([
      ['reasoning', 'a\n\nb\n\nc\n\nd'],
      ['text', 'x'],
    ])
  })

  it('counts chunks without news as no progress', () => {
    const reader = createReader()
    const progress = (...events: object[]) => {
      reader.push(events.map((event) => ({ event: undefined, data: JSON.stringify(event) })))
      return reader.progress
    }
    const created = { 'response.created': { response_id: 'r' } }
    const summary = delta('', {
      phase: 'thinking_summary',
      extra: { summary_thought: { content: ['a'] } },
    })
    const search = delta('', { phase: 'web_search' })
    expect(progress(created)).toBe(1)
    expect(progress(created, search, delta(''), { usage: { output_tokens: 1 } }, {})).toBe(1)
    expect(progress(summary)).toBe(2)
    expect(progress(summary, summary)).toBe(2)
    expect(progress(delta('a'), delta('b'))).toBe(4)
    expect(progress(delta(''))).toBe(4)
  })

  it('survives malformed names of the service’s tools', () => {
    const notes: string[] = []
    const stream = frames(
      delta('', { phase: { toString: 1 }, name: { toString: 1, valueOf: 1 } }),
      delta('x'),
      finished,
    )
    expect(partsOf(readChunks(createReader(true, notes), stream))).toEqual([['text', 'x']])
    expect(notes).toEqual(['the service used a tool of its own ("unnamed"); its output is not shown'])
  })

  it('fails for an answer without an end', () => {
    const reader = createReader()
    const data = JSON.stringify(delta('x'.repeat(1024 * 1024 - 1)))
    let last: TurnEvent | undefined
    for (let times = 0; times < 20 && last?.type !== 'turn-error'; times++)
      last = reader.push([{ event: undefined, data: data.replace('x', String(times % 10)) }]).at(-1)
    expect(last).toMatchObject({ error: { code: 'upstream-protocol' } })
  })

  it('reads an unstreamed refusal, and no other unstreamed answer', () => {
    const captcha = {
      ret: ['FAIL_SYS_USER_VALIDATE', 'RGV587_ERROR::SM::x'],
      data: { url: 'https://x/punish' },
    }
    expect(errorOf(createReader().whole(captcha))).toMatchObject({ code: 'upstream-challenge' })
    expect(errorOf(createReader().whole({ rgv587_flag: 'sm', url: 'https://x/punish' }))).toMatchObject({
      code: 'upstream-challenge',
    })
    expect(errorOf(createReader().whole({ success: true, data: {} }))).toMatchObject({
      code: 'upstream-protocol',
    })
  })
})

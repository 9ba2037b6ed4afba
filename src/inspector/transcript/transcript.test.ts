import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import type { TurnEvent } from '../../core/events.ts'
import {
  calls,
  dialects,
  fails,
  linesOf,
  type Said,
  says,
  taped,
  tapeOf,
  thinks,
  transcriptOf,
} from './transcript.fixture.ts'

const lines = async (...of: Parameters<typeof transcriptOf>) => linesOf((await transcriptOf(...of)).entries)
const question = { user: 'Read a.txt' }
const loop: Said[] = [
  question,
  { assistant: 'Reading.', call: { id: 'c1', name: 'read', input: { path: 'a.txt' } } },
  { result: 'The text', of: 'c1', name: 'read' },
]

describe.each(dialects)('$name', (dialect) => {
  const { body } = dialect
  const first = tapeOf(dialect, body([question]), [...thinks, ...calls()], { turn: 'turn_a' })
  const second = tapeOf(dialect, body(loop), says('It says: **the text**.'), {
    turn: 'turn_b',
    startedAt: 1_500,
  })

  it.each([true, false])('an answer in full, streamed: %j', async (stream) => {
    const tape = tapeOf(dialect, body([question]), [...thinks, ...calls()], { stream })
    expect(await lines(tape)).toEqual([
      'system: Be good',
      'user: Read a.txt',
      '*assistant turn_a: reasoning Hm, well | Reading. | call read {"path":"a.txt"}',
    ])
  })

  it.each([true, false])('an error, streamed: %j', async (stream) => {
    const error = new GatewayError('upstream-unavailable', 'box: the connection broke.')
    const tape = tapeOf(dialect, body([question]), [...(stream ? thinks : []), ...fails(error)], { stream })
    const [last] = (await lines(tape)).slice(-1)
    expect(last).toMatch(/error \S+ box: the connection broke\./)
    expect(last?.match(/the connection broke/g)).toHaveLength(1)
    if (stream) expect(last).toContain('reasoning Hm, well | Reading.')
  })

  it('a running answer shows what has come', async () => {
    const tape = tapeOf(dialect, body([question]), thinks.slice(0, -2), { isRunning: true })
    expect((await lines(tape)).at(-1)).toBe('*runningassistant turn_a: reasoning Hm, well | Read')
  })

  it('the history of a turn: results beside their calls, with the time of the tools, and the turns of answers', async () => {
    expect(await lines(second, [first, second])).toEqual([
      'system: Be good',
      'user: Read a.txt',
      expect.stringMatching(
        /^assistant turn_a: Reading\. \| call read \{"path":"a.txt"\} → The text( in 400)?$/,
      ),
      '*assistant turn_b: It says: **the text**.',
    ])
  })

  it('what later turns add', async () => {
    const third = tapeOf(
      dialect,
      body([...loop, { assistant: 'It says: **the text**.' }, { user: 'Thanks' }]),
      says('Welcome'),
      {
        turn: 'turn_c',
        startedAt: 2_000,
      },
    )
    const all = [first, second, third]
    const shown = await lines(first, all)
    expect(shown.slice(2)).toEqual([
      expect.stringMatching(/^\*assistant turn_a: reasoning Hm, well \| Reading\. \| call .* → The text/),
      'assistant turn_b: It says: **the text**.',
      'user: Thanks',
      'assistant turn_c: Welcome',
    ])
    expect((await lines(third, all)).map((line) => line.slice(0, 25))).toEqual([
      'system: Be good',
      'user: Read a.txt',
      'assistant turn_a: Reading',
      'assistant turn_b: It says',
      'user: Thanks',
      '*assistant turn_c: Welcom',
    ])
  })

  it('a compacted conversation: what the request lacks comes from earlier turns, and later turns begin anew', async () => {
    const summary = { user: 'Summary: a.txt was read.' }
    const third = tapeOf(dialect, body([summary, { user: 'Go on' }]), says('Done'), {
      turn: 'turn_c',
      startedAt: 2_000,
    })
    expect((await lines(third, [first, second, third])).map((line) => line.slice(0, 24))).toEqual([
      'system: Be good',
      '-user: Read a.txt',
      '-assistant turn_a: Readi',
      '-assistant turn_b: It sa',
      expect.stringContaining('user: Summary'),
      ...(await lines(third)).slice(2, -1).map((line) => line.slice(0, 24)),
      '*assistant turn_c: Done',
    ])
    const shown = await lines(first, [first, second, third])
    expect(shown.find((line) => line.includes('Summary'))).toMatch(/^!user/)
  })

  it('a failed turn that was asked again is part of the conversation', async () => {
    const failed = tapeOf(dialect, body([question]), fails(new GatewayError('rate-limited', 'Too many.')), {
      turn: 'turn_f',
      startedAt: 500,
    })
    expect((await lines(first, [failed, first])).map((line) => line.slice(0, 22))).toEqual([
      'system: Be good',
      'user: Read a.txt',
      '-assistant turn_f: err',
      '*assistant turn_a: rea',
    ])
  })
})

describe('searches of deferred tools, and parts that only one dialect knows', () => {
  const search: TurnEvent = {
    type: 'tool-search',
    id: 's1',
    name: 'tool_search_tool_bm25',
    query: 'weather',
    found: [{ name: 'get_weather', schema: { type: 'object' } }],
  }

  it.each(
    dialects
      .filter(({ name }) => name === 'Messages' || name === 'Responses')
      .flatMap((dialect) => [
        { dialect, stream: true },
        { dialect, stream: false },
      ]),
  )('$dialect.name, streamed: $stream', async ({ dialect, stream }) => {
    const tape = tapeOf(dialect, dialect.body([question]), [search, ...calls()], { stream })
    expect((await lines(tape)).at(-1)).toBe(
      '*assistant turn_a: search query weather | search found get_weather | call read {"path":"a.txt"}',
    )
  })

  it('images, files, opaque parts and results with images in the history', async () => {
    const [, messages] = dialects
    if (!messages) throw new Error('no dialect')
    const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
    const body = {
      ...messages.body([]),
      messages: [
        {
          role: 'user',
          content: [image, { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } }],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'shot', input: {} }] },
        {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: 't1', is_error: true, content: [image] }],
        },
        {
          role: 'assistant',
          content: [{ type: 'server_tool_use', id: 'w', name: 'web_search', input: { query: 'q' } }],
        },
        { role: 'user', content: 'And?' },
      ],
    }
    const { entries } = await transcriptOf(tapeOf(messages, body, says('So')))
    const parts = entries.flatMap((entry) => entry.parts)
    expect(parts.filter(({ kind }) => kind === 'image')).toMatchObject([
      { mediaType: 'image/png', text: 'iVBORw0KGgo=', size: 8 },
      { url: 'https://x.test/a.png', text: '', size: 0 },
    ])
    expect(parts.find(({ kind }) => kind === 'call')?.result).toMatchObject({
      isError: true,
      parts: [{ kind: 'image', size: 8 }],
    })
    const opaque = parts.find(({ kind }) => kind === 'opaque')
    expect(opaque?.name).toBe('anthropic-messages: server_tool_use')
    expect(JSON.parse(opaque?.text ?? '')).toMatchObject({ name: 'web_search', input: { query: 'q' } })
  })

  it('an opaque block whose input is streamed', async () => {
    const writes = [
      {
        type: 'content_block_start',
        index: 0,
        content_block: { type: 'server_tool_use', id: 'w', name: 'web_search', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"query":' },
      },
      { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '"q"}' } },
      { type: 'content_block_stop', index: 0 },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
    const tape = taped('turn_a', { path: '/v1/messages', body: '{', writes })
    const { entries } = await transcriptOf(tape)
    expect(JSON.parse(entries.at(-1)?.parts[0]?.text ?? '')).toMatchObject({ input: { query: 'q' } })
  })
})

describe('a conversation that names stored answers', () => {
  const responses = dialects.find(({ name }) => name === 'Responses')
  if (!responses) throw new Error('no dialect')
  const first = tapeOf(responses, responses.body([question]), calls(), { turn: 'turn_s1' })
  const continued = {
    ...responses.body([]),
    input: [{ type: 'function_call_output', call_id: 'c1', output: 'The text' }],
    previous_response_id: 'resp_s1',
  }
  const second = tapeOf(responses, continued, says('So it says.'), { turn: 'turn_s2', startedAt: 1_500 })

  it('has the earlier messages from the tapes of its turns', async () => {
    const { entries, isPartial } = await transcriptOf(second, [first, second])
    expect(isPartial).toBe(false)
    expect(linesOf(entries)).toEqual([
      'system: Be good',
      'user: Read a.txt',
      'assistant turn_s1: call read {"path":"a.txt"} → The text in 400',
      '*assistant turn_s2: So it says.',
    ])
  })

  it('says that they are missing if they are not kept', async () => {
    const { entries, isPartial } = await transcriptOf(second)
    expect(isPartial).toBe(true)
    expect(linesOf(entries)).toEqual([
      'system: Be good',
      'user: Result of an earlier tool call (c1): | The text',
      '*assistant turn_s2: So it says.',
    ])
  })
})

describe('what no door reads', () => {
  it.each([
    ['no JSON', '{"model":', 'The body is not JSON.'],
    ['refused', '{"model":"m","messages":5}', /messages/],
  ])('%s: is shown as it came', async (_name, body, problem) => {
    const error = '{"error":{"message":"No.","type":"invalid_request_error"}}'
    const tape = taped('turn_a', { path: '/v1/chat/completions', body, writes: [error] })
    const transcript = await transcriptOf(tape)
    expect(transcript.problem).toMatch(problem)
    expect(linesOf(transcript.entries)).toEqual([
      `user: raw ${body}`,
      '*assistant turn_a: error invalid_request_error No.',
    ])
  })

  it('an answer that is no JSON either', async () => {
    const tape = taped('turn_a', { path: '/x', body: 'hello', writes: ['Not ', 'found'] })
    expect(linesOf((await transcriptOf(tape)).entries)).toEqual([
      'user: raw hello',
      '*assistant turn_a: raw Not found',
    ])
  })
})

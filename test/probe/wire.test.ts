// Invalid answers: each dialect client finds them, and the probe blames the gateway.

import { describe, expect, it } from 'vitest'
import { clients } from '../../src/judge/clients/all.ts'
import { type DialectClient, emptyAnswer } from '../../src/judge/clients/answer.ts'
import { blameFor, FailureLog, failureSeen } from '../../src/judge/probe/failure.ts'
import { runTask } from '../../src/judge/probe/run-task.ts'
import { Spending } from '../../src/judge/probe/spending.ts'
import type { Task } from '../../src/judge/probe/task.ts'
import { allTasks } from '../../src/judge/probe/tasks.ts'

const weather = allTasks[0] as Task

async function tried(client: DialectClient, answer: Response) {
  return runTask(weather, 1, {
    ...{
      client,
      stream: true,
      model: 'box/m',
      timeoutMs: 5_000,
      backends: ['box'],
      failures: new FailureLog(),
    },
    spending: new Spending(),
    signal: new AbortController().signal,
    fetch: async () => answer,
  })
}

const judged = async (client: DialectClient, answer: Response) => (await tried(client, answer)).failure

const events = (...frames: unknown[]) =>
  new Response(
    frames
      .map((frame) => {
        if (typeof frame === 'string') return `data: ${frame}\n\n`
        const { type } = frame as { type?: string }
        return `${type === undefined ? '' : `event: ${type}\n`}data: ${JSON.stringify(frame)}\n\n`
      })
      .join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  )

const delta = (fields: unknown, reason: string | null = null) => ({
  ...{ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta: fields, finish_reason: reason }],
})
const call = (fields: Record<string, unknown> = {}) => ({
  tool_calls: [
    {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'get_weather', arguments: '{"city":"Oslo"}' },
      ...fields,
    },
  ],
})
const begin = delta({ role: 'assistant', content: '' })
const named = (name: string, text: string) => ({ function: { name, arguments: text } })

describe('Chat, streamed', () => {
  it.each([
    ['no [DONE]', [begin, delta({ content: 'hi' }), delta({}, 'stop')]],
    ['finish_reason is undefined', [begin, delta({ content: 'hi' }), '[DONE]']],
    ['it ends as if there were no tool calls', [begin, delta(call()), delta({}, 'stop'), '[DONE]']],
    ['it ends for tool calls, and there is none', [begin, delta({}, 'tool_calls'), '[DONE]']],
    ['a choice after finish_reason', [begin, delta({}, 'stop'), delta({ content: 'more' }), '[DONE]']],
    ['[DONE] must come once, at the end', [begin, delta({}, 'stop'), '[DONE]', '[DONE]']],
    ['call 1 where 0 comes next', [begin, delta(call({ index: 1 })), delta({}, 'tool_calls'), '[DONE]']],
    ['call 0 begins without id', [begin, delta(call({ id: '' })), delta({}, 'tool_calls'), '[DONE]']],
    [
      'call 0 begins without function.name',
      [begin, delta(call(named('', '{}'))), delta({}, 'tool_calls'), '[DONE]'],
    ],
    [
      'call 0 begins without type',
      [begin, delta(call({ type: undefined })), delta({}, 'tool_calls'), '[DONE]'],
    ],
    [
      'two tool calls with the same id',
      [begin, delta(call()), delta(call({ index: 1 })), delta({}, 'tool_calls'), '[DONE]'],
    ],
    [
      'arguments of get_weather are not a JSON object: {"city":',
      [begin, delta(call(named('get_weather', '{"city":'))), delta({}, 'tool_calls'), '[DONE]'],
    ],
    ['finish_reason is "done"', [begin, delta({}, 'done'), '[DONE]']],
    ['data that is not a JSON object: nonsense', [begin, 'nonsense', '[DONE]']],
  ])('%s', async (came, frames) => {
    expect(await judged(clients.chat, events(...frames))).toEqual({
      blame: 'gateway',
      expected: 'an answer in the form of its protocol',
      came,
    })
  })

  it('an answer that is not a stream', async () => {
    const failure = await judged(clients.chat, Response.json({ choices: [] }))
    expect(failure).toMatchObject({ blame: 'gateway' })
  })
})

describe('failures that are not faults of the gateway', () => {
  it.each([
    [
      'a tool that does not exist',
      [begin, delta(call(named('get_wether', '{}'))), delta({}, 'tool_calls'), '[DONE]'],
      'a call of "get_wether"',
    ],
    [
      'arguments that the schema does not allow',
      [begin, delta(call(named('get_weather', '{"city":7}'))), delta({}, 'tool_calls'), '[DONE]'],
      'arguments.city must be of type string, not 7',
    ],
    [
      'a call that is cut off at the length limit',
      [begin, delta(call(named('get_weather', '{"ci'))), delta({}, 'length'), '[DONE]'],
      'it was cut off at its length limit',
    ],
    [
      'a content filter',
      [begin, delta({}, 'content_filter'), '[DONE]'],
      'it was held back by a content filter',
    ],
  ])('%s', async (_name, frames, came) => {
    expect(await judged(clients.chat, events(...frames))).toMatchObject({ blame: 'model', came })
  })
})

it('takes notes from the header and from a comment of the stream', async () => {
  const body = `data: ${JSON.stringify(delta({ content: 'hi' }, 'stop'))}\n\n: x-dragoman-notes: late\ndata: [DONE]\n\n`
  const headers = { 'content-type': 'text/event-stream', 'x-dragoman-notes': 'early' }
  const { notes } = await tried(clients.chat, new Response(body, { headers }))
  expect(notes).toEqual(['early; late'])
})

describe('Messages, streamed', () => {
  const start = {
    type: 'message_start',
    message: {
      id: 'msg_1',
      model: 'm',
      role: 'assistant',
      content: [],
      usage: { input_tokens: 3, output_tokens: 0 },
    },
  }
  const text = [
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'hi' } },
  ]
  const close = { type: 'content_block_stop', index: 0 }
  const end = [
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  it.each([
    ['no message_stop', [start, ...text, close]],
    ['message_delta inside a block', [start, ...text, ...end]],
    ['block 0 begins inside another', [start, ...text, ...text]],
    ['content_block_stop after the end', [start, ...text, close, ...end, close]],
    [
      'block 1 where 0 comes next',
      [start, { type: 'content_block_start', index: 1, content_block: { type: 'text' } }],
    ],
    [
      'stop_reason is "done"',
      [start, { type: 'message_delta', delta: { stop_reason: 'done' }, usage: {} }, { type: 'message_stop' }],
    ],
  ])('%s', async (came, frames) => {
    const failure = await judged(clients.messages, events(...frames))
    expect(failure).toMatchObject({ blame: 'gateway', came })
  })

  it('judges a valid answer by its text', async () => {
    const failure = await judged(clients.messages, events(start, ...text, close, ...end))
    expect(failure).toMatchObject({ blame: 'model', came: 'no call, but "hi"' })
  })
})

describe('Responses, streamed', () => {
  const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'm', output: [] }
  const created = { type: 'response.created', sequence_number: 0, response }
  const item = {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'hi' }],
  }
  const added = { type: 'response.output_item.added', sequence_number: 1, output_index: 0, item }
  const done = { type: 'response.output_item.done', sequence_number: 2, output_index: 0, item }
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  const completed = (output: unknown[], number = 3) => ({
    type: 'response.completed',
    sequence_number: number,
    response: { ...response, status: 'completed', output, usage },
  })
  it.each([
    ['no response.completed, response.incomplete or response.failed', [created, added, done]],
    ['the output of the last event is not the items before it', [created, added, done, completed([])]],
    ['sequence_number 4 where 3 comes next', [created, added, done, completed([item], 4)]],
    ['response.completed out of place', [completed([], 0)]],
  ])('%s', async (came, frames) => {
    const failure = await judged(clients.responses, events(...frames))
    expect(failure).toMatchObject({ blame: 'gateway', came })
  })

  it('judges a valid answer by its text', async () => {
    const failure = await judged(clients.responses, events(created, added, done, completed([item])))
    expect(failure).toMatchObject({ blame: 'model', came: 'no call, but "hi"' })
  })
})

describe('blameFor', () => {
  it.each([
    ['internal', 'The gateway failed', 'gateway'],
    [undefined, 'fetch failed', 'gateway'],
    ['invalid-request', 'tools[0].name: is required', 'gateway'],
    ['invalid-request', 'box: tools[0].name is required', 'upstream'],
    ['rate-limited', 'box: slow down', 'upstream'],
    ['upstream-protocol', 'box: the upstream sent malformed arguments for tool "x".', 'model'],
    ['upstream-protocol', 'box: the upstream sent a web page', 'upstream'],
  ] as const)('%s, %s: %s', (code, message, blame) => {
    expect(blameFor(code, message, ['box'])).toBe(blame)
  })
})

describe('failureSeen', () => {
  const seen = (status: number, error?: { type: string; code: string }) =>
    failureSeen({
      ...emptyAnswer({ status, headers: {}, text: '', garbled: false, cut: false }, 'stream'),
      error: error && { message: 'x', ...error },
    })

  it.each([
    ['no answer', 0, undefined, undefined],
    ['a failure of the gateway', 500, { type: 'server_error', code: 'internal_error' }, { code: 'internal' }],
    ['a limit inside a stream', 200, { type: 'rate_limit_error', code: '' }, { code: 'rate-limited' }],
    [
      'any other error inside a stream',
      200,
      { type: 'server_error', code: 'upstream_protocol_error' },
      { code: 'upstream-unavailable', refusedBy: 'upstream' },
    ],
    ['a refusal', 400, undefined, { code: 'invalid-request', refusedBy: 'upstream' }],
    ['an unknown model', 404, undefined, { code: 'not-found', refusedBy: 'upstream' }],
    ['an overloaded service', 503, undefined, { code: 'upstream-unavailable', refusedBy: 'upstream' }],
  ])('%s', (_, status, error, expected) => {
    expect(seen(status, error)).toEqual(expected)
  })
})

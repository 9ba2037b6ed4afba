// Answers that no gateway may give: each door's reader sees them, and the blame is the gateway's.

import { describe, expect, it } from 'vitest'
import type { Door } from '../../src/judge/probe/doors/door.ts'
import { loadDoor } from '../../src/judge/probe/doors.ts'
import { blameFor, FailureLog } from '../../src/judge/probe/failure.ts'
import { runTask } from '../../src/judge/probe/run-task.ts'
import { Spending } from '../../src/judge/probe/spending.ts'
import type { Task } from '../../src/judge/probe/task.ts'
import { allTasks } from '../../src/judge/probe/tasks.ts'

const weather = allTasks[0] as Task

async function tried(door: Door, answer: Response) {
  return runTask(weather, 1, {
    ...{
      door,
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

const judged = async (door: Door, answer: Response) => (await tried(door, answer)).failure

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
const named = (name: string, text: string) => ({ function: { name, arguments: text } })

describe('Chat, streamed', () => {
  it.each([
    ['the stream ends without [DONE]', [delta({ content: 'hi' }), delta({}, 'stop')]],
    ['it ends without saying why', [delta({ content: 'hi' }), '[DONE]']],
    ['it ends as if there were no tool calls', [delta(call()), delta({}, 'stop'), '[DONE]']],
    ['it ends for tool calls, and there is none', [delta({}, 'tool_calls'), '[DONE]']],
    ['a delta behind finish_reason', [delta({}, 'stop'), delta({ content: 'more' }), '[DONE]']],
    ['something follows [DONE]', [delta({}, 'stop'), '[DONE]', '[DONE]']],
    ['tool index 1 in place of 0', [delta(call({ index: 1 })), delta({}, 'tool_calls'), '[DONE]']],
    ['a tool call without an id', [delta(call({ id: '' })), delta({}, 'tool_calls'), '[DONE]']],
    ['a tool call without a name', [delta(call(named('', '{}'))), delta({}, 'tool_calls'), '[DONE]']],
    ['a call without its type', [delta(call({ type: undefined })), delta({}, 'tool_calls'), '[DONE]']],
    [
      'two tool calls with the same id',
      [delta(call()), delta(call({ index: 1 })), delta({}, 'tool_calls'), '[DONE]'],
    ],
    [
      'the arguments of get_weather are no JSON object: {"city":',
      [delta(call(named('get_weather', '{"city":'))), delta({}, 'tool_calls'), '[DONE]'],
    ],
    ['finish_reason is "done"', [delta({}, 'done'), '[DONE]']],
    ['an event that is no JSON object', ['nonsense', '[DONE]']],
  ])('%s', async (came, frames) => {
    expect(await judged(await loadDoor('chat'), events(...frames))).toEqual({
      blame: 'gateway',
      expected: 'an answer in the form of its protocol',
      came,
    })
  })

  it('an answer that is no stream', async () => {
    const failure = await judged(await loadDoor('chat'), Response.json({ choices: [] }))
    expect(failure).toMatchObject({ blame: 'gateway' })
  })
})

describe('what is no fault of the gateway', () => {
  it.each([
    [
      'a tool that does not exist',
      [delta(call(named('get_wether', '{}'))), delta({}, 'tool_calls'), '[DONE]'],
      'a call of "get_wether"',
    ],
    [
      'arguments that the schema does not allow',
      [delta(call(named('get_weather', '{"city":7}'))), delta({}, 'tool_calls'), '[DONE]'],
      'arguments.city must be of type string, not 7',
    ],
    [
      'a call that is cut off at the length limit',
      [delta(call(named('get_weather', '{"ci'))), delta({}, 'length'), '[DONE]'],
      'it was cut off at its length limit',
    ],
    ['a content filter', [delta({}, 'content_filter'), '[DONE]'], 'it was held back by a content filter'],
  ])('%s', async (_name, frames, came) => {
    expect(await judged(await loadDoor('chat'), events(...frames))).toMatchObject({ blame: 'model', came })
  })
})

it('notes are taken from the header, and from the comment behind an answer', async () => {
  const body = `data: ${JSON.stringify(delta({ content: 'hi' }, 'stop'))}\n\n: x-dragoman-notes: late\ndata: [DONE]\n\n`
  const headers = { 'content-type': 'text/event-stream', 'x-dragoman-notes': 'early' }
  const { notes } = await tried(await loadDoor('chat'), new Response(body, { headers }))
  expect(notes).toEqual(['early; late'])
})

describe('Messages, streamed', () => {
  const start = { type: 'message_start', message: { usage: { input_tokens: 3, output_tokens: 0 } } }
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
    ['the stream ends without message_stop', [start, ...text, close]],
    ['a block is never closed', [start, ...text, ...end]],
    ['a block begins within another', [start, ...text, ...text]],
    ['ping behind nothing, then content_block_stop behind the end', [start, ...text, close, ...end, close]],
    [
      'block 1 in place of 0',
      [start, { type: 'content_block_start', index: 1, content_block: { type: 'text' } }],
    ],
    ['stop_reason is "done"', [start, { type: 'message_delta', delta: { stop_reason: 'done' }, usage: {} }]],
  ])('%s', async (came, frames) => {
    const failure = await judged(await loadDoor('messages'), events(...frames))
    expect(failure?.blame).toBe('gateway')
    expect(came).toContain(failure?.came)
  })

  it('one in order is judged by what it says', async () => {
    const failure = await judged(await loadDoor('messages'), events(start, ...text, close, ...end))
    expect(failure).toMatchObject({ blame: 'model', came: 'no call, but "hi"' })
  })
})

describe('Responses, streamed', () => {
  const item = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] }
  const done = { type: 'response.output_item.done', sequence_number: 0, item }
  const completed = (output: unknown[]) => ({
    type: 'response.completed',
    sequence_number: 1,
    response: { status: 'completed', output, usage: { input_tokens: 1, output_tokens: 1 } },
  })
  it.each([
    ['the stream ends without a last response', [done]],
    ['the output at the end is not what its events said', [done, completed([])]],
    ['sequence_number 1', [completed([])]],
  ])('%s', async (came, frames) => {
    const failure = await judged(await loadDoor('responses'), events(...frames))
    expect(failure).toMatchObject({ blame: 'gateway', came })
  })

  it('one in order is judged by what it says', async () => {
    const failure = await judged(await loadDoor('responses'), events(done, completed([item])))
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

// Whatever chunks a server sends: a strict client reads the same from the lane as from an answer that was written anew.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { TurnEvent } from '../../src/core/events.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { ChatWriter } from '../../src/protocols/openai-chat/write.ts'
import { readChatStream } from '../chat-stream.ts'
import { checkTurn } from '../check-turn.ts'
import { fuzz } from './settings.ts'

const text = fc.oneof(fc.constantFrom('a', ' b', '"q"', '\n', 'é🙂'), fc.string({ maxLength: 6 }))
const pieces = fc.constantFrom('', '{}', '{"a":', '1}', '{"a":1}', '{"b":"x"}', '}', ' ')
const call = fc.record(
  {
    index: fc.constantFrom(0, 1, 2, undefined, null),
    id: fc.constantFrom('c1', 'c2', 'c1', '', undefined, null),
    type: fc.constantFrom('function', undefined),
    function: fc.record(
      {
        name: fc.constantFrom('read', 'write', '', undefined),
        arguments: fc.oneof(pieces, fc.constant({ a: 1 })),
      },
      { requiredKeys: [] },
    ),
    extra_content: fc.constantFrom({ s: 1 }, undefined),
  },
  { requiredKeys: ['function'] },
)
const delta = fc.record(
  {
    role: fc.constantFrom('assistant', '', undefined),
    content: fc.oneof(text, fc.constantFrom(null, undefined), fc.constant([{ type: 'text', text: 'part' }])),
    reasoning: fc.oneof(text, fc.constant(undefined)),
    reasoning_content: fc.oneof(text, fc.constant(undefined)),
    tool_calls: fc.array(call, { maxLength: 2 }),
    novel: fc.constant({ x: 1 }),
  },
  { requiredKeys: [] },
)
/** Most calls of most servers are in order. */
const orderly = fc.constantFrom(0, 1).chain((index) =>
  fc.constantFrom(
    [
      {
        tool_calls: [{ index, id: `c${index}`, type: 'function', function: { name: 'read', arguments: '' } }],
      },
      { tool_calls: [{ index, function: { arguments: '{"p":' } }] },
      { tool_calls: [{ index, function: { arguments: '"x"}' } }] },
    ],
    [{ content: 'plain' }, { content: ' text' }],
  ),
)
const counted = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
const head = fc.constantFrom<object>(
  {},
  {},
  {},
  { id: 'other' },
  { id: '' },
  { created: 9 },
  { object: '' },
  { model: undefined },
  { usage: counted },
  { usage: null },
)
const finish = fc.constantFrom('stop', 'tool_calls', 'length', 'eos', 'unknown', '', null)
const chunkOf = (choice: object, more: object = {}) => ({
  id: 'theirs',
  object: 'chat.completion.chunk',
  created: 7,
  model: 'm',
  ...more,
  choices: [{ index: 0, finish_reason: null, ...choice }],
})
const chunk = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(delta, head).map(([one, more]) => [chunkOf({ delta: one }, more)]) },
  { weight: 4, arbitrary: orderly.map((deltas) => deltas.map((one) => chunkOf({ delta: one }))) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(delta, finish)
      .map(([one, reason]) => [chunkOf({ delta: one, finish_reason: reason })]),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom<object[]>(
      [
        {
          id: 'theirs',
          object: 'chat.completion.chunk',
          created: 7,
          model: 'm',
          choices: [],
          usage: counted,
        },
      ],
      [{ choices: [], early: 1 }],
      [chunkOf({ message: { role: 'assistant', content: 'whole' } })],
    ),
  },
)
const stream = fc.tuple(
  fc.array(chunk, { maxLength: 8 }).map((lists) => lists.flat()),
  fc.constantFrom('stop', 'tool_calls', undefined),
  fc.boolean(),
)

async function heard(chunks: readonly object[], isMarked: boolean, isLane: boolean) {
  const lane = isLane ? { dialect: 'openai-chat', form: 'message' as const } : undefined
  const reader = new ChatReader({
    turnId: 't',
    model: 'm',
    backend: 'b',
    wholeArguments: true,
    note: () => undefined,
    lane,
  })
  const writer = new ChatWriter({
    id: 'ours',
    model: 'mine',
    createdAt: 7,
    includeUsage: true,
    toolArguments: 'whole',
    lateNotes: () => [],
  })
  const events: TurnEvent[] = []
  let out = ''
  const take = (batch: TurnEvent[]) => {
    events.push(...batch)
    out += writer.push(batch)
  }
  for (const one of chunks) take([...reader.push([{ data: JSON.stringify(one) }])])
  if (isMarked) take([...reader.push([{ data: '[DONE]' }])])
  take([...reader.end()])
  expect(checkTurn(events)).toEqual([])
  const answer = new Response(out, { headers: { 'content-type': 'text/event-stream' } })
  const { text, calls, finishReason, error, problems, chunks: sent } = await readChatStream(answer)
  const reasoning = sent.map(({ choices }) => choices?.[0]?.delta.reasoning_content ?? '').join('')
  const made = calls.map(({ id, name, arguments: input }) => ({ id, name, input }))
  // An error is where it happens; what was shown before it may differ by a held call.
  if (error) return { error: error.message }
  // Text after a call that was cut off is lost where the call is written anew.
  const said = finishReason === 'length' ? {} : { text, reasoning }
  return { ...said, calls: made, finishReason, problems }
}

it('a strict client reads the same with and without the lane', async () => {
  await fc.assert(
    fc.asyncProperty(stream, async ([chunks, reason, isMarked]) => {
      const all = reason === undefined ? chunks : [...chunks, chunkOf({ delta: {}, finish_reason: reason })]
      expect(await heard(all, isMarked, true)).toEqual(await heard(all, isMarked, false))
    }),
    fuzz,
  )
}) // biome-ignore format: one statement a line

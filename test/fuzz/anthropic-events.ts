// Streams of servers that speak Anthropic's dialect, each with habits of its own, as the texts of their events.

import fc from 'fast-check'
import {
  anyText,
  anyValue,
  decoys,
  type Entries,
  habit,
  Literal,
  Members,
  mostly,
  type Style,
  style,
  writeJson,
} from './json-style.ts'

/** What one server does in every event. */
interface Habits {
  style: Style
  top: Entries
  /** Beside what a delta says. */
  beside: Entries
  twice: 'none' | 'delta' | 'text'
  /** Something new in every event. */
  isNumbered: boolean
}

const habits: fc.Arbitrary<Habits> = fc.record({
  style,
  top: habit({
    usual: [
      ['usage', { output_tokens: 3 }],
      ['message', {}],
    ],
    odd: [
      ['text', 'a'],
      ['x', 'text'],
      ['__proto__', { text: 'a' }],
    ],
  }),
  beside: habit({
    usual: [['citations', []]],
    odd: [
      ['signature', 's'],
      ['thinking', ''],
      ['text', ''],
      ['partial_json', ''],
    ],
  }),
  twice: mostly<Habits['twice']>('none', 'delta', 'text'),
  isNumbered: mostly(false, false, true),
})

type Event = { delta: string; name: string; value: unknown; index: number; decoy?: unknown } | Literal

const run = (delta: string, name: string, values: fc.Arbitrary<unknown>): fc.Arbitrary<Event[]> =>
  fc
    .tuple(fc.nat(1), decoys(name))
    .chain(([index, decoy]) =>
      fc
        .array(fc.record({ value: values, decoy }), { minLength: 1, maxLength: 6 })
        .map((pieces) => pieces.map((piece) => ({ delta, name, index, ...piece }))),
    )

const json = fc.oneof(fc.constantFrom('{', '"a":1', '}', '{"a":1}', '', ' '), anyValue)
const start = (block: object) =>
  new Literal(JSON.stringify({ type: 'content_block_start', index: 0, content_block: block }))
const stop = new Literal('{"type":"content_block_stop","index":0}')
const blockOf = (block: fc.Arbitrary<object>, ...runs: fc.Arbitrary<Event[]>[]): fc.Arbitrary<Event[]> =>
  fc
    .tuple(block, fc.array(fc.oneof(...runs), { maxLength: 3 }), fc.boolean())
    .map(([opened, inside, isStopped]) => [start(opened), ...inside.flat(), ...(isStopped ? [stop] : [])])

const few = fc.constantFrom('a', 'b')
const texts = fc.oneof(
  { weight: 5, arbitrary: run('text_delta', 'text', anyValue) },
  { weight: 1, arbitrary: run('text_delta', 'text', few) },
)
const thoughts = run('thinking_delta', 'thinking', anyValue)
const calls = run('input_json_delta', 'partial_json', json)
const other = fc.oneof(
  texts,
  thoughts,
  calls,
  run('signature_delta', 'signature', anyText),
  run('citations_delta', 'citation', anyText),
  run('text', 'text', anyText),
)
const single = fc
  .constantFrom(
    '{"type":"ping"}',
    '{"type":"message_start","message":{"id":"msg_1","usage":{"input_tokens":1}}}',
    '{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}',
    '{"type":"message_delta","delta":{"stop_reason":"max_tokens"}}',
    '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}',
    '{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}',
    '{"type":"content_block_delta"}',
    '{"type":"message_stop"}',
    '[DONE]',
    '',
  )
  .map((text): Event[] => [new Literal(text)])

const events = fc.oneof(
  { weight: 3, arbitrary: blockOf(fc.constantFrom({ type: 'text', text: '' }, { type: 'text' }), texts) },
  { weight: 3, arbitrary: blockOf(fc.constant({ type: 'thinking', thinking: '' }), thoughts) },
  {
    weight: 3,
    arbitrary: blockOf(
      fc.constantFrom('a', 'b').map((id) => ({ type: 'tool_use', id, name: 'read', input: {} })),
      calls,
    ),
  },
  blockOf(
    fc.constantFrom(
      { type: 'text', text: 'x' },
      { type: 'thinking' },
      { type: 'tool_use', id: 'c', name: 'read', input: { a: 1 } },
      { type: 'server_tool_use' },
      { type: 'redacted_thinking', data: 'x' },
    ),
    other,
  ),
  other,
  single,
)

function write(event: Event, at: number, server: Habits): string {
  if (event instanceof Literal) return event.text
  const { style: its, top, beside, twice, isNumbered } = server
  const said: Entries = [[event.name, event.value]]
  if (twice === 'text') said.unshift([event.name, 'first'])
  const delta = new Members([['type', event.delta], ...beside, ...said])
  const entries: Entries = [
    ['type', 'content_block_delta'],
    ['index', event.index],
    ...top,
    ...(event.decoy === undefined ? [] : ([['y', event.decoy]] as Entries)),
    ...(twice === 'delta' ? ([['delta', { type: 'text_delta', text: 'first' }]] as Entries) : []),
    ['delta', delta],
    ...(isNumbered ? ([['number', at]] as Entries) : []),
  ]
  return writeJson(new Members(entries), its)
}

export const anthropicStream: fc.Arbitrary<string[]> = fc
  .record({
    server: habits,
    /** Another server that answers in between. */
    stranger: habits,
    runs: fc.array(events, { maxLength: 6 }),
    strangers: fc.array(fc.nat(30), { maxLength: 3 }),
  })
  .map(({ server, stranger, runs, strangers }) => [
    ...runs.flat().map((event, at) => write(event, at, strangers.includes(at) ? stranger : server)),
    '{"type":"message_stop"}',
  ])

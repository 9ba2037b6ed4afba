// Streams of servers that call themselves OpenAI-compatible, each with habits of its own, as the texts of their events.

import fc from 'fast-check'
import {
  anyText,
  anyValue,
  decoys,
  type Entries,
  habit,
  Members,
  mostly,
  type Style,
  style,
  writeJson,
} from './json-style.ts'

/** What one server does in every chunk. */
interface Habits {
  style: Style
  top: Entries
  /** Beside what a delta says. */
  beside: Entries
  /** Beside the delta. */
  choice: Entries
  /** Names that come twice: the last one counts. */
  twice: 'none' | 'delta' | 'choices' | 'text'
  /** Something new in every chunk. */
  isObfuscated: boolean
}

const habits: fc.Arbitrary<Habits> = fc.record({
  style,
  top: habit({
    usual: [
      ['id', 'chatcmpl-1'],
      ['model', 'm'],
      ['usage', null],
      ['error', null],
    ],
    odd: [
      ['usage', { prompt_tokens: 1, completion_tokens: 2 }],
      ['content', 'a'],
      ['type', 'content'],
      ['__proto__', { content: 'a' }],
    ],
  }),
  beside: habit({
    usual: [
      ['role', 'assistant'],
      ['refusal', null],
      ['tool_calls', null],
    ],
    odd: [
      ['content', null],
      ['content', ''],
      ['reasoning_content', null],
      ['reasoning_content', ''],
      ['reasoning', ''],
      ['refusal', 'no'],
      ['tool_calls', []],
      ['function_call', null],
      ['reasoning_details', []],
      ['__proto__', 'a'],
    ],
  }),
  choice: habit({
    usual: [
      ['index', 0],
      ['finish_reason', null],
      ['logprobs', null],
    ],
    odd: [
      ['finish_reason', ''],
      ['logprobs', { content: [{ token: 'a' }] }],
      ['message', { content: 'm' }],
      ['usage', null],
      ['error', null],
      ['index', 1],
    ],
  }),
  twice: mostly<Habits['twice']>('none', 'delta', 'choices', 'text'),
  isObfuscated: mostly(false, false, true),
})

/** One chunk, but for the habits of its server. */
interface Chunk {
  delta: Entries
  reason?: string
  /** A second choice. */
  other?: unknown
  decoy?: unknown
}

const run = (
  values: fc.Arbitrary<unknown>,
  delta: (value: unknown) => Entries,
  decoyName = 'content',
): fc.Arbitrary<Chunk[]> =>
  decoys(decoyName).chain((decoy) =>
    fc
      .array(fc.record({ value: values, decoy }), { minLength: 1, maxLength: 6 })
      .map((pieces) => pieces.map((piece) => ({ delta: delta(piece.value), decoy: piece.decoy }))),
  )
const field = (name: string) =>
  fc.oneof(
    { weight: 5, arbitrary: run(anyValue, (value) => [[name, value]], name) },
    { weight: 1, arbitrary: run(fc.constantFrom('a', 'b'), (value) => [[name, value]], name) },
  )

const index = mostly<unknown>(0, 1, 1, -1, 0.5, '0', null)
const pieces = fc.oneof(fc.constantFrom('{', '"a', '"a":1', '}', '{"a":1}', '', ' '), anyValue)
const callPiece = fc
  .record({
    index,
    extra: mostly<Entries>(
      [],
      [['id', '']],
      [['id', null]],
      [['id', 'a']],
      [['type', 'function']],
      [['extra_content', null]],
    ),
    name: mostly<Entries>([], [['name', '']], [['name', null]], [['name', 'read']]),
  })
  .chain((call) =>
    run(
      pieces,
      (value) => [
        [
          'tool_calls',
          [
            new Members([
              ['index', call.index],
              ...call.extra,
              ['function', new Members([...call.name, ['arguments', value]])],
            ]),
          ],
        ],
      ],
      'arguments',
    ),
  )
const callStart = fc
  .record({
    index,
    id: fc.constantFrom('a', 'b', ''),
    name: fc.constantFrom('read', 'list', ''),
    text: pieces,
  })
  .map(({ index: at, id, name, text }): Chunk[] => [
    { delta: [['tool_calls', [{ index: at, id, function: { name, arguments: text } }]]] },
  ])
const interleaved = fc
  .array(fc.tuple(fc.constantFrom(0, 1), pieces), { minLength: 2, maxLength: 6 })
  .map((deltas) =>
    deltas.map(
      ([at, text]): Chunk => ({ delta: [['tool_calls', [{ index: at, function: { arguments: text } }]]] }),
    ),
  )
const single = (chunk: fc.Arbitrary<Chunk>) => chunk.map((one) => [one])

const chunks: fc.Arbitrary<Chunk[]> = fc.oneof(
  { weight: 4, arbitrary: field('content') },
  { weight: 2, arbitrary: field('reasoning_content') },
  { weight: 2, arbitrary: field('reasoning') },
  { weight: 4, arbitrary: callPiece },
  { weight: 4, arbitrary: callStart },
  { weight: 2, arbitrary: interleaved },
  field('refusal'),
  run(anyText, (text) => [
    ['reasoning_content', text],
    ['reasoning', text],
  ]),
  run(anyText, (text) => [
    ['content', text],
    ['tool_calls', [{ index: 0, function: { arguments: text } }]],
  ]),
  run(anyText, (text) => [['function_call', { name: 'read', arguments: text }]]),
  single(fc.record({ delta: fc.constant<Entries>([['content', 'a']]), other: fc.constantFrom({}, 0, null) })),
  single(
    fc.record({
      delta: fc.constantFrom<Entries>([], [['content', 'a']]),
      reason: fc.constantFrom('stop', 'length', 'tool_calls', 'abort', ''),
    }),
  ),
)

function write(chunk: Chunk, at: number, server: Habits): string {
  const { style: its, top, beside, choice, twice } = server
  const delta = [...beside, ...chunk.delta]
  if (twice === 'text') delta.unshift(...chunk.delta.map(([name]): [string, unknown] => [name, 'first']))
  const first = new Members([
    ...choice,
    ...(twice === 'delta' ? ([['delta', { content: 'first' }]] as Entries) : []),
    ['delta', new Members(delta)],
    ...(chunk.reason === undefined ? [] : ([['finish_reason', chunk.reason]] as Entries)),
  ])
  const choices = chunk.other === undefined ? [first] : [first, chunk.other]
  const entries: Entries = [
    ...top,
    ...(twice === 'choices' ? ([['choices', [{ delta: { content: 'first' } }]]] as Entries) : []),
    ...(chunk.decoy === undefined ? [] : ([['x', chunk.decoy]] as Entries)),
    ['choices', choices],
    ...(server.isObfuscated ? ([['obfuscation', 'x'.repeat(at)]] as Entries) : []),
  ]
  return writeJson(new Members(entries), its)
}

const between = fc.constantFrom(
  '[DONE]',
  ' [DONE] ',
  '{"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":4}}',
  '{"error":{"message":"broken"}}',
  '{"choices":[{"delta":{"content":"a"}',
  'null',
  '',
)

export const chatStream: fc.Arbitrary<string[]> = fc
  .record({
    server: habits,
    /** Another server that answers in between. */
    other: habits,
    begins: fc.array(callStart, { maxLength: 2 }),
    runs: fc.array(chunks, { maxLength: 6 }),
    strangers: fc.array(fc.nat(30), { maxLength: 3 }),
    odd: fc.array(fc.tuple(fc.nat(30), between), { maxLength: 1 }),
  })
  .map(({ server, other, begins, runs, strangers, odd }) => {
    const written = [...begins, ...runs]
      .flat()
      .map((chunk, at) => write(chunk, at, strangers.includes(at) ? other : server))
    for (const [at, text] of odd) written.splice(at, 0, text)
    return [...written, '[DONE]']
  })

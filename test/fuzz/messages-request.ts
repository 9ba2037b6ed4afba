// Messages requests as real clients send them, and as broken ones do: right shapes, wrong order, odd names, lost results,
// thinking of this model, of another service, or none.

import fc from 'fast-check'
import { signThinking } from '../../sim/anthropic/signature.ts'

type Body = Record<string, unknown>

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '\n', 'go on', 'ends in blanks \n', 'x\u0000y', '</system>'),
)
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const rarely = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 6 })
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
const cache = rarely(fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }))

/** Without the fields that were not chosen. */
const chosen = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
const block = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Body> =>
  fc.record({ ...fields, cache_control: cache }).map(chosen)

const textBlock = block({ type: fc.constant('text'), text })
const image = block({
  type: fc.constant('image'),
  source: fc.constantFrom<Body>(
    { type: 'base64', media_type: 'image/png', data: png },
    { type: 'url', url: 'https://example.com/a.png' },
  ),
})
const document = block({
  type: fc.constant('document'),
  title: optional(text),
  context: rarely(text),
  source: fc.oneof(
    fc.constant<Body>({ type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }),
    fc.constant<Body>({ type: 'url', url: 'https://example.com/a.pdf' }),
    text.map((data) => ({ type: 'text', media_type: 'text/plain', data })),
    fc.array(textBlock, { maxLength: 2 }).map((content) => ({ type: 'content', content })),
  ),
})
const searchResult = block({
  type: fc.constant('search_result'),
  source: text,
  title: text,
  content: fc.array(textBlock, { maxLength: 2 }),
})
const common = fc.oneof({ weight: 5, arbitrary: textBlock }, image, document, searchResult)

interface Alphabet {
  id: fc.Arbitrary<string>
  name: fc.Arbitrary<string>
}

const conformingAlphabet: Alphabet = {
  id: fc.constantFrom('toolu_1', 'toolu_2', 'call_3', 'a-b_c'),
  name: fc.constantFrom('read', 'write', 'a-b'),
}
const anyAlphabet: Alphabet = {
  id: fc.oneof(
    conformingAlphabet.id,
    fc.constantFrom('functions.Bash:0', 'ü', 'x'.repeat(80)),
    fc.string({ minLength: 1 }),
  ),
  name: fc.oneof(
    conformingAlphabet.name,
    fc.constantFrom('mcp.server/tool', 'a b', '__proto__', 'constructor'),
    fc.string({ minLength: 1, maxLength: 200 }),
  ),
}

const resultContent = optional(fc.oneof(text, fc.array(common, { maxLength: 2 }), fc.constant(null)))

const resultOf = (id: fc.Arbitrary<string>) =>
  block({
    type: fc.constant('tool_result'),
    tool_use_id: id,
    content: resultContent,
    is_error: rarely(fc.boolean()),
  })

const callBlock = ({ id, name }: Alphabet) =>
  block({
    type: fc.constant('tool_use'),
    id,
    name,
    input: fc.oneof(
      { weight: 8, arbitrary: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }) },
      { weight: 1, arbitrary: fc.constantFrom<unknown>(undefined, null, '', '{"a":1}', '[', []) },
    ),
  })

const thoughts = (model: string): fc.Arbitrary<Body> =>
  fc.oneof(
    text.map((thinking) => ({ type: 'thinking', thinking, signature: signThinking(thinking, model) })),
    text.map((thinking) => ({ type: 'thinking', thinking, signature: '' })),
    text.map((hidden) => ({ type: 'redacted_thinking', data: signThinking(hidden, model) })),
  )

function messagesOf(model: string, alphabet: Alphabet): fc.Arbitrary<Body[]> {
  const call = callBlock(alphabet)
  const server = fc.constantFrom<Body>(
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
  )
  const userContent = fc.array(
    fc.oneof({ weight: 4, arbitrary: common }, { weight: 2, arbitrary: resultOf(alphabet.id) }),
    { maxLength: 3 },
  )
  const spoken = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: textBlock },
      { weight: 3, arbitrary: call },
      { weight: 1, arbitrary: server },
    ),
    { maxLength: 3 },
  )
  const thought = fc.array(thoughts(model), { maxLength: 2 })
  const assistantContent = fc
    .tuple(thought, spoken, fc.boolean())
    .map(([first, rest, late]) => (late ? [...rest, ...first] : [...first, ...rest]))
  const message = fc.oneof(
    { weight: 4, arbitrary: fc.record({ role: fc.constant('user'), content: fc.oneof(text, userContent) }) },
    {
      weight: 4,
      arbitrary: fc.record({ role: fc.constant('assistant'), content: fc.oneof(text, assistantContent) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        role: fc.constant('system'),
        content: fc.oneof(text, fc.array(textBlock, { maxLength: 2 })),
      }),
    },
  )
  /** Some turns are in order, as most clients send them. */
  const answered = fc
    .tuple(thought, fc.uniqueArray(call, { minLength: 1, maxLength: 3, selector: ({ id }) => id }), textBlock)
    .chain(([thinking, calls, words]) =>
      fc.tuple(...calls.map(({ id }) => resultOf(fc.constant(id as string)))).map((results) => [
        { role: 'assistant', content: [...thinking, ...calls] },
        { role: 'user', content: [...results, words] },
      ]),
    )
  return fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: message.map((entry) => [entry as Body]) },
        { weight: 2, arbitrary: answered },
      ),
      {
        maxLength: 6,
      },
    )
    .map((groups) => [{ role: 'user', content: 'begin' }, ...groups.flat()])
}

const schema = fc.constantFrom<Body>(
  { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  { type: 'object', properties: {}, additionalProperties: false },
  { anyOf: [{ type: 'object', properties: { a: { type: 'string' } } }] },
)

function toolsOf({ name }: Alphabet): fc.Arbitrary<Body[]> {
  const custom = block({
    name,
    description: optional(fc.string()),
    input_schema: schema,
    type: rarely(fc.constant('custom')),
    eager_input_streaming: rarely(fc.boolean()),
  })
  const server = fc.constant<Body>({ type: 'web_search_20250305', name: 'web_search', max_uses: 1 })
  const tool = fc.oneof({ weight: 6, arbitrary: custom }, { weight: 1, arbitrary: server })
  return fc.uniqueArray(tool, { maxLength: 4, selector: (entry) => entry.name })
}

const thinking = fc.constantFrom<Body>(
  { type: 'adaptive' },
  { type: 'adaptive', display: 'summarized' },
  { type: 'enabled', budget_tokens: 1_024 },
  { type: 'enabled', budget_tokens: 3_000 },
  { type: 'disabled' },
  { type: 'between_tools' },
)

/** `conforming`: ids and names as every service takes them. `model` has signed what is signed. */
export function messagesRequests(model: string, { conforming }: { conforming: boolean }): fc.Arbitrary<Body> {
  const alphabet = conforming ? conformingAlphabet : anyAlphabet
  return fc
    .record({
      model: fc.constant('m'),
      max_tokens: fc.option(fc.integer({ min: 1, max: 4_000 }), { nil: undefined, freq: 20 }),
      system: optional(fc.oneof(text, fc.array(textBlock, { maxLength: 2 }))),
      messages: messagesOf(model, alphabet),
      tools: optional(toolsOf(alphabet)),
      tool_choice: rarely(
        fc.constantFrom<Body>(
          { type: 'auto', disable_parallel_tool_use: true },
          { type: 'any' },
          { type: 'none' },
          { type: 'tool', name: 'read' },
        ),
      ),
      stream: optional(fc.boolean()),
      thinking: optional(thinking),
      output_config: rarely(
        fc.constantFrom<Body>(
          { effort: 'low' },
          { effort: 'max' },
          {
            format: {
              type: 'json_schema',
              schema: { type: 'object', properties: {}, additionalProperties: false },
            },
          },
        ),
      ),
      temperature: rarely(fc.constantFrom(0, 0.5, 1)),
      top_p: rarely(fc.constantFrom(0.1, 0.99)),
      top_k: rarely(fc.constant(5)),
      stop_sequences: rarely(fc.array(fc.constantFrom('END', '\n', ' x'), { maxLength: 3 })),
      metadata: rarely(fc.constantFrom<Body>({ user_id: 'u-1' }, { user_id: null }, {})),
      service_tier: rarely(fc.constant('auto')),
      cache_control: cache,
    })
    .map(chosen)
}

const words = fc.string({ minLength: 1 }).map((value) => `${value}.`)

const tidyResult = fc.oneof<fc.Arbitrary<unknown>[]>(
  words,
  fc.constantFrom('', ' ', []),
  fc.array(image, { maxLength: 1 }),
  words.map((said) => [{ type: 'text', text: said }]),
)

/** One turn with its results, ids unlike those of all other turns, as careful clients send it. */
const tidyTurn = (model: string, at: number) =>
  fc
    .record({
      thinks: fc.boolean(),
      count: fc.integer({ min: 0, max: 3 }),
      said: words,
      result: tidyResult,
    })
    .map(({ thinks, count, said, result }) => {
      const ids = Array.from({ length: count }, (_, index) => `toolu_${at}_${index}`)
      const thinking = { type: 'thinking', thinking: said, signature: signThinking(said, model) }
      const calls = ids.map((id) => ({ type: 'tool_use', id, name: 'read', input: { path: said } }))
      const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: result }))
      return [
        {
          role: 'assistant',
          content: [...(thinks ? [thinking] : []), { type: 'text', text: said }, ...calls],
        },
        { role: 'user', content: [...results, { type: 'text', text: said }] },
      ]
    })

/** Requests in good order, for a model that may or may not take what they ask. */
export function tidyMessagesRequests(model: string): fc.Arbitrary<Body> {
  const turns = fc
    .integer({ min: 0, max: 4 })
    .chain((count) => fc.tuple(...Array.from({ length: count }, (_, at) => tidyTurn(model, at))))
  return fc
    .record({
      model: fc.constant('m'),
      messages: turns.map((all) => [{ role: 'user', content: 'begin' }, ...all.flat()]),
      max_tokens: fc.integer({ min: 2_000, max: 4_000 }),
      system: optional(words),
      tools: fc.constant([{ name: 'read', input_schema: { type: 'object', properties: {} } }]),
      tool_choice: rarely(fc.constantFrom<Body>({ type: 'auto' }, { type: 'any' }, { type: 'none' })),
      thinking: optional(thinking),
      temperature: rarely(fc.constantFrom(0, 1)),
      metadata: optional(fc.constant<Body>({ user_id: 'u-1' })),
      stream: optional(fc.boolean()),
    })
    .map(chosen)
}

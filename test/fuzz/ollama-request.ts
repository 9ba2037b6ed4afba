// Requests of Ollama's API as real clients send them, and as broken ones do: results without ids, calls in text, pictures anywhere.

import fc from 'fast-check'

type Body = Record<string, unknown>

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '\n', 'go on', 'x\u0000y', '</system>', '<tool_call>{}</tool_call>'),
)
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
/** Without the fields that were not chosen. */
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Body> =>
  fc
    .record(fields)
    .map((body) => Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)))

const conformingNames = ['read_file', 'run', 'mcp__x__y'] as const
const id = fc.constantFrom('call_1', 'call_2', 'sess_AAAAAAAAAAAA__call_1', 'ü', '')
const args = fc.dictionary(fc.constantFrom('path', 'n', 'ü'), fc.jsonValue({ maxDepth: 1 }))
const images = fc.array(fc.constantFrom(png, `data:image/png;base64,${png}`), { maxLength: 2 })

/** `conforming`: names that every service takes. */
export function ollamaRequests({ conforming = false } = {}): fc.Arbitrary<Body> {
  const names = conforming ? conformingNames : [...conformingNames, 'a.b:c', 'zwei wörter']
  const name = fc.constantFrom(...names)
  const call = record({
    id: optional(id),
    function: record({
      name,
      arguments: fc.oneof(
        args,
        args.map((value) => JSON.stringify(value)),
      ),
    }),
  })
  const message = fc.oneof(
    record({ role: fc.constantFrom('system', 'developer'), content: text }),
    record({ role: fc.constant('user'), content: text, images: optional(images) }),
    record({
      role: fc.constant('assistant'),
      content: optional(text),
      thinking: optional(text),
      tool_calls: optional(fc.array(call, { maxLength: 3 })),
    }),
    record({
      role: fc.constant('tool'),
      content: text,
      tool_name: optional(name),
      tool_call_id: optional(id),
    }),
  )
  const parameters = fc.constantFrom<Body>(
    { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    { type: 'object', properties: {} },
  )
  const tools = fc.subarray([...names]).chain((chosen) =>
    fc.tuple(
      ...chosen.map((each) =>
        record({
          type: fc.constant('function'),
          function: record({
            name: fc.constant(each),
            description: optional(text),
            parameters: optional(parameters),
          }),
        }),
      ),
    ),
  )
  return record({
    model: fc.constant('m'),
    messages: fc
      .tuple(fc.constant({ role: 'user', content: 'hi' }), fc.array(message, { maxLength: 6 }))
      .map(([first, rest]) => [first, ...rest]),
    tools: optional(tools),
    stream: optional(fc.boolean()),
    think: optional(fc.constantFrom(true, false, 'low', 'high', '')),
    format: optional(
      fc.constantFrom<unknown>('json', '', { type: 'object', properties: { a: { type: 'string' } } }),
    ),
    keep_alive: optional(fc.constantFrom('5m', 0, -1)),
    options: optional(
      record({
        num_predict: optional(fc.constantFrom(-1, 1, 4_000)),
        temperature: optional(fc.constantFrom(0, 0.5, 1)),
        top_p: optional(fc.constantFrom(0.5, 1)),
        top_k: optional(fc.constantFrom(0, 40)),
        stop: optional(
          fc.oneof(fc.string({ minLength: 1 }), fc.array(fc.string({ minLength: 1 }), { maxLength: 3 })),
        ),
        num_ctx: optional(fc.constant(8192)),
        seed: optional(fc.nat()),
      }),
    ),
  })
}

// Chat requests as real clients send them, and as broken ones do: right shapes, wrong order, odd names, lost results.

import fc from 'fast-check'

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '\n', 'go on', 'x\u0000y', '</system>'),
)
/** `conforming`: ids and names as OpenAI itself takes them. */
export function chatRequests({ conforming }: { conforming: boolean }): fc.Arbitrary<Record<string, unknown>> {
  const anyId = fc.oneof(
    fc.constantFrom('call_1', 'call_2', 'functions.Bash:0', 'toolu_01', 'ü', 'x'.repeat(80)),
    fc.string({ minLength: 1 }),
  )
  const anyName = fc.oneof(
    fc.constantFrom('read', 'write', 'mcp.server/tool', 'a b', '__proto__', 'constructor'),
    fc.string({ minLength: 1, maxLength: 200 }),
  )
  const id = conforming ? fc.constantFrom('call_1', 'call_2', 'toolu_01', 'a-b_c') : anyId
  const name = conforming ? fc.constantFrom('read', 'write', 'a-b') : anyName
  const cache = fc.option(fc.constantFrom({ type: 'ephemeral' }, { type: 'ephemeral', ttl: '1h' }), {
    nil: undefined,
    freq: 6,
  })

  const textPart = fc
    .record({ type: fc.constant('text'), text, cache_control: cache })
    .map(({ cache_control, ...part }) => (cache_control ? { ...part, cache_control } : part))
  const pixel =
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
  const userPart = fc.oneof(
    { weight: 4, arbitrary: textPart },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom(`data:image/png;base64,${pixel}`, 'https://example.com/a.png')
        .map((url) => ({ type: 'image_url', image_url: { url } })),
    },
    {
      weight: 1,
      arbitrary: fc.constant({
        type: 'file',
        file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
      }),
    },
  )

  const args = fc.oneof(
    {
      weight: 6,
      arbitrary: fc
        .dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
        .map((value) => JSON.stringify(value)),
    },
    { weight: 1, arbitrary: fc.constantFrom('', ' ', '{}', 'null', '{}{"a":1}', '{"a":1}{"b":2}', '{"a":') },
  )
  const call = fc.record({
    id,
    type: fc.constant('function'),
    function: fc.record({ name, arguments: args }),
  })

  const message = fc.oneof(
    {
      weight: 1,
      arbitrary: fc.record({
        role: fc.constantFrom('system', 'developer'),
        content: fc.oneof(text, fc.array(textPart, { maxLength: 2 })),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        role: fc.constant('user'),
        content: fc.oneof(text, fc.array(userPart, { maxLength: 3 })),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        role: fc.constant('assistant'),
        content: fc.oneof(text, fc.constant(null)),
        reasoning_content: fc.option(text, { nil: undefined }),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        role: fc.constant('assistant'),
        content: fc.oneof(text, fc.constant(null)),
        tool_calls: fc.array(call, { maxLength: 3 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        role: fc.constant('tool'),
        tool_call_id: id,
        content: fc.oneof(text, fc.array(textPart, { maxLength: 2 })),
      }),
    },
  )

  /** Some histories are in order: each call answered, as most clients send them. */
  const answeredTurn = fc
    .array(call, { minLength: 1, maxLength: 3 })
    .chain((calls) =>
      fc
        .tuple(
          ...calls.map((entry) => text.map((content) => ({ role: 'tool', tool_call_id: entry.id, content }))),
        )
        .map((results) => [{ role: 'assistant', content: '', tool_calls: calls }, ...results]),
    )

  const messages = fc
    .array(
      fc.oneof(
        { weight: 3, arbitrary: message.map((entry) => [entry]) },
        { weight: 1, arbitrary: answeredTurn },
      ),
      { minLength: 1, maxLength: 8 },
    )
    .map((groups) => [{ role: 'user', content: 'begin' }, ...groups.flat()] as Record<string, unknown>[])

  const schema = fc.constantFrom(
    { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      type: 'object',
      properties: {},
      additionalProperties: false,
    },
    {
      anyOf: [
        { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
        { type: 'object', properties: { b: {} } },
      ],
    },
    {},
  )
  const tool = fc.record({
    type: fc.constant('function'),
    function: fc.record({
      name: name.filter((value) => /^[a-zA-Z0-9_-]{1,64}$/.test(value)),
      description: fc.string(),
      parameters: schema,
    }),
  })

  const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

  const chatRequest = fc
    .record({
      model: fc.constant('m'),
      messages,
      tools: optional(fc.uniqueArray(tool, { maxLength: 4, selector: (entry) => entry.function.name })),
      tool_choice: optional(fc.constantFrom('auto', 'none', 'required')),
      parallel_tool_calls: optional(fc.boolean()),
      stream: fc.boolean(),
      max_tokens: optional(fc.integer({ min: 1, max: 4_000 })),
      temperature: optional(fc.constantFrom(0, 0.5, 1, 2)),
      top_p: optional(fc.constantFrom(0.1, 1)),
      stop: optional(
        fc.oneof(fc.constantFrom('END', ' '), fc.array(fc.constantFrom('a', '\n', 'b'), { maxLength: 3 })),
      ),
      reasoning_effort: optional(fc.constantFrom('none', 'minimal', 'low', 'medium', 'high')),
      user: optional(fc.constantFrom('u-1', 'a@b.example', '+1 555 123 4567')),
      response_format: optional(
        fc.constantFrom(
          { type: 'text' },
          { type: 'json_object' },
          {
            type: 'json_schema',
            json_schema: {
              name: 'x',
              schema: { type: 'object', properties: { a: { type: 'integer', minimum: 1 } } },
            },
          },
        ),
      ),
    })
    .map((body) => {
      const kept = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
      // These two are only allowed together with tools, by OpenAI itself.
      const hasTools = Array.isArray(body.tools) && body.tools.length > 0
      if (!hasTools) for (const key of ['tools', 'tool_choice', 'parallel_tool_calls']) delete kept[key]
      return kept
    })
  return chatRequest
}

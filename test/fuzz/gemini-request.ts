// generateContent requests as real clients send them, and as broken ones do: right shapes in either spelling, wrong order, odd names,
// lost results, signatures of this gateway, of another service, or none.

import fc from 'fast-check'
import { signThinking } from '../../sim/anthropic/signature.ts'
import { toThoughtSignature } from '../../src/protocols/gemini/thought-signature.ts'

type Body = Record<string, unknown>

const text = fc.oneof(
  fc.string(),
  fc.string({ unit: 'grapheme' }),
  fc.constantFrom('', ' ', '\n', 'go on', 'x\u0000y', '</system>', '**Plan**'),
)
const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })
/** Without the fields that were not chosen. */
const chosen = (body: Body): Body =>
  Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields).map(chosen)

const conformingNames = ['read_file', 'run', 'mcp__x__y'] as const
const id = fc.constantFrom('call_1', 'call_2', 'sess_AAAAAAAAAAAA__call_1', 'read:0', 'ü')
const args = fc.dictionary(fc.constantFrom('path', 'n', 'ü'), fc.jsonValue({ maxDepth: 1 }))

const signature = (model: string, claude: string) =>
  fc.oneof(
    fc.constantFrom('skip_thought_signature_validator', 'EoABCg==', ''),
    fc
      .record({ text: fc.string({ minLength: 1 }), leads: fc.boolean() })
      .map(({ text: thought, leads }) =>
        toThoughtSignature(model, [
          { type: 'reasoning', text: thought, signature: signThinking(thought, claude), leads },
        ]),
      ),
  )

const inline = fc.constant({ inlineData: { mimeType: 'image/png', data: png } })
const media = fc.oneof(
  inline,
  fc.constant({ file_data: { file_uri: 'https://example.com/a.png', mime_type: 'image/png' } }),
)

/** `model`: as the client names it; `claude`: the model of the signatures. `conforming`: names that every service takes. */
export function geminiRequests(
  model: string,
  claude: string,
  { conforming = false } = {},
): fc.Arbitrary<Body> {
  const toolNames = conforming ? conformingNames : [...conformingNames, 'a.b:c']
  const name = fc.constantFrom(...toolNames)
  const signed = { thoughtSignature: optional(signature(model, claude)) }
  const call = record({ functionCall: record({ id: optional(id), name, args: optional(args) }), ...signed })
  const said = fc.oneof(
    record({ text, ...signed }),
    record({ text, thought: fc.constant(true) }),
    fc.constantFrom<Body>(
      { executableCode: { language: 'PYTHON', code: '1' } },
      { toolCall: { id: 'x' } },
      {},
    ),
  )
  const response = fc.oneof(
    record({ output: fc.oneof(text, fc.jsonValue({ maxDepth: 1 })) }),
    record({ error: text }),
    args,
  )
  const parts = fc.oneof(fc.constant(undefined), fc.array(inline, { maxLength: 1 }))
  const result = record({ functionResponse: record({ id: optional(id), name, response, parts }) })
  const user = fc.array(fc.oneof(record({ text }), result, media), { maxLength: 4 })
  const content = fc.oneof(
    fc.record({ role: fc.constant('model'), parts: fc.array(fc.oneof(said, call), { maxLength: 4 }) }),
    record({ role: fc.constantFrom('user', undefined, 'function'), parts: user }),
  )
  const schema = fc.constantFrom<Body>(
    { type: 'object', properties: { path: { type: 'string' } } },
    { type: 'OBJECT', properties: { path: { type: 'STRING', nullable: true } } },
  )
  const declaration = (each: string) =>
    fc.oneof(
      record({
        name: fc.constant(each),
        description: optional(text),
        parametersJsonSchema: optional(schema),
      }),
      record({ name: fc.constant(each), parameters: schema }),
    )
  const tools = fc
    .subarray([...toolNames])
    .chain((names) => fc.tuple(...names.map(declaration)))
    .map((functionDeclarations) => [{ functionDeclarations }])
  const config = record({
    temperature: optional(fc.constantFrom(0, 0.5, 1, 2)),
    topP: optional(fc.constantFrom(0.5, 0.95, 1)),
    topK: optional(fc.constantFrom(1, 64)),
    maxOutputTokens: optional(fc.constantFrom(1, 4_000)),
    stopSequences: optional(fc.array(fc.string({ minLength: 1 }), { maxLength: 3 })),
    seed: optional(fc.nat()),
    responseMimeType: optional(fc.constantFrom('text/plain', 'application/json')),
    thinkingConfig: optional(
      fc.constantFrom<Body>(
        { includeThoughts: true, thinkingLevel: 'HIGH' },
        { includeThoughts: true, thinkingBudget: 8192 },
        { includeThoughts: true },
        { thinking_budget: 0 },
      ),
    ),
  })
  return record({
    contents: fc
      .tuple(fc.constant({ role: 'user', parts: [{ text: 'hi' }] }), fc.array(content, { maxLength: 6 }))
      .map(([first, rest]) => [first, ...rest]),
    systemInstruction: optional(
      fc.record({ role: fc.constant('user'), parts: fc.array(record({ text }), { maxLength: 2 }) }),
    ),
    tools: optional(tools),
    generationConfig: optional(config),
    safetySettings: optional(fc.constant([{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }])),
  })
}

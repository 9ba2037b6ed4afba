// Chunks of a Gemini stream, mostly of the right shape.

import fc from 'fast-check'

const text = fc.constantFrom('', 'a', '🙂', '\n')
const junk = fc.jsonValue({ maxDepth: 2 })
const maybe = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 8, arbitrary }, { weight: 1, arbitrary: junk })
const record = (fields: Record<string, fc.Arbitrary<unknown>>) => fc.record(fields, { requiredKeys: [] })

const geminiPart = record({
  text: maybe(text),
  thought: maybe(fc.boolean()),
  thoughtSignature: maybe(fc.constantFrom('', 'c2ln')),
  functionCall: maybe(
    record({
      id: maybe(fc.constantFrom('a', 'b', '')),
      name: maybe(fc.constantFrom('read', 'list', '')),
      args: maybe(fc.constantFrom({}, { a: 1 })),
      willContinue: maybe(fc.boolean()),
      partialArgs: maybe(
        fc.array(
          record({
            jsonPath: maybe(
              fc.constantFrom('$.a', '$.b[0].c', "$['d']", '$.__proto__.x', '$', '$.a[99999999]'),
            ),
            stringValue: maybe(text),
            numberValue: fc.nat(),
            nullValue: fc.constant('NULL_VALUE'),
          }),
          { maxLength: 2 },
        ),
      ),
    }),
  ),
  inlineData: junk,
})
export const geminiChunk = fc.oneof(
  {
    weight: 12,
    arbitrary: record({
      candidates: maybe(
        fc.array(
          record({
            index: fc.constantFrom(0, 0, 0, 1),
            content: maybe(record({ parts: maybe(fc.array(maybe(geminiPart), { maxLength: 3 })) })),
            finishReason: maybe(
              fc.constantFrom(
                '',
                '',
                '',
                'STOP',
                'MAX_TOKENS',
                'SAFETY',
                'OTHER',
                'MALFORMED_FUNCTION_CALL',
                'x',
              ),
            ),
            finishMessage: maybe(text),
          }),
          { maxLength: 2 },
        ),
      ),
      usageMetadata: maybe(record({ promptTokenCount: junk, candidatesTokenCount: fc.nat() })),
      responseId: maybe(text),
      modelVersion: maybe(text),
    }),
  },
  {
    weight: 1,
    arbitrary: record({ promptFeedback: maybe(record({ blockReason: maybe(text) })), error: junk }),
  },
  { weight: 1, arbitrary: junk },
)

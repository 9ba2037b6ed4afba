// What upstreams send as an error, in any shape: it is mapped as its status says, and nothing in it makes a reader throw.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { encodeFrame } from '../../sim/clouds/event-stream.ts'
import { GatewayError } from '../../src/core/errors.ts'
import { fromAnthropicError } from '../../src/protocols/anthropic-messages/errors.ts'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { fromBedrockError } from '../../src/protocols/claude-clouds/bedrock-errors.ts'
import { BedrockStream } from '../../src/protocols/claude-clouds/bedrock-stream.ts'
import { fromVertexError } from '../../src/protocols/claude-clouds/vertex-errors.ts'
import { parseEndOfStream, parseUnaryError } from '../../src/protocols/connect/end-stream.ts'
import { GeminiReader } from '../../src/protocols/gemini/read.ts'
import { fromGeminiError } from '../../src/protocols/gemini/upstream-errors.ts'
import { fromChatError } from '../../src/protocols/openai-chat/errors.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { fromQwenWebError } from '../../src/protocols/qwen-web/errors.ts'
import { typed } from './accepted.ts'
import { fuzz } from './settings.ts'

const names = [
  'error',
  'detail',
  'message',
  'msg',
  'code',
  'type',
  'param',
  'loc',
  'metadata',
  'raw',
  'data',
  'details',
  'ret',
  'status',
  '@type',
  'reason',
  'domain',
  'retryDelay',
  'violations',
  'quotaId',
  '__type',
  'Message',
]
const words = [
  ...[
    'RESOURCE_EXHAUSTED',
    'INVALID_ARGUMENT',
    'UNAVAILABLE',
    'ThrottlingException',
    'com.amazon#ValidationException',
  ],
  ...['RetryInfo', 'QuotaFailure', 'ErrorInfo'].map((name) => `type.googleapis.com/google.rpc.${name}`),
  ...['1.5s', '9'.repeat(40), 'GenerateRequestsPerDayPerModel', 'Quota exceeded', 'API_KEY_INVALID'],
]
/** `toString` and `valueOf` that are no functions make an object one that cannot become a text or a number. */
const traps = ['toString', 'valueOf', 'toJSON', 'length', 'constructor', '__proto__']
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom<unknown>(...words),
    fc.constantFrom<unknown>(429, 400, '429', 'rate_limit_error', 'context_length_exceeded', '', {
      toString: 1,
      valueOf: 1,
    }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, ...traps), tie('value'), { maxKeys: 6 }),
  ),
}))
const odd = fc.oneof(value, fc.constantFrom<unknown>({ toString: 1, valueOf: 2 }, ...words))
/** Google's form, filled with anything. */
const google = fc
  .record(
    {
      ...{ code: odd, message: odd, status: odd },
      details: fc.array(
        fc.record(
          { '@type': odd, reason: odd, retryDelay: odd, violations: fc.array(fc.record({ quotaId: odd })) },
          { requiredKeys: [] },
        ),
        { maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  )
  .chain((error) => fc.constantFrom<unknown>({ error }, [{ error }]))
/** As it comes over the wire. */
const body = fc.oneof(value, google).map((given) => JSON.parse(JSON.stringify(given)) as unknown)
const status = fc.constantFrom(200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 529)
/** Of Bedrock, in a header. */
const errorType = fc.option(
  fc.oneof(
    fc.string(),
    fc.constantFrom('ValidationException:http://x', 'ThrottlingException', ':', '__proto__'),
  ),
  { nil: undefined },
)
const readers = {
  openai: fromChatError,
  anthropic: fromAnthropicError,
  gemini: fromGeminiError,
  bedrock: fromBedrockError,
  vertex: fromVertexError,
  'qwen-web': fromQwenWebError,
}

const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown
const unprintable = JSON.parse('{"toString":1,"valueOf":2}') as unknown

describe.each(Object.entries(readers))('errors of %s', (_kind, from) => {
  it('are errors of their status, whatever they hold', () => {
    fc.assert(
      fc.property(status, body, errorType, (given, sent, type) => {
        const excerpt = JSON.stringify(sent)
        const error = from({ backend: 'box', status: given, body: sent, excerpt, errorType: type })
        expect(error).toBeInstanceOf(GatewayError)
        expect(error.code).not.toBe('internal')
        expect(typeof error.message).toBe('string')
        expect([undefined, 'string']).toContain(error.param === undefined ? undefined : typeof error.param)
      }),
      fuzz,
    )
  })

  it.each([unprintable, {}, [], [429], 7, true, null, deep])('take any code, type and place: %#', (odd) => {
    for (const error of [
      { code: odd },
      { type: odd },
      { message: odd },
      { param: odd },
      { msg: 'x', loc: [odd] },
      odd,
    ]) {
      const said = from({ backend: 'box', status: 429, body: { error } })
      expect(said.code).toBe('rate-limited')
    }
  })
})

describe('errors inside an answer', () => {
  const options = {
    turnId: 'turn_1',
    model: 'm',
    backend: 'box',
    wholeArguments: true,
    note: () => undefined,
  }

  it.each([unprintable, {}, [], 7, true])('never are a failure of the gateway: %#', (odd) => {
    for (const error of [{ code: odd, message: 'no' }, { type: odd, message: 'no' }, { message: odd }]) {
      const message = { event: undefined, data: JSON.stringify({ type: 'error', error }) }
      const chat = new ChatReader(options).push([message])
      const anthropic = new AnthropicReader({ ...options, toolName: (name) => name }).push([message])
      for (const events of [chat, anthropic]) {
        const last = events.at(-1)
        expect(last?.type === 'turn-error' ? last.error.code : last?.type).toMatch(/^upstream-/)
      }
    }
  })

  it('of Gemini are errors of the service, or answers that are not finished', () => {
    fc.assert(
      fc.property(body, body, (error, feedback) => {
        for (const chunk of [{ error }, { promptFeedback: feedback }, { error, promptFeedback: feedback }]) {
          const reader = new GeminiReader({ ...options, source: 'box' })
          const sent = { event: undefined, data: JSON.stringify(chunk) }
          for (const event of [...reader.push([sent]), ...reader.end()])
            if (event.type === 'turn-error') expect(event.error.code).not.toBe('internal')
        }
      }),
      fuzz,
    )
  })

  it('of Bedrock are errors of the service, whatever their frames hold', () => {
    const header = fc.oneof(
      fc.string({ maxLength: 30 }),
      fc.constantFrom('event', 'exception', 'error', 'throttlingException', '__proto__', 'a\r\nb'),
    )
    const headers = fc.dictionary(
      fc.constantFrom(':message-type', ':exception-type', ':error-code', ':error-message', ':event-type'),
      header,
    )
    const inside = fc
      .tuple(
        fc.constantFrom(
          'ping',
          'error',
          'message_start',
          'message_stop',
          'content_block_delta',
          'a b',
          'a\n',
        ),
        fc.constantFrom('', '\n', '\r', '\r\n\r\nevent: message_stop\ndata: {}\n\n'),
        fc.constantFrom('', ',"x":1', ',', ',"error":{"message":"no\\nway"}'),
        fc.boolean(),
      )
      .map(([type, lineBreak, more, isBehind]) =>
        isBehind ? `{"type":"${type}"${more}}${lineBreak}` : `{"type":"${type}"${lineBreak}${more}}`,
      )
    const payload = fc.oneof(
      inside.map((sent) => JSON.stringify({ bytes: Buffer.from(sent).toString('base64') })),
      body.map((sent) => JSON.stringify(sent)),
      body.map((sent) => JSON.stringify({ bytes: Buffer.from(JSON.stringify(sent)).toString('base64') })),
      body.map((error) => JSON.stringify({ message: error })),
      fc.string(),
    )
    fc.assert(
      fc.property(headers, payload, (given, text) => {
        const read = typed(() => new BedrockStream('box').push(encodeFrame(given, text)).toString())
        if (read === undefined) return
        // Lines of events alone.
        for (const line of read.split('\n')) expect(line).toMatch(/^(?:event: \w+|data: .*|)$/)
        expect(read).not.toContain('\r')
        const reader = new AnthropicReader({ ...options, toolName: (name) => name })
        const messages = [...read.matchAll(/^event: (\w+)\ndata: (.*)$/gm)].map(([, event, data = '']) => ({
          event,
          data,
        }))
        for (const event of reader.push(messages))
          if (event.type === 'turn-error') expect(event.error.code).not.toBe('internal')
      }),
      fuzz,
    )
  })

  it('of Connect never throw', () => {
    fc.assert(
      fc.property(body, (sent) => {
        const text = JSON.stringify(sent)
        parseUnaryError(text)
        parseEndOfStream(Buffer.from(text))
      }),
      fuzz,
    )
  })
})

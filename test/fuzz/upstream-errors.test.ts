// What upstreams send as an error, in any shape: it is mapped as its status says, and nothing in it makes a reader throw.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../src/core/errors.ts'
import { fromAnthropicError } from '../../src/protocols/anthropic-messages/errors.ts'
import { AnthropicReader } from '../../src/protocols/anthropic-messages/read.ts'
import { parseEndOfStream, parseUnaryError } from '../../src/protocols/connect/end-stream.ts'
import { fromGeminiError } from '../../src/protocols/gemini/upstream-errors.ts'
import { fromChatError } from '../../src/protocols/openai-chat/errors.ts'
import { ChatReader } from '../../src/protocols/openai-chat/read.ts'
import { fromQwenWebError } from '../../src/protocols/qwen-web/errors.ts'
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
]
/** `toString` and `valueOf` that are no functions make an object one that cannot become a text or a number. */
const traps = ['toString', 'valueOf', 'toJSON', 'length', 'constructor', '__proto__']
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 1 }),
    fc.constantFrom<unknown>(429, 400, '429', 'rate_limit_error', 'context_length_exceeded', '', {
      toString: 1,
      valueOf: 1,
    }),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...names, ...traps), tie('value'), { maxKeys: 6 }),
  ),
}))
/** As it comes over the wire. */
const body = value.map((given) => JSON.parse(JSON.stringify(given)) as unknown)
const status = fc.constantFrom(200, 400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 529)
const readers = {
  openai: fromChatError,
  anthropic: fromAnthropicError,
  gemini: fromGeminiError,
  'qwen-web': fromQwenWebError,
}

const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown
const unprintable = JSON.parse('{"toString":1,"valueOf":2}') as unknown

describe.each(Object.entries(readers))('errors of %s', (_kind, from) => {
  it('are errors of their status, whatever they hold', () => {
    fc.assert(
      fc.property(status, body, (given, sent) => {
        const error = from({ backend: 'box', status: given, body: sent, excerpt: JSON.stringify(sent) })
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

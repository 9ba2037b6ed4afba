// The strict client of Gemini: what it writes, and what it finds in answers.

import { describe, expect, it } from 'vitest'
import type { Answer, Form } from '../../src/judge/clients/answer.ts'
import { geminiClient } from '../../src/judge/clients/gemini.ts'

const reply = (text: string, form: Form) => ({
  status: 200,
  headers: { 'content-type': form === 'stream' ? 'text/event-stream' : 'application/json' },
  text,
  garbled: false,
  cut: false,
})
const chunk = (parts: unknown[], more: Record<string, unknown> = {}, finishReason?: string) => ({
  candidates: [{ content: { role: 'model', parts }, index: 0, ...(finishReason ? { finishReason } : {}) }],
  modelVersion: 'm',
  responseId: 'r',
  ...more,
})
const usageMetadata = {
  promptTokenCount: 9,
  candidatesTokenCount: 3,
  thoughtsTokenCount: 40,
  cachedContentTokenCount: 4,
  totalTokenCount: 52,
}
const frames = (...values: unknown[]) =>
  values.map((value) => (typeof value === 'string' ? value : `data: ${JSON.stringify(value)}\n\n`)).join('')
const streamed = (...values: unknown[]): Answer =>
  geminiClient.read(reply(frames(...values), 'stream'), 'stream')
const rulesOf = ({ violations }: Answer) => [...new Set(violations.map(({ rule }) => rule))].sort()

const last = chunk([{ text: '' }], { usageMetadata }, 'STOP')
const call = { functionCall: { id: 'c1', name: 'read', args: { path: 'a' } }, thoughtSignature: 'sig' }

describe('a stream', () => {
  it('of thoughts, text and a call is read to its end', () => {
    const answer = streamed(
      '\n',
      chunk([{ text: 'hm', thought: true }]),
      chunk([{ text: 'Let me see.' }, call]),
      last,
    )
    expect(rulesOf(answer)).toEqual([])
    expect([answer.text, answer.reasoning, answer.finish, answer.ended]).toEqual([
      'Let me see.',
      'hm',
      'tool_calls',
      true,
    ])
    expect(answer.calls).toMatchObject([{ id: 'c1', name: 'read', arguments: '{"path":"a"}' }])
    expect([answer.usage, answer.usages]).toEqual([{ input: 9, output: 43, cached: 4 }, 1])
    expect(answer.echo).toEqual([{ role: 'model', parts: [{ text: 'Let me see.' }, call, { text: '' }] }])
  })

  it('a call without arguments and id is a call; the client makes the id', () => {
    const answer = streamed(chunk([{ functionCall: { name: 'now' } }]), last)
    expect(rulesOf(answer)).toEqual(['exact'])
    expect(answer.calls).toMatchObject([{ id: 'now_0', name: 'now', arguments: '{}' }])
    expect(answer.echo).toMatchObject([{ parts: [{ functionCall: { id: 'now_0' } }, {}] }])
  })

  it.each([
    ['a comment', ': hello\n\n'],
    ['an event name', 'event: message\n'],
    ['no space after the colon', `data:${JSON.stringify(chunk([{ text: 'x' }]))}\n\n`],
    ['[DONE]', 'data: [DONE]\n\n'],
  ])('%s breaks its frames', (_, line) => {
    expect(rulesOf(streamed(chunk([{ text: 'a' }]), line, last))).toEqual(['frame'])
  })

  it('an error is found in a frame, and bare behind it', () => {
    const error = { error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } }
    for (const text of [frames(chunk([{ text: 'a' }]), error), `${JSON.stringify(error, undefined, 2)}\n`]) {
      const answer = streamed(text)
      expect([answer.error, answer.finish]).toEqual([
        { message: 'overloaded', type: 'UNAVAILABLE', code: '503' },
        undefined,
      ])
    }
  })

  it.each([
    ['no finishReason', [chunk([{ text: 'a' }])], ['end', 'finish']],
    ['an unknown finishReason', [chunk([{ text: 'a' }], {}, 'DONE')], ['finish']],
    ['a chunk after the end', [last, chunk([{ text: 'a' }])], ['order']],
    ['another id', [chunk([{ text: 'a' }], { responseId: 'x' }), last], ['constant']],
    [
      'a wrong total',
      [chunk([{ text: 'a' }], { usageMetadata: { promptTokenCount: 1 } }, 'STOP')],
      ['usage'],
    ],
    ['arguments as text', [chunk([{ functionCall: { id: 'c', name: 'r', args: '{}' } }]), last], ['call']],
  ])('%s', (_, chunks, rules) => {
    expect(rulesOf(streamed(...chunks))).toEqual(rules)
  })

  it('a malformed call is an error, not an end', () => {
    const answer = streamed(chunk([], {}, 'MALFORMED_FUNCTION_CALL'))
    expect([answer.error?.type, answer.finish]).toEqual(['MALFORMED_FUNCTION_CALL', undefined])
  })
})

it('a whole answer is one chunk', () => {
  const answer = geminiClient.read(
    reply(JSON.stringify(chunk([{ text: 'hi' }], { usageMetadata }, 'MAX_TOKENS')), 'whole'),
    'whole',
  )
  expect([answer.text, answer.finish, rulesOf(answer)]).toEqual(['hi', 'length', []])
})

it('a request: the model in the path, results with the names of their tools in one content', () => {
  const base = 'http://box/v1'
  expect(geminiClient.url(base, { model: 'up/m', form: 'stream' })).toBe(
    'http://box/v1beta/models/up/m:streamGenerateContent?alt=sse',
  )
  const body = geminiClient.body({
    model: 'm',
    form: 'whole',
    system: 'Be brief.',
    messages: [
      { role: 'user', text: 'go' },
      { role: 'assistant', calls: [{ id: 'c1', name: 'read', arguments: '{"path":"a"}' }] },
      { role: 'result', id: 'c1', text: 'alpha' },
      { role: 'user', text: 'and now?' },
    ],
    tools: [{ name: 'read', schema: { type: 'object' } }],
    choice: { name: 'read' },
    maxTokens: 7,
  })
  expect(body).toEqual({
    contents: [
      { role: 'user', parts: [{ text: 'go' }] },
      { role: 'model', parts: [{ functionCall: { id: 'c1', name: 'read', args: { path: 'a' } } }] },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c1', name: 'read', response: { output: 'alpha' } } },
          { text: 'and now?' },
        ],
      },
    ],
    systemInstruction: { parts: [{ text: 'Be brief.' }] },
    tools: [{ functionDeclarations: [{ name: 'read', parametersJsonSchema: { type: 'object' } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['read'] } },
    generationConfig: { maxOutputTokens: 7 },
  })
})

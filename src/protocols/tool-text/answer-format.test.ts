import { expect, it } from 'vitest'
import type { TurnRequest } from '../../core/request.ts'
import { formatRequest } from './answer-format.ts'

const request = (more: Partial<TurnRequest>): TurnRequest => ({
  model: 'm',
  messages: [],
  tools: [],
  stream: true,
  origin: { dialect: 'none', body: {}, faithful: false },
  ...more,
})

it('asks for JSON in words, with its schema', () => {
  expect(formatRequest(request({}))).toBe('')
  expect(formatRequest(request({ responseFormat: { type: 'json' } }))).toMatch(
    /^Answer with one JSON object and nothing else/,
  )
  const schema = { type: 'object', properties: { a: { type: 'string' } } }
  expect(formatRequest(request({ responseFormat: { type: 'json-schema', name: 'x', schema } }))).toContain(
    JSON.stringify(schema),
  )
})

it('asks for it only in answers without a call if there are tools', () => {
  const tools = [{ name: 'read', schema: {} }]
  const asked = request({ responseFormat: { type: 'json' }, tools })
  expect(formatRequest(asked)).toMatch(/^Whenever you do not call a tool, answer with one JSON object/)
  expect(formatRequest({ ...asked, toolChoice: { type: 'none' } })).toMatch(/^Answer with/)
})

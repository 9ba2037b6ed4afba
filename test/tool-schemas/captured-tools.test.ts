// What `npm run test:captured-schemas` reads, with one made-up request per door: a door that it cannot read has no tools there.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { capturedTools } from './captured-tools.ts'

const folder = mkdtempSync(join(tmpdir(), 'dragoman-captured-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const tool = { name: 'read_file', description: 'Read a file.' }
const described = { type: 'function', function: { ...tool, parameters: schema } }
const messages = [{ role: 'user', content: 'Go.' }]

const requests: Record<string, { path: string; body: object }> = {
  chat: { path: '/v1/chat/completions', body: { model: 'm', messages, tools: [described] } },
  messages: {
    path: '/v1/messages?beta=true',
    body: { model: 'm', max_tokens: 9, messages, tools: [{ ...tool, input_schema: schema }] },
  },
  responses: {
    path: '/v1/responses',
    body: { model: 'm', input: 'Go.', tools: [{ type: 'function', ...tool, parameters: schema }] },
  },
  gemini: {
    path: '/v1beta/models/m:streamGenerateContent?alt=sse',
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Go.' }] }],
      tools: [{ functionDeclarations: [{ ...tool, parametersJsonSchema: schema }] }],
    },
  },
  ollama: { path: '/api/chat', body: { model: 'm', messages, tools: [described] } },
}

describe('captured requests', () => {
  for (const [door, { path, body }] of Object.entries(requests)) {
    const without = { ...body, tools: undefined }
    const written = [without, body, without].map((one) => ({ path, body: JSON.stringify(one) }))
    writeFileSync(join(folder, `${door}.json`), JSON.stringify(written))
  }

  it.each(Object.keys(requests))('at the door %s are read, the one with the most tools', (door) => {
    const found = capturedTools(folder).find(({ client }) => client === door)
    expect(found?.tools).toEqual([{ name: 'read_file', schema }])
  })
})

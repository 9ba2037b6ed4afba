// A model that writes its calls as text is asked once more in a turn, whatever was wrong first.

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Bench, startGateway, upstreamKey } from '../harness.ts'

const unfit = '<tool_call>\n{"name": "read", "arguments": {}}\n</tool_call>'
const unreadable = '<tool_call>\n{"tool": 7}\n</tool_call>'

let answers: string[] = []
let asked = 0
let server: Server
let bench: Pick<Bench, 'gateway' | 'url'>

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume()
    const content = answers[asked++] ?? 'Done.'
    const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
    const answer = { id: 'x', object: 'chat.completion', created: 1, model: 'm', choices }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const box = { kind: 'openai', baseUrl, apiKey: upstreamKey, tools: 'text' }
  bench = await startGateway({ backends: { box } })
})
afterAll(async () => {
  await bench.gateway.close()
  server.close()
})

it.each([
  ['unfit, then unreadable', [unfit, unreadable, unfit, unfit]],
  ['unreadable, then unfit', [unreadable, unfit, unfit, unfit]],
  ['unfit twice', [unfit, unfit, unfit, unfit]],
])('%s: two requests', async (_, given) => {
  answers = given
  asked = 0
  const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
  const response = await fetch(`${bench.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'box/m',
      messages: [{ role: 'user', content: 'Read it.' }],
      tools: [{ type: 'function', function: { name: 'read', parameters } }],
    }),
  })
  expect(response.status).toBe(200)
  expect(asked).toBe(2)
})

// Claude on Microsoft Foundry and on Bedrock's mantle endpoint, and OpenAI on Azure: by address, key and header alone (docs/clouds.md).

import { afterAll, beforeAll, expect, it } from 'vitest'
import { startGateway } from '../harness.ts'
import { type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'

let upstream: ScriptedUpstream
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const claude = { kind: 'anthropic', baseUrl: `${upstream.url}/anthropic` }
  const openai = { kind: 'openai', apiKey: 'azure-key', authHeader: 'api-key', api: 'chat' }
  gateway = await startGateway({
    backends: {
      foundry: { ...claude, apiKey: 'foundry-key' },
      entra: { ...claude, apiKey: 'unused', headers: { authorization: 'Bearer entra', 'x-api-key': '' } },
      azure: { ...openai, baseUrl: `${upstream.url}/openai/v1` },
      classic: {
        ...openai,
        baseUrl: `${upstream.url}/openai/deployments/mine`,
        query: { 'api-version': '2024-10-21' },
      },
      mantle: { kind: 'openai', apiKey: 'bedrock-key', baseUrl: `${upstream.url}/v1` },
    },
  })
})
afterAll(async () => {
  await gateway.gateway.close()
  upstream.close()
})

const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'mine', stop_reason: 'end_turn' },
  ...{ content: [{ type: 'text', text: 'hi' }], usage: { input_tokens: 1, output_tokens: 1 } },
}
const completion = {
  ...{ id: 'c', object: 'chat.completion', created: 1, model: 'mine' },
  choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, finish_reason: 'stop' }],
}

it.each([
  ['foundry', '/anthropic/v1/messages', { 'x-api-key': 'foundry-key', 'anthropic-version': '2023-06-01' }],
  ['entra', '/anthropic/v1/messages', { authorization: 'Bearer entra', 'x-api-key': '' }],
  ['azure', '/openai/v1/chat/completions', { 'api-key': 'azure-key' }],
  ['classic', '/openai/deployments/mine/chat/completions?api-version=2024-10-21', { 'api-key': 'azure-key' }],
  ['mantle', '/v1/chat/completions', { authorization: 'Bearer bedrock-key' }],
])('%s', async (backend, path, headers) => {
  const answer = path.includes('/anthropic/') ? message : completion
  upstream.answer = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(answer) }
  const response = await fetch(`${gateway.url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model: `${backend}/mine`,
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hello' }],
    }),
  })
  expect(await response.text()).toContain('"hi"')
  const asked = upstream.asked.filter((one) => one.body !== '').at(-1)
  expect(asked?.path).toBe(path)
  expect(asked?.headers).toMatchObject(headers)
  expect(JSON.parse(asked?.body ?? '')).toMatchObject({ model: 'mine' })
})

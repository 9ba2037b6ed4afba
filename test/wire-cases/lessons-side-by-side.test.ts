// Turns that run side by side and are refused for the same field: each is sent again, whichever learned first.

import { afterEach, beforeEach, expect, it } from 'vitest'
import { startGateway } from '../harness.ts'
import { type ScriptedAnswer, type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'

const answers = {
  chat: {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  responses: {
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    model: 'm',
    status: 'completed',
    output: [
      {
        type: 'message',
        id: 'msg_1',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'Hello.', annotations: [] }],
      },
    ],
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  },
}

const refusalOf = (field: string): ScriptedAnswer => {
  const message = `Unsupported parameter: '${field}' is not supported with this model.`
  const error = { message, type: 'invalid_request_error', param: field, code: 'unsupported_parameter' }
  return { status: 400, body: JSON.stringify({ error }) }
}

let upstream: ScriptedUpstream
beforeEach(async () => {
  upstream = await startScriptedUpstream()
})
afterEach(() => upstream.close())

/** Refuses these fields, and holds the first requests back until `together` of them have come. */
function refuse(fields: readonly string[], together: number, answer: object): void {
  const waiting: (() => void)[] = []
  upstream.respond = async ({ body }) => {
    if (upstream.asked.length <= together) {
      const come = new Promise<void>((resolve) => waiting.push(resolve))
      if (waiting.length === together) for (const go of waiting) go()
      await come
    }
    const sent = JSON.parse(body)
    const refused = fields.find((field) => sent[field] !== undefined)
    return refused === undefined ? { body: JSON.stringify(answer) } : refusalOf(refused)
  }
}

it.each(['chat', 'responses'] as const)('the same field, by %s', async (api) => {
  const backends = { box: { kind: 'openai', baseUrl: upstream.url, apiKey: 'x', api } }
  const { gateway, url } = await startGateway({ backends })
  refuse(['temperature'], 3, answers[api])
  const statuses = await Promise.all([1, 2, 3].map(() => askWith(url, { temperature: 0.5 })))
  expect(statuses).toEqual([200, 200, 200])
  // What was learned counts for the next turn.
  await askWith(url, { temperature: 0.5 })
  expect(upstream.asked).toHaveLength(7)
  await gateway.close()
})

it.each(['chat', 'responses'] as const)('different fields, by %s: both are kept', async (api) => {
  const backends = { box: { kind: 'openai', baseUrl: upstream.url, apiKey: 'x', api } }
  const { gateway, url } = await startGateway({ backends })
  refuse(['temperature', 'top_p'], 2, answers[api])
  await Promise.all([askWith(url, { temperature: 0.5 }), askWith(url, { top_p: 0.5 })])
  expect(upstream.asked).toHaveLength(4)
  expect(await askWith(url, { temperature: 0.5, top_p: 0.5 })).toBe(200)
  expect(upstream.asked).toHaveLength(5)
  await gateway.close()
})

async function askWith(url: string, fields: Record<string, unknown>): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'box/m', messages: [{ role: 'user', content: 'Hello' }], ...fields }),
  })
  await response.text()
  return response.status
}

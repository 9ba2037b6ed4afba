// The lane Gemini → Gemini: what the gateway does not know passes in both directions, byte for byte but for the model's name.

import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startGateway } from '../harness.ts'
import { eventStream, type ScriptedUpstream, startScriptedUpstream } from '../scripted-upstream.ts'

let upstream: ScriptedUpstream
let gateway: Awaited<ReturnType<typeof startGateway>>

beforeAll(async () => {
  upstream = await startScriptedUpstream()
  const sim = { kind: 'gemini', baseUrl: upstream.url, apiKey: 'key-of-the-upstream' }
  gateway = await startGateway({ backends: { sim }, models: { mine: 'sim/gemini-3.8-flash' } })
})
afterAll(async () => {
  await gateway.gateway.close()
  upstream.close()
})
beforeEach(() => {
  upstream.asked.length = 0
})

const send = (verb: string, body: string) =>
  fetch(`${gateway.url}/v1beta/models/mine:${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  })

const ending = '"modelVersion":"gemini-3.8-flash-001","responseId":"r1","future":{"n":1.0}}'
const chunks = [
  `{"candidates":[{"content":{"parts":[{"text":"hm","thought":true}],"role":"model"},"index":0}],${ending}`,
  `{"candidates":[{"content":{"parts":[{"executableCode":{"code":"1+1"}},{"newPart":{"x":[1.50]}}],"role":"model"},"index":0}],${ending}`,
  `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"read","args":{"n":9007199254740993}},"thoughtSignature":"c2ln"}],"role":"model"},"index":0}],${ending}`,
  `{"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"finishReason":"STOP","index":0,"groundingMetadata":{"q":["ü"]}}],"usageMetadata":{"promptTokenCount":1,"trafficType":"X"},${ending}`,
]
const renamed = (chunk: string) => chunk.replace('gemini-3.8-flash-001', 'mine')
const request =
  '{ "contents" : [{"parts":[{"text":"hi","future":1.0}]}], "tools":[{"functionDeclarations":[{"name":"read","parameters":{"type":"OBJECT"},"new":1}]},{"googleSearch":{}}], "new_field": 1e2 }'

it('T75: a stream passes as it came, and so does the request', async () => {
  upstream.answer = { headers: eventStream, body: chunks.map((chunk) => `data: ${chunk}\r\n\r\n`).join('') }
  const answer = await send('streamGenerateContent?alt=sse', request)
  expect(await answer.text()).toBe(chunks.map((chunk) => `data: ${renamed(chunk)}\n\n`).join(''))
  expect(upstream.asked.map(({ path, body }) => [path, body])).toEqual([
    ['/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse', request],
  ])
})

it('T75: output after the end is left out', async () => {
  const [first = '', , , last = ''] = chunks
  const body = [first, last, first.replace('"hm"', '"lost"')].map((chunk) => `data: ${chunk}\n\n`).join('')
  upstream.answer = { headers: eventStream, body }
  const text = await (await send('streamGenerateContent?alt=sse', request)).text()
  expect(text).toContain('"hm"')
  expect(text).not.toContain('lost')
})

it('without alt=sse it is one list of the same chunks', async () => {
  upstream.answer = { headers: eventStream, body: chunks.map((chunk) => `data: ${chunk}\n\n`).join('') }
  const text = await (await send('streamGenerateContent', request)).text()
  expect(JSON.parse(text)).toEqual(chunks.map((chunk) => JSON.parse(renamed(chunk))))
})

it('a whole answer passes as it came', async () => {
  upstream.answer = { body: chunks[3] as string }
  expect(await (await send('generateContent', request)).text()).toBe(renamed(chunks[3] as string))
})

it("a blocked prompt stays in the service's own form", async () => {
  const blocked = `{"promptFeedback":{"blockReason":"SAFETY","safetyRatings":[]},${ending}`
  upstream.answer = { headers: eventStream, body: `data: ${blocked}\n\n` }
  expect(await (await send('streamGenerateContent?alt=sse', request)).text()).toBe(
    `data: ${renamed(blocked)}\n\n`,
  )
})

it('an error passes with its details, and its status', async () => {
  const error = {
    code: 429,
    message: 'slow down',
    status: 'RESOURCE_EXHAUSTED',
    details: [{ '@type': 'x', new: 1 }],
  }
  upstream.answer = { status: 429, body: JSON.stringify({ error }) }
  const answer = await send('generateContent', request)
  expect([answer.status, await answer.json()]).toEqual([429, { error }])
})

it('T75: a call that does not fit is corrected under the id of the answer, and the end still comes', async () => {
  const wrong = chunks[2]
    ?.replace('"read"', '"Read"')
    .replace('"role":"model"}', '"role":"model"},"finishReason":"STOP"') as string
  upstream.answer = { headers: eventStream, body: `data: ${chunks[0]}\n\ndata: ${wrong}\n\n` }
  const text = await (await send('streamGenerateContent?alt=sse', request)).text()
  const answers = text
    .split('\n\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line.slice('data: '.length)))
  const [call] = answers.flatMap(({ candidates }) =>
    candidates[0].content.parts.flatMap(
      (part: { functionCall?: { name: string } }) => part.functionCall ?? [],
    ),
  )
  expect(call?.name).toBe('read')
  expect(answers.at(-1).candidates[0].finishReason).toBe('STOP')
  expect(new Set(answers.map(({ responseId }) => responseId))).toEqual(new Set(['r1']))
})

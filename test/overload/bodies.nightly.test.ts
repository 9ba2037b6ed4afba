// Request bodies of every shape that the bounds admit: none of them keeps the event loop from others for long.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import { startOpenAISim } from '../../sim/openai.ts'
import type { Sim } from '../../sim/server.ts'
import { expectHeld, MiB, overload, report } from './harness.ts'

const key = 'upstream-key-of-this-test'
let openai: Sim
let anthropic: Sim
beforeAll(async () => {
  openai = await startOpenAISim({ apiKey: key })
  anthropic = await startAnthropicSim({ apiKey: key })
})
afterAll(async () => {
  await openai.close()
  await anthropic.close()
})

const mostValues = 200_000
const bodyBytes = 32 * MiB
const many = (count: number, make: (at: number) => string) =>
  Array.from({ length: Math.floor(count) }, (_, at) => make(at)).join(',')
const fill = (text: string) => text.repeat(Math.floor((bodyBytes - 4_096) / Buffer.byteLength(text)))
const message = (content: string) => `{"role":"user","content":${content}}`

/** Each is the value of "messages", with all the values that a body may hold, or all the bytes. */
const shapes: Record<string, () => string> = {
  'empty objects': () => `[${many(mostValues / 3 - 20, () => '{}')}]`,
  'empty arrays': () => `[${many(mostValues / 3 - 20, () => '[]')}]`,
  numbers: () => `[${many(mostValues - 100, () => '1')}]`,
  'messages of a word': () => `[${many(mostValues / 5 - 20, (at) => message(`"${at}"`))}]`,
  'messages of parts': () =>
    `[${many(mostValues / 10 - 20, (at) => message(`[{"type":"text","text":"${at}"}]`))}]`,
  'one message of many parts': () =>
    `[${message(`[${many(mostValues / 6 - 20, (at) => `{"type":"text","text":"${at}"}`)}]`)}]`,
  'calls and results': () =>
    `[${many(
      mostValues / 22 - 20,
      (at) =>
        `{"role":"assistant","content":null,"tool_calls":[{"id":"c${at}","type":"function","function":{"name":"f","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c${at}","content":"x"}`,
    )}]`,
  'objects of one name each, all different': () =>
    `[${message(`[${many(mostValues / 4 - 20, (at) => `{"k${at}":1}`)}]`)}]`,
  'a text of base64': () => `[${message(`"${fill('QUJD')}"`)}]`,
  'a text of escapes': () => `[${message(`"${fill('\\u00e4')}"`)}]`,
  'a text of line feeds': () => `[${message(`"${fill('\\n')}"`)}]`,
  'a text beyond ASCII': () => `[${message(`"${fill('中')}"`)}]`,
  blanks: () => `[${fill(' ')}]`,
}

const tools: Record<string, () => string> = {
  'tools of many names': () =>
    `[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{${many(mostValues / 6 - 20, (at) => `"k${at}":{"type":"string"}`)}}}}}]`,
}

const doors = [
  { name: 'chat', path: '/v1/chat/completions', field: 'messages' },
  { name: 'messages', path: '/v1/messages', field: 'messages' },
  { name: 'responses', path: '/v1/responses', field: 'input' },
]
const backends = () => ({
  openai: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: key },
  anthropic: { kind: 'anthropic', baseUrl: anthropic.url, apiKey: key },
  text: { kind: 'openai', baseUrl: `${openai.url}/v1`, apiKey: key, tools: 'text' },
})
const models = ['openai/gpt-demo', 'anthropic/claude-demo', 'text/gpt-demo']

const post = async (url: string, body: string) => {
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  await response.text()
  return response.status
}

describe.each(doors)('at the door of $name', ({ path, field }) => {
  it.each([
    ...Object.entries(shapes).map(([name, make]) => ({ name, make, tool: false })),
    ...Object.entries(tools).map(([name, make]) => ({ name, make, tool: true })),
  ])('$name', async ({ name, make, tool }) => {
    const value = make()
    const bodyFor = (model: string) =>
      `{"model":"${model}","max_tokens":10,${tool ? `"tools":${value},"${field}":[${message('"hi"')}]` : `"${field}":${value}`}}`
    const measured = await overload(
      { config: { backends: backends() }, allowedBytes: 1024 * MiB },
      async ({ url }) => {
        const statuses: number[] = []
        for (const model of models) statuses.push(await post(url + path, bodyFor(model)))
        return statuses
      },
    )
    report(`${path} ${name} ${measured.result}`, measured)
    expect(measured.result).not.toContain(413)
    expect(measured.result).not.toContain(500)
    expectHeld(measured, 1024 * MiB)
  })
})

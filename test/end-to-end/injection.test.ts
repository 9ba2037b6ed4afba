// Names that mean something to JavaScript, and line breaks where headers and event streams end. Both ways: from the
// client, and from the upstream.

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { ChatStream } from '../chat-stream.ts'
import {
  answered,
  type Bench,
  type Body,
  called,
  chat,
  chatStream,
  post,
  readTool,
  startBench,
  user,
} from '../harness.ts'
import { anthropicAnswer, callDelta, chatAnswer, chunk, done } from '../wire-cases/frames.ts'
import { watchProcess } from './wire.ts'

let bench: Bench
const watch = watchProcess()
const models = ['openai/gpt-demo', 'anthropic/claude-demo']

beforeAll(async () => {
  bench = await startBench({ openai: { lenient: true } })
})
afterAll(async () => {
  await bench.close()
  watch.stop()
  expect(watch.stray).toEqual([])
})
afterEach(() => {
  bench.anthropic.clear()
  bench.openai.clear()
})

const tool = (name: string, parameters: unknown = { type: 'object', properties: {} }) => ({
  type: 'function',
  function: { name, parameters },
})

describe.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'])(
  'the name %s',
  (name) => {
    it.each(models)('%s: as a tool, an id and a property', async (model) => {
      const body: Body = {
        model,
        messages: [
          user('x'),
          { role: 'assistant', tool_calls: [called(name, name, `{"${name}":{"${name}":1}}`)] },
          answered(name, 'done'),
          user('again'),
        ],
        tools: [
          tool(
            name,
            JSON.parse(`{"type":"object","properties":{"${name}":{"type":"string"}},"required":["${name}"]}`),
          ),
        ],
      }
      const upstream = model.startsWith('openai') ? bench.openai : bench.anthropic
      upstream.play([{ call: { name, arguments: `{"${name}":"x"}`, id: name } }])
      const answer = await chatStream(bench.url, body)
      expect(answer.status).toBe(200)
      expect(answer.problems).toEqual([])
      expect(answer.calls[0]).toMatchObject({ id: name, name, arguments: `{"${name}":"x"}` })
      const sent = upstream.requests.at(-1)?.bodyText ?? ''
      expect(sent).toContain(`"properties":{"${name}":{"type":"string"}}`)
      expect(sent).toMatch(new RegExp(`\\\\?"${name}\\\\?":\\{\\\\?"${name}\\\\?":1\\}`))
    })

    it.each(models)('%s: as a choice and as a model', async (model) => {
      const backend = model.split('/')[0]
      const chosen = { type: 'function', function: { name } }
      const messages = [user('x')]
      const missing = await post(bench.url, { model, messages, tools: [readTool], tool_choice: chosen })
      expect(missing.status).toBe(400)
      expect((await post(bench.url, { model: `${backend}/${name}`, messages })).status).toBe(200)
      expect((await post(bench.url, { model: name, messages })).status).toBe(404)
      expect((await post(bench.url, { model: `${name}/${name}`, messages })).status).toBe(404)
    })

    it('as a field of the body pollutes nothing', async () => {
      const text = `{"model":"openai/gpt-demo","messages":[{"role":"user","content":"x","${name}":{"polluted":1}}],"${name}":{"polluted":1}}`
      expect((await post(bench.url, text)).status).toBe(200)
      expect(({} as Body).polluted).toBeUndefined()
    })

    it('as an error type, a finish reason, a part or a role from upstream', async () => {
      bench.openai.play([{ status: 400, body: { error: { message: 'no', type: name, code: name } } }])
      expect((await chat(bench.url, { model: models[0], messages: [user('x')] })).status).toBe(400)
      bench.anthropic.play([{ status: 400, body: { type: 'error', error: { type: name, message: 'no' } } }])
      expect((await chat(bench.url, { model: models[1], messages: [user('x')] })).status).toBe(400)
      bench.openai.play([chatAnswer({ content: 'x' }, name)])
      const answer = await chat(bench.url, { model: models[0], messages: [user('x')] })
      expect(answer.json.choices[0].finish_reason).toBe('stop')
      bench.anthropic.play([anthropicAnswer([{ type: name }, { type: 'text', text: 'x' }], name)])
      const other = await chat(bench.url, { model: models[1], messages: [user('x')] })
      expect(other.json.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'x' } })
    })
  },
)

const breaks = [
  '\r\n',
  '\n',
  '\r',
  '\0',
  '\u2028',
  '\u0085',
  '\n\ndata: [DONE]\n\n',
  '\r\nx-injected: yes\r\n\r\n',
]

/** Nothing but our own lines, and one object a line. */
function expectClean(answer: ChatStream): void {
  expect(answer.problems).toEqual([])
  expect(answer.raw).not.toMatch(/\r|\0/)
  expect([...answer.headers.keys()].filter((name) => name.includes('inject'))).toEqual([])
}

describe.each(breaks)('the line break %j', (evil) => {
  it('in the model', async () => {
    const name = `gpt${evil}demo`
    const answer = await chatStream(bench.url, { model: `openai/${name}`, messages: [user('x')] })
    expect(answer.status).toBe(200)
    expectClean(answer)
    expect(answer.chunks[0].model).toBe(`openai/${name}`)
    expect((await post(bench.url, { model: name, messages: [user('x')] })).status).toBe(404)
    for (const line of bench.logs) expect(line.slice(0, -1)).not.toMatch(/[\r\n\0]/)
  })

  it.each(models)(
    '%s: in tool names, types, ids and roles, which come back in notes and errors',
    async (model) => {
      const name = `re${evil}ad`
      const answer = await chatStream(bench.url, {
        model,
        messages: [
          user('x'),
          { role: 'assistant', tool_calls: [called(`a${evil}`, name, '{}')] },
          answered(`b${evil}`, 'x'),
          user('y'),
        ],
        tools: [tool(name), { type: `web${evil}search` }],
      })
      expect(answer.status).toBeLessThan(500)
      if (answer.status === 200) expectClean(answer)
      expect(answer.headers.get('x-dragoman-notes') ?? '').toMatch(/^[\x20-\x7e]*$/)
      expect((await post(bench.url, { model, messages: [{ role: `x${evil}` }] })).status).toBe(400)
    },
  )

  it('in ids, names, texts and reasons from upstream', async () => {
    bench.openai.play([
      chunk({ role: 'assistant', content: `a${evil}b`, reasoning_content: evil }),
      callDelta({
        index: 0,
        id: `id${evil}`,
        type: 'function',
        function: { name: `read${evil}`, arguments: '{}' },
      }),
      chunk({}, `end${evil}`),
      done,
    ])
    const answer = await chatStream(bench.url, { model: models[0], messages: [user('x')], tools: [readTool] })
    expectClean(answer)
    expect(answer.text).toBe(`a${evil}b`)
    expect(answer.calls[0]).toMatchObject({ id: `id${evil}`, name: `read${evil}` })
  })

  it('in an upstream error, before and after the first token', async () => {
    const error = { message: `no${evil}way`, type: `t${evil}`, code: `c${evil}`, param: `p${evil}` }
    bench.openai.play([{ status: 400, headers: { 'retry-after': '1' }, body: { error } }])
    const early = await post(bench.url, { model: models[0], messages: [user('x')] })
    expect(early.status).toBe(400)
    expect(((await early.json()) as { error: Body }).error.message).toContain(`no${evil}way`)
    bench.openai.play([chunk({ role: 'assistant', content: 'x' }), { wait: 5 }, { frame: { error } }, done])
    const late = await chatStream(bench.url, { model: models[0], messages: [user('x')] })
    expectClean(late)
    expect(late.error.message).toContain(`no${evil}way`)
  })
})

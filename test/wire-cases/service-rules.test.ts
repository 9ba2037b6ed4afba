// T23: rules of single services. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import { DOCUMENTED } from '../../sim/anthropic/models.ts'
import { isNightly } from '../depth.ts'
import { answered, ask, type Body, called, chat, chatStream, readTool, startBench, user } from '../harness.ts'
import { callDelta, chatAnswer, chunk, done } from './frames.ts'
import { accepted, bench, sent, useRequestBench } from './request-bench.ts'

useRequestBench()

describe('T23: rules of single services', () => {
  it('forced tool_choice beside manual thinking: thinking is dropped, with a note', async () => {
    const { upstream, notes } = await accepted('anthropic/claude-sonnet-4-5', {
      reasoning_effort: 'high',
      tool_choice: 'required',
    })
    expect([upstream.thinking, upstream.tool_choice]).toEqual([undefined, { type: 'any' }])
    expect(notes).toContain('thinking is off')
  })

  it('forced tool_choice on models that refuse it: asked for in words, with a note', async () => {
    const choice = { type: 'function', function: { name: 'read' } }
    const { upstream, notes } = await accepted('anthropic/claude-opus-5-5', { tool_choice: choice })
    expect(upstream.tool_choice).toEqual({ type: 'auto' })
    expect(upstream.system).toBeUndefined()
    expect(JSON.stringify(upstream.messages.at(-1))).toContain('calling the tool read')
    expect(notes).toContain('cannot be forced')
  })

  it('forced tool_choice on Qwen and DeepSeek while they think: lowered to auto, with a note', async () => {
    for (const model of ['openai/deepseek-reasoner', 'openai/qwen3-235b-thinking']) {
      const answer = await chat(bench.url, ask(model, { tool_choice: 'required' }))
      expect(sent(bench.openai).tool_choice).toBe('auto')
      expect(answer.headers.get('x-dragoman-notes')).toContain('lowered to auto')
    }
    await chat(bench.url, ask('openai/gpt-demo', { tool_choice: 'required' }))
    expect(sent(bench.openai).tool_choice).toBe('required')
  })

  it('reasoning_content that the service requires is replayed; a space replaces it if it is unknown', async () => {
    const strict = await startBench({ openai: { requiresReasoning: true, lenient: true } })
    const model = 'openai/kimi-k2-thinking'
    strict.openai.play([
      { think: 'I should read a.' },
      { call: { name: 'read', arguments: { path: 'a' }, id: 'call_1' } },
    ])
    const first = await chatStream(strict.url, ask(model))
    expect(first.reasoning).toBe('I should read a.')
    const messages = [
      user('hello'),
      { role: 'assistant', content: null, tool_calls: [called('call_1', 'read', { path: 'a' })] },
      answered('call_1', 'A'),
    ]
    const second = await chatStream(strict.url, ask(model, { messages }))
    expect([second.status, second.problems]).toEqual([200, []])
    expect(sent(strict.openai).messages[1].reasoning_content).toBe('I should read a.')
    const unknown = [
      user('hello'),
      { role: 'assistant', content: null, tool_calls: [called('call_9', 'read', {})] },
      answered('call_9', 'A'),
    ]
    expect((await chat(strict.url, ask(model, { messages: unknown }))).status).toBe(200)
    expect(sent(strict.openai).messages[1].reasoning_content).toBe(' ')
    await strict.close()
  })

  it('ids that repeat in every turn (Kimi K3) do not mix up the reasoning, which is sent back in its own field', async () => {
    const other = await startBench({ openai: { quirks: ['reasoning'], lenient: true } })
    const model = 'openai/kimi-k3'
    const turn = (path: string) => [
      { role: 'assistant', content: null, tool_calls: [called('read:0', 'read', { path })] },
      answered('read:0', path),
    ]
    const messages: Body[] = [user('hello')]
    for (const path of ['a', 'b']) {
      other.openai.play([
        { think: `I should read ${path}.` },
        { call: { name: 'read', arguments: { path }, id: 'read:0' } },
      ])
      await chatStream(other.url, ask(model, { messages }))
      messages.push(...turn(path))
    }
    await chatStream(other.url, ask(model, { messages }))
    const known = sent(other.openai).messages.flatMap((message: Body) => message.reasoning ?? [])
    expect(known).toEqual(['I should read a.', 'I should read b.'])
    await other.close()
  })

  it('thinking of one key is not sent for another', async () => {
    const keys = ['one', 'two'].map((name) => ({ name, key: `key-of-${name}` }))
    const strict = await startBench({
      openai: { requiresReasoning: true, lenient: true },
      gateway: { keys },
    })
    const as = (name: string, body: Body) =>
      fetch(`${strict.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer key-of-${name}` },
        body: JSON.stringify(body),
      }).then((answer) => answer.text())
    const model = 'openai/kimi-k2-thinking'
    strict.openai.play([
      { think: 'A secret.' },
      { call: { name: 'read', arguments: { path: 'a' }, id: 'functions.read:0' } },
    ])
    await as('one', ask(model))
    const messages = [
      user('hello'),
      { role: 'assistant', content: null, tool_calls: [called('functions.read:0', 'read', { path: 'a' })] },
      answered('functions.read:0', 'A'),
    ]
    const reasoning = () => sent(strict.openai).messages[1].reasoning_content
    await as('two', ask(model, { messages }))
    expect(reasoning()).toBe(' ')
    await as('one', ask(model, { messages }))
    expect(reasoning()).toBe('A secret.')
    await strict.close()
  })

  it('half a character, where a client cut its text, does not reach the upstream', async () => {
    for (const model of ['anthropic/claude-demo', 'openai/gpt-demo']) {
      const { upstream } = await accepted(model, { messages: [user('cut \ud83d'), user('\\ud83d 🙂')] })
      const text = JSON.stringify(upstream.messages)
      expect(text).toContain('cut \ufffd')
      expect(text).toContain('\\\\ud83d 🙂')
    }
  })

  it.each([true, false])('opaque signatures are sent back to the service (stream %s)', async (stream) => {
    const lenient = await startBench({ openai: { lenient: true } })
    const model = 'openai/google/gemini-3-pro'
    const proof = { google: { thought_signature: 'c2ln' } }
    const details = [{ type: 'reasoning.encrypted', data: 'b3BhcXVl' }]
    const call = { ...called('call_1', 'read', { path: 'a' }), extra_content: proof }
    const delta = { index: 0, ...call }
    lenient.openai.play(
      stream
        ? [chunk({ reasoning_details: details }), callDelta(delta), chunk({}, 'tool_calls'), done]
        : [chatAnswer({ tool_calls: [call], reasoning_details: details }, 'tool_calls')],
    )
    await (stream ? chatStream : chat)(lenient.url, ask(model))
    const messages = [
      user('hello'),
      { role: 'assistant', content: null, tool_calls: [called('call_1', 'read', '{ "path": "a" }')] },
      answered('call_1', 'A'),
    ]
    await chat(lenient.url, ask(model, { messages }))
    const [, assistant] = sent(lenient.openai).messages
    expect(assistant.reasoning_details).toEqual(details)
    expect(assistant.tool_calls[0].extra_content).toEqual(proof)
    await lenient.close()
  })

  it('models without sampling parameters do not get them, with a note', async () => {
    const { upstream, notes } = await accepted('anthropic/claude-opus-4-7', { temperature: 0.3, top_p: 0.5 })
    expect([upstream.temperature, upstream.top_p]).toEqual([undefined, undefined])
    expect(notes).toContain('temperature')
    expect((await accepted('anthropic/claude-sonnet-4-5', { temperature: 1.7 })).upstream.temperature).toBe(1)
  })

  it('the token limit of OpenAI reasoning models goes out under the name they take', async () => {
    for (const model of ['openai/gpt-5', 'openai/o4-mini']) {
      const { upstream, notes } = await accepted(model, { max_tokens: 500, temperature: 0.5, top_p: 1 })
      expect([upstream.max_tokens, upstream.max_completion_tokens, upstream.temperature]).toEqual([
        undefined,
        500,
        undefined,
      ])
      expect(notes).toContain('temperature left out')
      expect(notes).toContain('max_completion_tokens')
    }
    expect((await accepted('openai/gpt-4o', { max_tokens: 500 })).upstream.max_tokens).toBe(500)
  })

  it('a prefilled answer on models that refuse it', async () => {
    const { notes } = await accepted('anthropic/claude-opus-4-6', {
      messages: [user('go'), { role: 'assistant', content: 'The answer is ' }],
    })
    expect(notes).toContain('prefilled')
    await accepted('anthropic/claude-sonnet-4-5', {
      messages: [user('go'), { role: 'assistant', content: 'The answer is ' }],
    })
  })

  it.runIf(isNightly)('every model generation takes the same Chat request', async () => {
    for (const name of DOCUMENTED) {
      for (const reasoning_effort of ['none', 'minimal', 'low', 'high', 'xhigh', 'max', undefined]) {
        await accepted(`anthropic/${name}`, {
          reasoning_effort,
          temperature: 0.7,
          top_p: 0.9,
          max_tokens: 200_000,
          parallel_tool_calls: false,
          stop: ['END', ' '],
          user: 'someone@example.com',
          response_format: {
            type: 'json_schema',
            json_schema: {
              name: 'x',
              schema: { type: 'object', properties: { n: { type: 'integer', minimum: 1 } } },
            },
          },
          tools: [readTool, { type: 'function', function: { name: 'mcp.server/tool name', strict: true } }],
        })
      }
    }
  })
})

// T20 to T22: what clients send, and how it must look to an upstream. The simulators refuse what the services refuse.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { answered, ask, type Body, called, chat, chatStream, user } from '../harness.ts'
import { accepted, bench, twoCalls, useRequestBench } from './request-bench.ts'

useRequestBench()

describe('T20: tool results in every order', () => {
  it('several tool messages and a user message become one user turn, results first', async () => {
    const { upstream } = await accepted('anthropic/claude-demo', {
      messages: [user('go'), twoCalls, answered('c2', 'B'), answered('c1', 'A'), user('and now?')],
    })
    expect(upstream.messages).toHaveLength(3)
    expect(upstream.messages[2].content.map((block: Body) => block.type)).toEqual([
      'tool_result',
      'tool_result',
      'text',
    ])
  })

  it('text between the results moves after them', async () => {
    const { upstream, notes } = await accepted('anthropic/claude-demo', {
      messages: [user('go'), twoCalls, answered('c1', 'A'), user('hurry'), answered('c2', 'B')],
    })
    expect(upstream.messages[2].content.map((block: Body) => block.type)).toEqual([
      'tool_result',
      'tool_result',
      'text',
    ])
    expect(notes).toContain('moved up')
  })

  it('a missing result is answered with an error, for both upstreams', async () => {
    const messages = [user('go'), twoCalls, answered('c1', 'A'), user('next')]
    const { upstream, notes } = await accepted('anthropic/claude-demo', { messages })
    expect(upstream.messages[2].content[1]).toMatchObject({
      type: 'tool_result',
      tool_use_id: 'c2',
      is_error: true,
    })
    expect(notes).toContain('without a result')
    const other = await accepted('openai/gpt-demo', { messages })
    expect(other.upstream.messages.filter((message: Body) => message.role === 'tool')).toHaveLength(2)
  })

  it('orphan results become text, duplicates keep the last, for both upstreams', async () => {
    const messages = [
      answered('lost', 'old news'),
      user('go'),
      twoCalls,
      answered('c1', 'A'),
      answered('c1', 'A again'),
      answered('c2', 'B'),
      answered('zz', 'stray'),
    ]
    const { upstream } = await accepted('anthropic/claude-demo', { messages })
    const text = JSON.stringify(upstream.messages)
    expect(text).toContain('old news')
    expect(text).toContain('stray')
    expect(text).not.toContain('"A"')
    await accepted('openai/gpt-demo', { messages })
  })

  it('calls whose results never came, at the very end', async () => {
    await accepted('anthropic/claude-demo', { messages: [user('go'), twoCalls] })
    await accepted('openai/gpt-demo', { messages: [user('go'), twoCalls] })
  })

  it('a history with calls but no tools is accepted', async () => {
    const { upstream } = await accepted('anthropic/claude-demo', {
      tools: undefined,
      messages: [user('go'), twoCalls, answered('c1', 'A'), answered('c2', 'B')],
    })
    expect(upstream.tools.map((tool: Body) => tool.name)).toEqual(['read'])
    expect(upstream.tool_choice).toEqual({ type: 'none' })
  })
})

describe('T21: ids that the upstream does not take', () => {
  const strange = (id: string) => [
    user('go'),
    { role: 'assistant', tool_calls: [called(id, 'read', { path: 'a' })] },
    answered(id, 'A'),
  ]

  it('are mapped the same way on call and result, never two to one', async () => {
    const ids = [
      'functions.Bash:0',
      'functions_Bash_0',
      'functions.Bash_0',
      'ü',
      'x'.repeat(100),
      `${'x'.repeat(99)}y`,
    ]
    const mapped = new Set<string>()
    for (const id of ids) {
      const { upstream } = await accepted('anthropic/claude-demo', { messages: strange(id) })
      const call = upstream.messages[1].content[0]
      expect(call.id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(upstream.messages[2].content[0].tool_use_id).toBe(call.id)
      mapped.add(call.id)
    }
    expect(mapped.size).toBe(ids.length)
  })

  it('are not changed if they are valid', async () => {
    const { upstream } = await accepted('anthropic/claude-demo', { messages: strange('call_AbC-123_x') })
    expect(upstream.messages[1].content[0].id).toBe('call_AbC-123_x')
  })

  it('may be used again in a later turn', async () => {
    const { upstream } = await accepted('anthropic/claude-demo', {
      messages: [...strange('call_0'), ...strange('call_0')],
    })
    const ids = upstream.messages.flatMap((message: { content: Body[] }) =>
      message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : [])),
    )
    expect(ids).toEqual(['call_0', 'call_0_2'])
  })
})

describe('T22: signed thinking that a Chat client cannot carry', () => {
  const model = 'anthropic/claude-sonnet-4-5'
  const effort = { reasoning_effort: 'medium' }

  /** First turn: the simulator thinks, signs, and calls. Returns the client's next request. */
  async function firstTurn(steps: Step[], stream: boolean): Promise<Body[]> {
    bench.anthropic.play(steps)
    const request = ask(model, effort)
    const calls = stream
      ? (await chatStream(bench.url, request)).calls.map((call) => called(call.id, call.name, call.arguments))
      : (await chat(bench.url, request)).json.choices[0].message.tool_calls
    return [
      user('hello'),
      { role: 'assistant', content: null, tool_calls: calls },
      ...calls.map((call: { id: string }) => answered(call.id, 'A')),
    ]
  }

  const call: Step = { call: { name: 'read', arguments: { path: 'a' } } }

  it.each([true, false])('is kept and replayed byte for byte (stream %s)', async (stream) => {
    const messages = await firstTurn([{ think: 'Let me see – "a".' }, call], stream)
    const { upstream } = await accepted(model, { ...effort, messages })
    const [thinking, use] = upstream.messages[1].content
    expect(thinking).toMatchObject({ type: 'thinking', thinking: 'Let me see – "a".' })
    expect(use.type).toBe('tool_use')
    expect(upstream.thinking.type).toBe('enabled')
  })

  it.each([true, false])(
    'empty thinking with a signature and redacted blocks are replayed too, in order (stream %s)',
    async (stream) => {
      const messages = await firstTurn(
        [{ think: '' }, { redacted: 'b3BhcXVl' }, { think: 'more' }, call, call],
        stream,
      )
      const { upstream } = await accepted(model, { ...effort, messages })
      expect(upstream.messages[1].content.map((block: Body) => block.type)).toEqual([
        'thinking',
        'redacted_thinking',
        'thinking',
        'tool_use',
        'tool_use',
      ])
      expect(upstream.messages[1].content[0].thinking).toBe('')
      expect(upstream.messages[1].content[1].data).toBe('b3BhcXVl')
    },
  )

  it('unknown thinking turns thinking off for the turn, with a note', async () => {
    const messages = [
      user('hello'),
      { role: 'assistant', tool_calls: [called('toolu_unknown', 'read', { path: 'a' })] },
      answered('toolu_unknown', 'A'),
    ]
    const { upstream, notes } = await accepted(model, { ...effort, messages })
    expect(upstream.thinking).toBeUndefined()
    expect(notes).toContain('thinking is off for this turn')
  })

  it('is never replayed to another model', async () => {
    const messages = await firstTurn([{ think: 'secret' }, call], true)
    const { upstream } = await accepted('anthropic/claude-opus-4-5', { ...effort, messages })
    expect(JSON.stringify(upstream.messages)).not.toContain('secret')
  })
})

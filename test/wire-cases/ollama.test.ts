// The wire cases of the Ollama door (docs/wire-cases.md): what readers of its lines in Python, Rust and JavaScript fail at.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { isNightly } from '../depth.ts'
import { type Body, useBench } from '../harness.ts'
import { readOllamaStream } from '../ollama-stream.ts'

const bench = useBench({ gateway: { keepAliveMs: 40 }, clouds: isNightly })

const backends = [
  { name: 'openai', model: 'openai/gpt-demo' },
  { name: 'anthropic', model: 'anthropic/claude-demo' },
  { name: 'gemini', model: 'gemini/gemini-3.8-flash' },
  ...(isNightly ? (['bedrock', 'vertex'] as const) : []).map((name) => ({
    name,
    model: `${name}/claude-demo`,
  })),
] as const
const [openai] = backends

const parameters = { type: 'object', properties: { path: { type: 'string' } } }
const tools = ['read', 'write'].map((name) => ({ type: 'function', function: { name, parameters } }))
const hello = { role: 'user', content: 'hello' }
const call = (path: string, id?: string): Step => ({
  call: { name: 'read', arguments: { path }, ...(id ? { id } : {}) },
})

const post = (body: Body): Promise<Response> =>
  fetch(`${bench.url}/api/chat`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [hello], tools, ...body }),
  })

describe.each(backends)('the Ollama door, on $name', ({ name, model }) => {
  it('T110: a silent stream is kept open by lines of the dialect that say nothing', async () => {
    bench[name].play([{ wait: 200 }, { say: 'at last' }])
    const answer = await post({ model })
    const text = await answer.text()
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(lines[0]).toEqual({
      ...{ model, created_at: expect.any(String), done: false },
      message: { role: 'assistant', content: '' },
    })
    expect(lines.filter(({ done }) => done)).toHaveLength(1)
    expect(text).not.toMatch(/^(?::|data:|event:)/m)
    const headers = { 'content-type': 'application/x-ndjson' }
    expect(await readOllamaStream(new Response(text, { headers }))).toMatchObject({
      ...{ text: 'at last', problems: [], doneReason: 'stop' },
    })
  })

  it.each([true, false])(
    'T111: no call is lost, each has its id and place (streamed: %s)',
    async (stream) => {
      bench[name].play([{ say: 'Reading.' }, call('a'), call('b'), call('c')])
      const answer = await post({ model, stream })
      const inputs = ['a', 'b', 'c'].map((path) => ({ path }))
      if (stream) {
        // The reader refuses a line with two calls, a call beside text, and numbers that are out of order.
        const { text, calls, doneReason, problems } = await readOllamaStream(answer)
        expect([text, calls.map(({ input }) => input), doneReason, problems]).toEqual([
          'Reading.',
          inputs,
          'stop',
          [],
        ])
        return expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
      }
      const { message, done_reason } = JSON.parse(await answer.text())
      const calls = message.tool_calls as { id: string; function: { index: number; arguments: unknown } }[]
      expect([message.content, done_reason]).toEqual(['Reading.', 'stop'])
      expect(calls.map((one) => [one.function.index, one.function.arguments])).toEqual([...inputs.entries()])
      expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
    },
  )

  it('T112: a stream that breaks off ends with the error, and with no line that is done', async () => {
    bench[name].play([{ say: 'half' }, { wait: 20 }, { fault: 'reset' }])
    const { text, error, doneReason, problems, last } = await readOllamaStream(await post({ model }))
    expect([text, doneReason, problems, Object.keys(last)]).toEqual(['half', undefined, [], ['error']])
    expect(error).toContain(name)
  })

  it.each([true, false])(
    'T112: an error before the answer has a status and a text (streamed: %s)',
    async (stream) => {
      bench[name].play([{ fault: 'reset' }])
      const answer = await post({ model, stream })
      expect(answer.status).toBeGreaterThanOrEqual(500)
      expect(await answer.json()).toEqual({ error: expect.stringContaining(name) })
    },
  )

  it.each([true, false])(
    'T113: a call that is cut off is none, and the end says so (streamed: %s)',
    async (stream) => {
      const cut: Step = { call: { name: 'write', arguments: '{"path":"b","content":"hal', id: 'call_2' } }
      const end: Step = { end: name === 'openai' || name === 'gemini' ? 'length' : 'max_tokens' }
      // A whole answer of Anthropic's cannot hold half a call.
      bench[name].play(stream ? [call('a', 'call_1'), cut, end] : [call('a', 'call_1'), end])
      const answer = await post({ model, stream })
      const text = await answer.clone().text()
      expect(text).not.toContain('hal')
      if (!stream) return expect(JSON.parse(text).done_reason).toBe('length')
      const { calls, doneReason, problems } = await readOllamaStream(answer)
      expect([calls.map(({ input }) => input), doneReason, problems]).toEqual([[{ path: 'a' }], 'length', []])
    },
  )
})

describe('T114: results that do not name their call', () => {
  const made = ['a', 'b'].map((path) => ({ function: { name: 'read', arguments: { path } } }))
  const written = { function: { name: 'write', arguments: { path: 'c' } } }
  const said = { role: 'assistant', content: '', tool_calls: [...made, written] }
  const sent = () => bench.openai.requests.at(-1)?.body as { messages: Record<string, unknown>[] }
  const resultsOf = async (results: Body[]) => {
    bench.openai.play([{ say: 'done' }])
    const answer = await post({
      ...{ model: openai.model, stream: false },
      messages: [hello, said, ...results],
    })
    expect(answer.status).toBe(200)
    const { messages } = sent()
    const [{ tool_calls }] = messages.filter((message) => message.tool_calls) as [
      { tool_calls: { id: string }[] },
    ]
    const ids = tool_calls.map(({ id }) => id)
    return ids.map((id) => messages.find((message) => message.tool_call_id === id)?.content)
  }

  it('belong to the first open call of their tool', async () => {
    const results = [
      { role: 'tool', tool_name: 'write', content: 'of c' },
      { role: 'tool', tool_name: 'read', content: 'of a' },
      { role: 'tool', tool_name: 'read', content: 'of b' },
    ]
    expect(await resultsOf(results)).toEqual(['of a', 'of b', 'of c'])
  })

  it('without a tool to the first open call', async () => {
    const results = ['of a', 'of b', 'of c'].map((content) => ({ role: 'tool', content }))
    expect(await resultsOf(results)).toEqual(['of a', 'of b', 'of c'])
  })
})

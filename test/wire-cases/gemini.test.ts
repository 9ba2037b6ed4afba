// The wire cases of the Gemini door (docs/wire-cases.md): what Gemini CLI and Google's SDKs fail at.

import { describe, expect, it } from 'vitest'
import { startAnthropicSim } from '../../sim/anthropic.ts'
import type { Step } from '../../sim/script.ts'
import { readGeminiStream } from '../gemini-stream.ts'
import { type Body, quickRetries, startGateway, useBench } from '../harness.ts'

const bench = useBench({ gateway: { keepAliveMs: 40, retryPolicy: { ...quickRetries, retries: 0 } } })
const functionDeclarations = [{ name: 'read', parametersJsonSchema: { type: 'object', properties: {} } }]
const hello = [{ role: 'user', parts: [{ text: 'hello' }] }]
const call = (path: string): Step => ({ call: { name: 'read', arguments: { path } } })

async function ask(model: string, more: Body = {}, { url = bench.url, headers = {} } = {}) {
  const answer = await fetch(`${url}/v1beta/models/${model}:streamGenerateContent?alt=sse`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ contents: hello, tools: [{ functionDeclarations }], ...more }),
  })
  return readGeminiStream(answer)
}

describe('the Gemini door', () => {
  it('T100: blank lines keep a silent stream open; no comment, event name or [DONE] is ever sent', async () => {
    bench.openai.play([{ wait: 200 }, { say: 'at last' }])
    const { raw, text, problems } = await ask('openai/gpt-demo')
    expect([text, problems]).toEqual(['at last', []])
    expect(raw).toMatch(/^\n+data: \{/)
    expect(raw).not.toMatch(/^(?::|event:|data: \[)/m)
  })

  it('T101: calls are whole, each with an id, and the turn ends with STOP', async () => {
    bench.openai.play([{ say: 'Reading.' }, call('a'), call('b')])
    const { calls, finishReason, problems } = await ask('openai/gpt-demo')
    expect([calls.map(({ input }) => input), finishReason, problems]).toEqual([
      [{ path: 'a' }, { path: 'b' }],
      'STOP',
      [],
    ])
  })

  it('T102: a broken stream ends with its error, as a frame and bare, and without a finishReason', async () => {
    bench.openai.play([{ say: 'half' }, { wait: 20 }, { fault: 'fin' }])
    const { raw, text, error, finishReason, problems } = await ask('openai/gpt-demo')
    expect([text, finishReason, problems]).toEqual(['half', undefined, []])
    expect(raw.endsWith(`\n\n${JSON.stringify({ error })}`)).toBe(true)
  })

  it('T103: signed thinking comes back in thoughtSignature, to a gateway that has never seen it', async () => {
    const sim = await startAnthropicSim()
    const backends = { claude: { kind: 'anthropic', baseUrl: sim.url, apiKey: 'k' } }
    const generationConfig = { thinkingConfig: { includeThoughts: true, thinkingLevel: 'HIGH' } }
    const once = async (contents: unknown) => {
      const { gateway, url } = await startGateway({ backends })
      try {
        return await ask('claude/claude-opus-4-5', { generationConfig, contents }, { url })
      } finally {
        await gateway.close()
      }
    }
    sim.play([{ think: 'hm' }, call('a')], [{ say: 'done' }])
    const { chunks, calls } = await once(hello)
    const parts = chunks
      .flatMap((chunk) => chunk.candidates[0].content.parts)
      .filter(({ thought }) => !thought)
    const result = { functionResponse: { id: calls[0]?.id, name: 'read', response: { output: 'A' } } }
    const { text } = await once([...hello, { role: 'model', parts }, { role: 'user', parts: [result] }])
    const sent = sim.requests.at(-1)?.bodyText ?? ''
    await sim.close()
    expect([text, sent.includes('"thinking":"hm"')]).toEqual(['done', true])
  })

  it('T104: results without ids go to their calls by name and order', async () => {
    bench.openai.play([{ say: 'done' }])
    const made = (path: string) => ({ functionCall: { name: 'read', args: { path } } })
    const result = (output: string) => ({ functionResponse: { name: 'read', response: { output } } })
    const contents = [
      ...hello,
      { role: 'model', parts: [made('a'), made('b')] },
      { role: 'user', parts: [result('A'), result('B')] },
    ]
    expect((await ask('openai/gpt-demo', { contents })).text).toBe('done')
    type Sent = { role: string; tool_call_id?: string; content: string; tool_calls?: { id: string }[] }
    const sent = bench.openai.requests.at(-1)?.body as { messages: Sent[] } | undefined
    const messages = sent?.messages ?? []
    const ids = messages.find(({ role }) => role === 'assistant')?.tool_calls?.map(({ id }) => id)
    const results = messages.filter(({ role }) => role === 'tool')
    expect(results.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
      [ids?.[0], 'A'],
      [ids?.[1], 'B'],
    ])
  })

  it('T105: a model that Gemini CLI asks by name is answered by the one that set-up chose', async () => {
    bench.openai.play([{ say: 'summed up' }])
    const headers = { 'x-dragoman-helper-model': 'openai/gpt-demo' }
    expect((await ask('gemini-3.5-flash-lite', {}, { headers })).text).toBe('summed up')
    expect((await ask('claude-opsu', {}, { headers })).error.code).toBe(404)
  })
})

// Compaction: the model sums up, the client keeps the sealed summary, and the gateway reads it again.

import { describe, expect, it } from 'vitest'
import { useBench } from '../harness.ts'
import { readResponsesStream } from '../responses-stream.ts'
import { eventProblems, itemProblems, responseProblems } from './required.ts'
import { schemaProblemsOfCompaction, schemaProblemsOfEvent } from './schema.ts'

const [one, two] = ['key-of-one-0123456789', 'key-of-two-0123456789'] as const
const bench = useBench({
  gateway: {
    keys: [
      { name: 'one', key: one },
      { name: 'two', key: two },
    ],
  },
})
const model = 'anthropic/claude-demo'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
type Json = any

const post = (path: string, body: object, key: string = one) =>
  fetch(`${bench.url}/v1/responses${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, ...body }),
  })

const conversation = [
  { role: 'developer', content: 'be brief' },
  { role: 'user', content: [{ type: 'input_text', text: 'We launch on Tuesday.' }] },
  { role: 'assistant', content: 'Understood.' },
  { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{"path":"a"}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'secret of the file' },
]

async function compacted(body: object = {}): Promise<Json> {
  bench.anthropic.play([{ think: 'hm' }, { say: 'SUMMARY: launch on Tuesday' }])
  const answer = await post('/compact', { input: conversation, ...body })
  expect(answer.status).toBe(200)
  return answer.json()
}

const lastBody = () => JSON.stringify(bench.anthropic.requests.at(-1)?.body)

describe('POST /v1/responses/compact', () => {
  it('answers with the messages that stay and the sealed summary', async () => {
    const compaction = await compacted({ prompt_cache_key: 'k' })
    expect(schemaProblemsOfCompaction(compaction)).toEqual([])
    expect(compaction.output.flatMap(itemProblems)).toEqual([])
    expect(compaction).toMatchObject({ object: 'response.compaction', id: expect.stringMatching(/^resp_/) })
    expect(compaction.output.map(({ type, role }: Json) => role ?? type)).toEqual([
      'developer',
      'user',
      'compaction',
    ])
    expect(compaction.usage.input_tokens).toBeGreaterThan(0)
    expect(JSON.stringify(compaction)).not.toContain('SUMMARY')
    // The model saw the whole conversation, and no tools.
    expect(lastBody()).toContain('secret of the file')
    expect(bench.anthropic.requests.at(-1)?.body).not.toHaveProperty('stream', true)
  })

  it('the summary is read again in its place', async () => {
    const { output } = await compacted()
    bench.anthropic.play([{ say: 'going on' }])
    const answer = await post('', { input: [...output, { role: 'user', content: 'and now?' }] })
    expect(((await answer.json()) as Json).status).toBe('completed')
    expect(lastBody()).toContain('SUMMARY: launch on Tuesday')
    expect(lastBody()).not.toContain('secret of the file')
  })

  it('a stored conversation is summed up by its id', async () => {
    bench.anthropic.play([{ say: 'noted' }])
    const { id } = (await (await post('', { input: 'the word is cobalt' })).json()) as Json
    const { output } = await compacted({ input: undefined, previous_response_id: id })
    expect(lastBody()).toContain('cobalt')
    expect(output.at(-1).type).toBe('compaction')
  })

  it.each([
    ['of another caller', (sealed: string) => sealed, two],
    ['that was changed', (sealed: string) => `${sealed.slice(0, -9)}AAAA${sealed.slice(-5)}`, one],
    ['that was cut', (sealed: string) => sealed.slice(0, 40), one],
    ['of another service', () => 'gAAAAABo0xyz', one],
    ['that is empty', () => '', one],
  ])('a summary %s is refused', async (_name, change, key) => {
    const { output } = await compacted()
    const item = { ...output.at(-1), encrypted_content: change(output.at(-1).encrypted_content) }
    const answer = await post('', { input: [item, { role: 'user', content: 'go on' }] }, key)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({
      error: { code: 'invalid_encrypted_content', param: 'input[0].encrypted_content' },
    })
    expect(bench.anthropic.requests).toHaveLength(1)
  })

  it('no model, no input, or a summary that is none: an error', async () => {
    for (const body of [{ model: undefined, input: 'x' }, {}, { input: [] }])
      expect((await post('/compact', body)).status).toBe(400)
    for (const steps of [[{ say: 'half' }, { end: 'length' }], [{ say: ' ' }]]) {
      bench.anthropic.play(steps)
      expect((await post('/compact', { input: 'hello' })).status).toBe(502)
    }
  })
})

describe('a compaction_trigger at the end of a create', () => {
  const asked = { input: [...conversation, { type: 'compaction_trigger' }] }

  it.each([true, false])('is answered by one compaction item (stream: %s)', async (stream) => {
    bench.anthropic.play([{ think: 'hm' }, { say: 'SUMMARY: Tuesday', pieces: 3 }])
    const answer = await post('', { ...asked, stream, store: false, tools: [] })
    const found = stream ? await readResponsesStream(answer) : undefined
    const response = (found?.response ?? (await answer.json())) as Json
    expect(
      found?.events.flatMap((event) => [...eventProblems(event), ...schemaProblemsOfEvent(event)]) ?? [],
    ).toEqual([])
    expect(responseProblems(response)).toEqual([])
    expect(response.output.map(({ type }: Json) => type)).toEqual(['compaction'])
    expect(JSON.stringify(response)).not.toContain('SUMMARY')
    bench.anthropic.play([{ say: 'going on' }])
    await post('', { input: [...response.output, { role: 'user', content: 'and now?' }] })
    expect(lastBody()).toContain('SUMMARY: Tuesday')
    expect(lastBody()).toContain('We launch on Tuesday.')
    expect(lastBody()).not.toContain('secret of the file')
  })

  it('a failed summary is a failed response, and a trigger elsewhere a bad request', async () => {
    bench.anthropic.play([{ say: 'half' }, { end: 'length' }])
    const stream = await readResponsesStream(await post('', { ...asked, stream: true }))
    expect(stream.response).toMatchObject({ status: 'failed', output: [] })
    const first = { input: [{ type: 'compaction_trigger' }, ...conversation] }
    expect((await post('', first)).status).toBe(400)
  })
})

// Each quirk on the wire.

import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { startOpenAISim } from '../openai.ts'
import type { Step } from '../script.ts'
import { QUIRKS, type Quirk } from './quirks.ts'
import { signatureOf } from './server-rules.ts'

const CALLS: Step[] = [
  { call: { name: 'read', arguments: { p: 1 }, id: 'call_1' }, pieces: 2 },
  { call: { name: 'now', arguments: {}, id: 'call_2' }, pieces: 2 },
]
const WORDS: Step[] = [
  { think: 'hm', pieces: 1 },
  { say: 'hi', pieces: 1 },
]

interface Chunk {
  choices?: { delta?: Delta; message?: Delta; finish_reason: string | null; usage?: object }[]
  usage?: object | null
  error?: object
}
interface Delta {
  content?: unknown
  tool_calls?: Record<string, unknown>[]
  [field: string]: unknown
}

async function ask(quirks: Quirk[], steps: Step[], more: object) {
  const sim = await startOpenAISim({ quirks })
  sim.play(steps)
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'x' }], ...more })
  const response = await fetch(`${sim.url}/v1/chat/completions`, { method: 'POST', body })
  const text = await response.text()
  await sim.close()
  return { status: response.status, text }
}

async function stream(quirk: Quirk, steps: Step[]) {
  const { text } = await ask([quirk], steps, { stream: true, stream_options: { include_usage: true } })
  const data = text.split('\n\n').filter((event) => event.startsWith('data: '))
  const chunks = data
    .filter((event) => event !== 'data: [DONE]')
    .map((event): Chunk => JSON.parse(event.slice(6)))
  const choices = chunks.flatMap((chunk) => chunk.choices ?? [])
  return {
    text,
    chunks,
    choices,
    calls: choices.flatMap(({ delta }) => delta?.tool_calls ?? []),
    finish: choices.map((choice) => choice.finish_reason).filter(Boolean),
    done: data.includes('data: [DONE]'),
  }
}

async function whole(quirk: Quirk, steps: Step[]) {
  const { text } = await ask([quirk], steps, {})
  const [choice] = (JSON.parse(text) as Chunk).choices ?? []
  return { message: choice?.message, finish: choice?.finish_reason }
}

async function refusal(quirk: Quirk) {
  const { status, text } = await ask([quirk], WORDS, { n: 0 })
  expect(status).toBe(400)
  return text
}

async function lacks(quirk: Quirk, member: string) {
  const { chunks } = await stream(quirk, WORDS)
  const { text } = await ask([quirk], WORDS, {})
  expect([...chunks, JSON.parse(text)].some((answer) => member in answer)).toBe(false)
}

async function varies(quirk: Quirk, member: string) {
  const chunks = (await stream(quirk, WORDS)).chunks as unknown as Record<string, unknown>[]
  expect(new Set(chunks.map((chunk) => chunk[member])).size).toBe(chunks.length)
}

const header = (index: number, id: string, name: string) => ({
  index,
  id,
  type: 'function',
  function: { name, arguments: '' },
})
const piece = (index: number, args: string) => ({ index, function: { arguments: args } })
const NORMAL = [
  header(0, 'call_1', 'read'),
  piece(0, '{"p'),
  piece(0, '":1}'),
  header(1, 'call_2', 'now'),
  piece(1, '{'),
  piece(1, '}'),
]

const TESTS: Record<Quirk, () => Promise<void>> = {
  'no-index': async () => {
    const { calls } = await stream('no-index', CALLS)
    expect(calls).toEqual(NORMAL.map(({ index: _, ...rest }) => rest))
  },
  'index-zero': async () => {
    const { calls } = await stream('index-zero', CALLS)
    expect(calls).toEqual(NORMAL.map((delta) => ({ ...delta, index: 0 })))
  },
  'late-name': async () => {
    const { calls } = await stream('late-name', CALLS.slice(0, 1))
    expect(calls).toEqual([
      { index: 0, id: 'call_1', type: 'function', function: { arguments: '' } },
      { index: 0, function: { name: 'read', arguments: '{"p' } },
      piece(0, '":1}'),
    ])
  },
  'repeat-name': async () => {
    const { calls } = await stream('repeat-name', CALLS.slice(0, 1))
    expect(calls[2]).toEqual({ index: 0, id: 'call_1', function: { name: 'read', arguments: '":1}' } })
  },
  'null-name': async () => {
    const { calls } = await stream('null-name', CALLS.slice(0, 1))
    expect(calls[1]).toEqual({ index: 0, function: { name: null, arguments: '{"p' } })
  },
  'empty-name': async () => {
    const { calls } = await stream('empty-name', CALLS.slice(0, 1))
    expect(calls[1]).toEqual({ index: 0, id: '', function: { name: '', arguments: '{"p' } })
  },
  'changing-call-id': async () => {
    const { calls } = await stream('changing-call-id', CALLS.slice(0, 1))
    expect(calls.map(({ id }) => id)).toEqual(['call_1', 'call_1_0', 'call_1_1'])
  },
  'index-from-one': async () => {
    const { calls } = await stream('index-from-one', CALLS)
    expect(calls.map(({ index }) => index)).toEqual([1, 1, 1, 2, 2, 2])
  },
  'no-type': async () => {
    expect((await stream('no-type', CALLS)).calls.some((call) => 'type' in call)).toBe(false)
    expect((await whole('no-type', CALLS)).message?.tool_calls?.some((call) => 'type' in call)).toBe(false)
  },
  'legacy-call': async () => {
    const { choices, calls, finish } = await stream('legacy-call', CALLS.slice(0, 1))
    expect([calls, finish]).toEqual([[], ['function_call']])
    expect(choices.flatMap(({ delta }) => delta?.function_call ?? [])).toEqual([
      { name: 'read', arguments: '' },
      { arguments: '{"p' },
      { arguments: '":1}' },
    ])
    const { message } = await whole('legacy-call', CALLS.slice(0, 1))
    expect(message?.function_call).toEqual({ name: 'read', arguments: '{"p":1}' })
  },
  'no-id': async () => {
    expect((await stream('no-id', CALLS)).calls.some((call) => 'id' in call)).toBe(false)
    expect((await whole('no-id', CALLS)).message?.tool_calls?.some((call) => 'id' in call)).toBe(false)
  },
  'stop-with-calls': async () => {
    const { calls, finish } = await stream('stop-with-calls', CALLS)
    expect([calls, finish]).toEqual([NORMAL, ['stop']])
    expect((await whole('stop-with-calls', CALLS)).finish).toBe('stop')
  },
  'tool-calls-without-calls': async () => {
    const { calls, finish } = await stream('tool-calls-without-calls', CALLS)
    expect([calls, finish]).toEqual([[], ['tool_calls']])
    expect(await whole('tool-calls-without-calls', CALLS)).toEqual({
      message: { role: 'assistant', content: null, refusal: null },
      finish: 'tool_calls',
    })
  },
  'concatenated-arguments': async () => {
    const { calls } = await stream('concatenated-arguments', CALLS)
    const args = calls.map((call) => (call.function as { arguments: string }).arguments).join('')
    expect([args, calls.every(({ index }) => index === 0)]).toEqual(['{"p":1}{}', true])
    expect((await whole('concatenated-arguments', CALLS)).message?.tool_calls).toHaveLength(1)
  },
  'object-arguments': async () => {
    const { calls } = await stream('object-arguments', CALLS)
    expect(calls[0]).toEqual({
      ...header(0, 'call_1', 'read'),
      function: { name: 'read', arguments: { p: 1 } },
    })
    const { message } = await whole('object-arguments', CALLS)
    expect(message?.tool_calls?.[0]).toMatchObject({
      id: 'call_1',
      function: { name: 'read', arguments: { p: 1 } },
    })
  },
  'empty-object-first': async () => {
    const { calls } = await stream('empty-object-first', CALLS.slice(0, 1))
    expect(calls.map((call) => (call.function as { arguments: string }).arguments).join('')).toBe('{}{"p":1}')
  },
  'empty-arguments': async () => {
    const { calls } = await stream('empty-arguments', CALLS)
    expect(calls).toEqual(NORMAL.slice(0, 4))
    expect((await whole('empty-arguments', CALLS)).message?.tool_calls?.[1]).toMatchObject({
      function: { arguments: '' },
    })
  },
  interleaved: async () => {
    const { calls } = await stream('interleaved', CALLS)
    expect(calls).toEqual([0, 3, 1, 4, 2, 5].map((position) => NORMAL[position]))
  },
  'foreign-finish': async () => {
    expect((await stream('foreign-finish', CALLS)).finish).toEqual(['tool_use'])
    expect((await whole('foreign-finish', WORDS)).finish).toBe('end_turn')
  },
  'text-after-end': async () => {
    const { choices } = await stream('text-after-end', WORDS)
    expect(choices.at(-2)?.finish_reason).toBe('stop')
    expect(choices.at(-1)?.delta).toEqual({ content: ' And more.' })
  },
  'no-done': async () => expect((await stream('no-done', CALLS)).done).toBe(false),
  'no-finish': async () => {
    const { finish, done, chunks } = await stream('no-finish', CALLS)
    expect([finish, done, chunks.at(-1)?.choices]).toEqual([[], true, []])
  },
  comments: async () => {
    const { text } = await stream('comments', WORDS)
    expect(text.startsWith(': OPENROUTER PROCESSING\n\ndata: ')).toBe(true)
  },
  'usage-every-chunk': async () => {
    const { chunks } = await stream('usage-every-chunk', WORDS)
    expect(chunks.every(({ usage, choices }) => usage && choices?.length === 1)).toBe(true)
  },
  'usage-with-finish': async () => {
    const { chunks } = await stream('usage-with-finish', WORDS)
    expect(chunks.filter(({ usage }) => usage)).toEqual([chunks.at(-1)])
    expect(chunks.at(-1)?.choices?.[0]?.finish_reason).toBe('stop')
  },
  'usage-in-choice': async () => {
    const { chunks, choices } = await stream('usage-in-choice', WORDS)
    expect(choices.at(-1)?.usage).toMatchObject({ prompt_tokens: expect.any(Number) })
    expect(chunks.some(({ usage }) => usage)).toBe(false)
  },
  'no-choices-usage': async () => {
    const { chunks } = await stream('no-choices-usage', WORDS)
    expect(chunks.at(-1)).not.toHaveProperty('choices')
    expect(chunks.at(-1)?.usage).toBeTruthy()
  },
  reasoning_content: async () => {
    const { choices } = await stream('reasoning_content', WORDS)
    expect(choices[1]?.delta).toEqual({ reasoning_content: 'hm' })
    expect((await whole('reasoning_content', WORDS)).message).toMatchObject({
      content: 'hi',
      reasoning_content: 'hm',
    })
  },
  reasoning: async () => {
    expect((await stream('reasoning', WORDS)).choices[1]?.delta).toEqual({ reasoning: 'hm' })
    expect((await whole('reasoning', WORDS)).message).toMatchObject({ content: 'hi', reasoning: 'hm' })
  },
  'think-tags': async () => {
    const { choices } = await stream('think-tags', WORDS)
    expect(choices.map(({ delta }) => delta?.content ?? '').join('')).toBe('<think>hm</think>\nhi')
    expect((await whole('think-tags', WORDS)).message?.content).toBe('<think>hm</think>\nhi')
  },
  'details-fragments': async () => {
    const block = { type: 'reasoning.text', format: 'anthropic-claude-v1', index: 0 }
    const signature = signatureOf('hmm')
    const steps: Step[] = [{ think: 'hmm', pieces: 2 }, ...CALLS]
    const { choices } = await stream('details-fragments', steps)
    const deltas = choices.flatMap(({ delta }): Delta[] => (delta ? [delta] : []))
    const details = deltas.flatMap(({ reasoning_details: fragments }) => fragments ?? [])
    expect(details).toEqual([
      { ...block, text: 'h', signature: null },
      { ...block, text: 'mm', signature: null },
      { ...block, signature },
    ])
    expect(deltas.findLastIndex((delta) => delta.tool_calls)).toBeLessThan(
      deltas.findLastIndex((delta) => delta.reasoning_details),
    )
    expect((await whole('details-fragments', steps)).message).toMatchObject({
      reasoning: 'hmm',
      reasoning_details: [{ ...block, text: 'hmm', signature }],
    })
  },
  'thought-signature': async () => {
    const proof = { google: { thought_signature: 'sig-call_1' } }
    const { calls } = await stream('thought-signature', CALLS)
    expect(calls.flatMap((call) => call.extra_content ?? [])).toEqual([proof])
    const [first, second] = (await whole('thought-signature', CALLS)).message?.tool_calls ?? []
    expect([first?.extra_content, second?.extra_content]).toEqual([proof, undefined])
  },
  'whole-calls': async () => {
    const { calls } = await stream('whole-calls', CALLS)
    expect(calls.map((call) => call.function)).toEqual([
      { name: 'read', arguments: '{"p":1}' },
      { name: 'now', arguments: '{}' },
    ])
  },
  'careless-calls': async () => {
    const { message } = await whole('careless-calls', [
      {
        call: { name: 'read_file', arguments: { path: 'a', limit: 5, all: true, tags: ['x'] }, id: 'call_1' },
      },
      { call: { name: 'Bash', arguments: {}, id: 'call_2' } },
    ])
    expect(message?.tool_calls?.map((call) => call.function)).toEqual([
      { name: 'ReadFile', arguments: '{"path":"a","limit":"5","all":"true","tags":"[\\"x\\"]"}' },
      { name: 'bash', arguments: '{}' },
    ])
  },
  'no-answer-id': () => lacks('no-answer-id', 'id'),
  'no-object': () => lacks('no-object', 'object'),
  'no-created': () => lacks('no-created', 'created'),
  'no-model': () => lacks('no-model', 'model'),
  'changing-answer-id': () => varies('changing-answer-id', 'id'),
  'changing-created': () => varies('changing-created', 'created'),
  'no-role': async () => {
    expect((await stream('no-role', WORDS)).choices.some(({ delta }) => delta?.role)).toBe(false)
    expect((await whole('no-role', WORDS)).message).not.toHaveProperty('role')
  },
  'repeat-role': async () => {
    const { choices } = await stream('repeat-role', WORDS)
    expect(choices.every(({ delta }) => delta?.role === 'assistant')).toBe(true)
  },
  'no-choice-index': async () => {
    const { choices } = await stream('no-choice-index', WORDS)
    expect(choices.some((choice) => 'index' in choice)).toBe(false)
  },
  'no-delta': async () => {
    const { choices } = await stream('no-delta', WORDS)
    expect(choices.map((choice) => 'delta' in choice)).toEqual([...choices.slice(1).map(() => true), false])
  },
  'message-beside-delta': async () => {
    const { choices } = await stream('message-beside-delta', WORDS)
    expect(choices.every(({ delta, message }) => delta && message?.role === 'assistant')).toBe(true)
  },
  'filter-results-first': async () => {
    const { chunks } = await stream('filter-results-first', WORDS)
    expect(chunks[0]).toMatchObject({ id: '', choices: [], prompt_filter_results: [{ prompt_index: 0 }] })
  },
  'not-streamed': async () => {
    const { text } = await ask(['not-streamed'], WORDS, { stream: true })
    expect(JSON.parse(text)).toMatchObject({ object: 'chat.completion' })
  },
  'error-array': async () => {
    expect(JSON.parse(await refusal('error-array'))).toEqual([
      { error: { code: 400, message: expect.any(String), status: 'INVALID_ARGUMENT' } },
    ])
  },
  'error-flat': async () => {
    expect(JSON.parse(await refusal('error-flat'))).toMatchObject({
      type: 'invalid_request_error',
      param: 'n',
    })
  },
  'error-text': async () => {
    expect(JSON.parse(await refusal('error-text'))).toEqual({ error: expect.any(String) })
  },
  'error-empty': async () => {
    expect(await refusal('error-empty')).toBe('')
  },
  'content-parts': async () => {
    const parts = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'hi' },
    ]
    const { choices } = await stream('content-parts', WORDS)
    expect(choices.slice(1, 3).map(({ delta }) => delta?.content)).toEqual(parts.map((part) => [part]))
    expect((await whole('content-parts', WORDS)).message?.content).toEqual(parts)
  },
  'message-in-stream': async () => {
    const { choices, finish, done } = await stream('message-in-stream', CALLS)
    expect(choices[0]?.message?.tool_calls).toMatchObject([{ id: 'call_1' }, { id: 'call_2' }])
    expect([choices[0]?.delta, finish, done]).toEqual([undefined, ['tool_calls'], true])
  },
  'error-in-200': async () => {
    const { chunks, done } = await stream('error-in-200', WORDS)
    expect([chunks, done]).toEqual([[{ error: { message: 'Provider returned error', code: 502 } }], true])
    const { status, text } = await ask(['error-in-200'], WORDS, {})
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { error: { message: 'Provider returned error', code: 502 } },
    ])
  },
}

it.each(Object.keys(QUIRKS) as Quirk[])('%s', (quirk) => TESTS[quirk]())

it('quirks can be combined', async () => {
  const { text } = await ask(['no-id', 'index-zero', 'stop-with-calls', 'no-done'], CALLS, { stream: true })
  expect(text).not.toMatch(/"id":"call|"index":1|\[DONE\]/)
  expect(text).toContain('"finish_reason":"stop"')
})

it('are all documented', async () => {
  const page = await readFile(new URL('../../docs/simulators.md', import.meta.url), 'utf8')
  for (const quirk of Object.keys(QUIRKS)) expect(page).toContain(`\`${quirk}\``)
})

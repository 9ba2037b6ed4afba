import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { sign } from './gemini/signature.ts'
import { startGeminiSim } from './gemini.ts'
import type { Sim } from './server.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
type Json = any

let sim: Sim
let older: Sim
beforeAll(async () => {
  sim = await startGeminiSim({ apiKey: 'key', contextTokens: 5_000 })
  older = await startGeminiSim({ hasCallIds: false })
})
afterAll(() => Promise.all([sim.close(), older.close()]))
afterEach(() => sim.clear())

const ask = async (
  body: unknown,
  {
    model = 'gemini-3.8-flash',
    verb = 'generateContent',
    key = 'key',
    of = sim,
  }: { model?: string; verb?: string; key?: string; of?: Sim } = {},
) => {
  const answer = await fetch(`${of.url}/v1beta/models/${model}:${verb}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key && { 'x-goog-api-key': key }) },
    body: JSON.stringify(body),
  })
  const text = await answer.text()
  return {
    status: answer.status,
    text,
    json: (text.startsWith('data:') ? undefined : JSON.parse(text)) as Json,
  }
}
const refusal = async (...args: Parameters<typeof ask>) => {
  const { status, json } = await ask(...args)
  return [status, json.error?.status, json.error?.message]
}

const user = (...parts: Json[]) => ({ role: 'user', parts })
const model = (...parts: Json[]) => ({ role: 'model', parts })
const hi = { contents: [user({ text: 'hi' })] }
const call = (id: string | undefined, more: Json = {}) => ({
  functionCall: { ...(id && { id }), name: 'read', args: {} },
  ...more,
})
const response = (id: string | undefined, name = 'read') => ({
  functionResponse: { ...(id && { id }), name, response: { output: 'x' } },
})
const own = sign('gemini-3.8-flash')
const loop = (calls: Json[], results: Json[]) => ({
  contents: [user({ text: 'go' }), model(...calls), user(...results)],
})

describe('refuses in the words of the service', () => {
  const declared = (more: object) => ({
    ...hi,
    tools: [{ functionDeclarations: [{ name: 'read', ...more }] }],
  })
  const thinking = (thinkingConfig: object) => ({ ...hi, generationConfig: { thinkingConfig } })

  it.each<[string, Json, string, string?]>([
    [
      'an unknown name',
      { ...hi, x: 1 },
      'Invalid JSON payload received. Unknown name "x": Cannot find field.',
    ],
    [
      'one deep inside',
      declared({ parameters: { type: 'OBJECT', $schema: 'x' } }),
      `Unknown name "$schema" at 'tools[0].function_declarations[0].parameters': Cannot find field.`,
    ],
    [
      'both forms of parameters',
      declared({ parameters: { type: 'OBJECT' }, parametersJsonSchema: {} }),
      'mutually exclusive',
    ],
    [
      'keywords beside a reference',
      declared({ parametersJsonSchema: { properties: { a: { $ref: '#/$defs/a', title: 'x' } } } }),
      'Request contains an invalid argument.',
    ],
    ['a bad name', { ...hi, tools: [{ functionDeclarations: [{ name: '1 a' }] }] }, 'Invalid function name'],
    [
      'a role',
      { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] },
      'Please use a valid role: user, model.',
    ],
    [
      'a first content of the model',
      { contents: [model({ text: 'x' })] },
      'alternate between user and model',
    ],
    ['no contents', { contents: [] }, 'contents is not specified'],
    ['an empty part', { contents: [user({})] }, "required oneof field 'data'"],
    [
      'too few results',
      loop([call('a', { thoughtSignature: own }), call('b')], [response('a')]),
      'number of function response parts is equal',
    ],
    [
      'results of other calls',
      loop([call('a', { thoughtSignature: own })], [response('b')]),
      'answers no function call',
    ],
    [
      'arguments that are no object',
      loop([{ functionCall: { name: 'read', args: 'x' } }], [response(undefined)]),
      `Invalid value at 'contents[1].parts[0].function_call.args'`,
    ],
    [
      'a call without its signature',
      loop([call('a')], [response('a')]),
      'Function call is missing a thought_signature in functionCall parts.',
    ],
    [
      "a signature of nobody's",
      loop([call('a', { thoughtSignature: 'eHh4' })], [response('a')]),
      'Corrupted thought signature.',
    ],
    [
      'a signature of another model',
      loop([call('a', { thoughtSignature: sign('gemini-4-argon') })], [response('a')]),
      'Invalid thought signature.',
    ],
    [
      'level and budget',
      thinking({ thinkingLevel: 'LOW', thinkingBudget: 1 }),
      'only one of thinking budget and thinking level',
    ],
    [
      'a level that the model lacks',
      thinking({ thinkingLevel: 'MINIMAL' }),
      'Thinking level MINIMAL is not supported',
    ],
    [
      'a budget for the newest',
      thinking({ thinkingBudget: 100 }),
      'Thinking budget is not supported',
      'gemini-4-argon',
    ],
    [
      'a budget of 0 for a model that always thinks',
      thinking({ thinkingBudget: 0 }),
      'only works in thinking mode',
      'gemini-2.5-pro',
    ],
    [
      'JSON beside tools',
      { ...declared({}), generationConfig: { responseMimeType: 'application/json' } },
      "response mime type: 'application/json' is unsupported",
      'gemini-2.5-flash',
    ],
    [
      'a conversation that is too long',
      { contents: [user({ text: 'x'.repeat(40_000) })] },
      'exceeds the maximum number of tokens allowed (5000).',
    ],
  ])('%s', async (_, body, words, name = 'gemini-3.8-flash') => {
    const [status, word, message] = await refusal(body, { model: name })
    expect([status, word]).toEqual([400, 'INVALID_ARGUMENT'])
    expect(message).toContain(words)
  })

  it('a wrong key with 400, and none with 403', async () => {
    expect(await refusal(hi, { key: 'other' })).toEqual([
      400,
      'INVALID_ARGUMENT',
      'API key not valid. Please pass a valid API key.',
    ])
    expect((await refusal(hi, { key: '' })).slice(0, 2)).toEqual([403, 'PERMISSION_DENIED'])
  })

  it('ids where the server has none', async () => {
    expect(await refusal(loop([call('a')], [response('a')]), { of: older })).toEqual([
      400,
      'INVALID_ARGUMENT',
      expect.stringContaining(
        `Unknown name "id" at 'contents[1].parts[0].function_call': Cannot find field.`,
      ),
    ])
  })
})

it('takes the fillers, older turns without signatures, and both spellings', async () => {
  const filled = call('a', { thought_signature: 'skip_thought_signature_validator' })
  const { contents } = loop([call('b')], [response('b')])
  const body = {
    contents: [
      ...contents,
      model({ text: 'done' }),
      user({ text: 'again' }),
      model(filled),
      user(response('a')),
    ],
    system_instruction: { parts: [{ text: 'be brief' }] },
    generation_config: { thinking_config: { thinking_level: 'low' } },
  }
  expect((await ask(body)).status).toBe(200)
})

it('signs the first call of an answer, and the end of one without calls', async () => {
  const read = { name: 'read', arguments: { path: 'a' } }
  sim.play([{ call: { ...read, id: 'a' } }, { call: read }])
  const { json } = await ask(hi)
  const [first, second] = json.candidates[0].content.parts
  expect(first).toEqual({
    functionCall: { id: 'a', name: 'read', args: { path: 'a' } },
    thoughtSignature: expect.any(String),
  })
  expect(second).not.toHaveProperty('thoughtSignature')
  sim.play([{ say: 'yes' }])
  const { text } = await ask(hi, { verb: 'streamGenerateContent?alt=sse' })
  const chunks = text
    .split('\r\n\r\n')
    .filter(Boolean)
    .map((line): Json => JSON.parse(line.slice('data: '.length)))
  expect(chunks.at(-1).candidates[0]).toMatchObject({
    content: { parts: [{ text: '', thoughtSignature: expect.any(String) }] },
    finishReason: 'STOP',
  })
})

it('shows thoughts only to who asks', async () => {
  const steps = [{ think: 'hm' }, { say: 'yes' }]
  sim.play(steps, steps)
  const { parts } = (await ask(hi)).json.candidates[0].content
  expect(parts.map(({ text }: { text?: string }) => text).join('')).toBe('yes')
  const asked = { ...hi, generationConfig: { thinkingConfig: { includeThoughts: true } } }
  expect((await ask(asked)).json.candidates[0].content.parts[0]).toEqual({ text: 'hm', thought: true })
})

it('ends with MALFORMED_FUNCTION_CALL where arguments are no object', async () => {
  sim.play([{ call: { name: 'read', arguments: '{"pa' } }])
  const [candidate] = (await ask(hi)).json.candidates
  expect(candidate).toEqual({
    finishReason: 'MALFORMED_FUNCTION_CALL',
    finishMessage: 'Malformed function call: {"pa',
    index: 0,
  })
})

it('without alt=sse, a stream is a list', async () => {
  sim.play([{ say: 'yes' }])
  expect((await ask(hi, { verb: 'streamGenerateContent' })).json).toHaveLength(1)
})

it('counts, and lists in pages', async () => {
  expect((await ask(hi, { verb: 'countTokens' })).json.totalTokens).toBeGreaterThan(0)
  const whole = { generateContentRequest: { model: 'models/gemini-3.8-flash', ...hi } }
  expect((await ask(whole, { verb: 'countTokens' })).json.totalTokens).toBeGreaterThan(0)
  const page = async (query: string): Promise<Json> =>
    (await fetch(`${sim.url}/v1beta/models?${query}`, { headers: { 'x-goog-api-key': 'key' } })).json()
  const first = await page('pageSize=4')
  expect(first.models).toHaveLength(4)
  expect((await page(`pageSize=4&pageToken=${first.nextPageToken}`)).models.at(-1).name).toBe(
    'models/gemini-embedding-001',
  )
})

import { describe, expect, it } from 'vitest'
import { scaled } from '../../../test/depth.ts'
import { GatewayError } from '../../core/errors.ts'
import { Notes } from '../../core/notes.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { withoutForeignParts } from '../requests/opaque-parts.ts'
import { unusedFields } from '../requests/unused-fields.ts'
import { fromGeminiRequest } from './request-in.ts'
import { toThoughtSignature } from './thought-signature.ts'

const model = 'box/some-model'
const read = (body: object) => fromGeminiRequest(body, new Notes(), { model, stream: false })
const turnOf = (body: object): TurnRequest => read({ contents: [said('hi')], ...body }).turn
const messagesOf = (...contents: object[]): Message[] => read({ contents }).turn.messages
const said = (text: string) => ({ role: 'user', parts: [{ text }] })
const called = (...parts: object[]) => ({ role: 'model', parts })
const call = (name: string, more: object = {}) => ({ functionCall: { name, ...more } })
const result = (name: string, response: object, more: object = {}) => ({
  functionResponse: { name, response, ...more },
})
const answered = (...parts: object[]) => ({ role: 'user', parts })

function refusal(body: object): GatewayError {
  try {
    turnOf(body)
  } catch (error) {
    if (error instanceof GatewayError) return error
  }
  throw new Error('not refused')
}

const resultsOf = (messages: Message[]) =>
  messages.flatMap((each) => (each.role === 'tool' ? each.results : []))

describe('contents', () => {
  it('texts and the system instruction, in either spelling', () => {
    const parts = [{ text: 'Be brief.' }]
    for (const name of ['systemInstruction', 'system_instruction'])
      expect(turnOf({ [name]: { role: 'user', parts } }).messages).toEqual([
        { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
        { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      ])
  })

  it('neighbours of the model are one answer and one text, thoughts are left out', () => {
    const messages = messagesOf(
      said('hi'),
      called({ text: 'hm', thought: true }),
      called({ text: 'a' }),
      called({ text: '' }, { text: 'b' }, {}),
    )
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'ab' }],
    })
  })

  it('results find their calls by id, in any order', () => {
    const results = resultsOf(
      messagesOf(
        said('hi'),
        called(call('read', { id: 'sess_AAAAAAAAAAAA__call_1', args: { a: 1 } }), call('read', { id: 'b' })),
        answered(
          result('read', { output: 'B' }, { id: 'b' }),
          result('read', { output: 'A' }, { id: 'sess_AAAAAAAAAAAA__call_1' }),
        ),
      ),
    )
    expect(results.map(({ callId, content }) => [callId, content])).toEqual([
      ['b', [{ type: 'text', text: 'B' }]],
      ['sess_AAAAAAAAAAAA__call_1', [{ type: 'text', text: 'A' }]],
    ])
  })

  it('without ids, by name and order', () => {
    const messages = messagesOf(
      said('hi'),
      called(call('read'), call('list'), call('read')),
      answered(
        result('list', { output: 'L' }),
        result('read', { output: '1' }),
        result('read', { error: 'E' }),
      ),
      called(call('read')),
      answered(result('read', { a: 1 })),
    )
    expect(resultsOf(messages).map(({ callId, isError }) => [callId, isError])).toEqual([
      ['call_2', undefined],
      ['call_1', undefined],
      ['call_3', true],
      ['call_4', undefined],
    ])
    expect(resultsOf(messages).at(-1)?.content).toEqual([{ type: 'text', text: '{"a":1}' }])
  })

  it('calls that repeat a name or an id get one result each, however many there are', () => {
    const names = Array.from({ length: scaled(40_000, 10_000) }, () => 'read')
    for (const ids of [false, true]) {
      const more = (at: number) => (ids ? { id: `c${at}` } : {})
      const messages = messagesOf(
        called(...names.map((name, at) => call(name, more(at)))),
        answered(...names.map((name, at) => result(name, { output: String(at) }, more(at)))),
      )
      const found = resultsOf(messages)
      expect(new Set(found.map(({ callId }) => callId)).size).toBe(names.length)
      expect(found.at(-1)?.content).toEqual([{ type: 'text', text: String(names.length - 1) }])
    }
  })

  it('a call that is marked as a thought is a call', () => {
    const messages = messagesOf(
      said('hi'),
      called({ ...call('read', { id: 'a' }), thought: true }, { text: 'Hm.', thought: true }),
      answered(result('read', { output: 'x' }, { id: 'a' })),
    )
    expect(messages[1]).toEqual({
      role: 'assistant',
      content: [{ type: 'tool-call', callId: 'a', name: 'read', input: '{}' }],
    })
    expect(resultsOf(messages)).toHaveLength(1)
  })

  it("the AI SDK's wrapping is taken off", () => {
    const wrapped = (name: string) => result('read', { name, content: 'A' })
    const [own, other] = resultsOf(
      messagesOf(said('hi'), called(call('read'), call('read')), answered(wrapped('read'), wrapped('x'))),
    ).map(({ content }) => content)
    expect(own).toEqual([{ type: 'text', text: 'A' }])
    expect(other).toEqual([{ type: 'text', text: '{"name":"x","content":"A"}' }])
  })

  it('a result without a call is passed on as text', () => {
    const notes = new Notes()
    fromGeminiRequest({ contents: [answered(result('read', { output: 'x' }))] }, notes, {
      model,
      stream: false,
    })
    expect(notes.all).toEqual(['a tool result without its call was passed on as text'])
  })

  it('media behind a result, or inside of it, belong to it', () => {
    const media = { inlineData: { mimeType: 'image/png', data: 'AA==' } }
    const image = { type: 'image', source: { mediaType: 'image/png', data: 'AA==' } }
    const behind = answered(
      result('read', { output: 'see' }),
      media,
      result('list', { output: 'L' }),
      { text: 'go' },
      media,
    )
    const messages = messagesOf(said('hi'), called(call('read'), call('list')), behind)
    expect(resultsOf(messages).map(({ content }) => content.length)).toEqual([2, 1])
    expect(messages.at(-1)).toEqual({ role: 'user', content: [{ type: 'text', text: 'go' }, image] })
    const inside = answered(result('read', { output: 'see' }, { parts: [media] }))
    expect(resultsOf(messagesOf(said('hi'), called(call('read')), inside))[0]?.content[1]).toEqual(image)
  })

  it('files by URL, sound, and files that are stored at Google', () => {
    const file = (fileUri: string, mimeType: string) =>
      answered({ file_data: { file_uri: fileUri, mime_type: mimeType } })
    expect(messagesOf(file('https://a.example/x.png', 'image/png'))[0]).toMatchObject({
      content: [{ type: 'image', source: { url: 'https://a.example/x.png' } }],
    })
    expect(messagesOf(answered({ inlineData: { mimeType: 'audio/mpeg', data: 'AA==' } }))[0]).toMatchObject({
      content: [{ type: 'audio', format: 'mp3', data: 'AA==' }],
    })
    for (const uri of ['gs://bucket/x', 'https://generativelanguage.googleapis.com/v1beta/files/abc']) {
      const { turn } = read({ contents: [file(uri, 'image/png')] })
      expect(() => withoutForeignParts(turn, [], () => undefined)).toThrow(/stored at Google/)
    }
  })

  it('numbers of arguments keep their digits', () => {
    const messages = messagesOf(said('hi'), called(call('f', { args: { n: 0.1 } })))
    expect(messages[1]).toMatchObject({ content: [{ input: '{"n":0.1}' }] })
  })

  it.each([
    [{ contents: [] }, 'contents'],
    [{ contents: 'x' }, 'contents'],
    [{ contents: [{ role: 'assistant', parts: [] }] }, 'contents[0].role'],
    [{ contents: [called(call('', {}))] }, 'contents[0].parts[0].functionCall.name'],
    [{ contents: [called(call('f', { args: [] }))] }, 'contents[0].parts[0].functionCall.args'],
    [{ contents: [answered(call('f'))] }, 'contents[0].parts[0].functionCall'],
    [{ contents: [called(result('f', {}))] }, 'contents[0].parts[0].functionResponse'],
  ])('%j names %s', (body, param) => {
    expect(refusal(body)).toMatchObject({ code: 'invalid-request', param })
  })
})

describe('thought signatures', () => {
  const thought = { type: 'reasoning' as const, text: 'let me see', signature: 'c2ln' }
  const leading = toThoughtSignature(model, [{ ...thought, leads: true }])

  it('bring the reasoning back to where it was, with the signature in either alphabet', () => {
    const later = toThoughtSignature(model, [{ ...thought, text: 'ü?>', leads: false }])
    const messages = messagesOf(
      said('hi'),
      called(
        { text: 'Reading.' },
        { ...call('read'), thoughtSignature: leading },
        { ...call('list'), thoughtSignature: later.replaceAll('+', '-').replaceAll('/', '_') },
      ),
    )
    expect(messages[1]).toMatchObject({
      content: [thought, { type: 'text' }, { name: 'read' }, { ...thought, text: 'ü?>' }, { name: 'list' }],
    })
  })

  it('of another model, changed, or filled in by the client, are nothing', () => {
    const foreign = toThoughtSignature('other', [{ ...thought, leads: true }])
    for (const signature of [
      foreign,
      `${leading.slice(0, -8)}AAAAAAAA`,
      'skip_thought_signature_validator',
      'EoAB',
      '',
    ])
      expect(
        messagesOf(said('hi'), called({ ...call('read'), thought_signature: signature }))[1],
      ).toMatchObject({
        content: [{ type: 'tool-call' }],
      })
  })
})

describe('tools', () => {
  const declared = (...tools: object[]) => ({ tools: [{ functionDeclarations: tools }] })
  const config = (mode: string, ...names: string[]) => ({
    toolConfig: { functionCallingConfig: { mode, allowedFunctionNames: names } },
  })
  const two = declared({ name: 'a' }, { name: 'b' })

  it('JSON Schema as it is', () => {
    const schema = {
      type: 'object',
      properties: { type: { type: 'string' }, x: { const: 1 } },
      additionalProperties: false,
    }
    const { tools } = turnOf(declared({ name: 'f', description: 'F', parametersJsonSchema: schema }))
    expect(tools).toEqual([{ name: 'f', description: 'F', schema }])
    expect(tools[0]?.schema).toBe(schema)
  })

  it('the OpenAPI form becomes JSON Schema', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        type: { type: 'STRING', nullable: true, enum: ['a'] },
        list: { type: 'ARRAY', items: { type: 'INTEGER', format: 'int32' }, min_items: '2' },
        any: { any_of: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }], nullable: true },
      },
      property_ordering: ['type', 'list'],
      required: ['list'],
    }
    const snake = { tools: [{ function_declarations: [{ name: 'f', parameters }] }] }
    expect(turnOf(snake).tools[0]?.schema).toEqual({
      type: 'object',
      properties: {
        type: { type: ['string', 'null'], enum: ['a', null] },
        list: { type: 'array', items: { type: 'integer', format: 'int32' }, minItems: 2 },
        any: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
      },
      required: ['list'],
    })
  })

  it.each([
    ['AUTO', [], { type: 'auto' }, ['a', 'b']],
    ['VALIDATED', ['a'], { type: 'auto' }, ['a']],
    ['ANY', [], { type: 'required' }, ['a', 'b']],
    ['any', ['a'], { type: 'tool', name: 'a' }, ['a']],
    ['NONE', [], { type: 'none' }, ['a', 'b']],
    ['MODE_UNSPECIFIED', [], undefined, ['a', 'b']],
  ] as const)('mode %s with %j', (mode, names, choice, left) => {
    const turn = turnOf({ ...two, ...config(mode, ...names) })
    expect(turn.toolChoice).toEqual(choice)
    expect(turn.tools.map(({ name }) => name)).toEqual(left)
  })

  it.each([
    [
      declared({ name: 'a', parameters: {}, parametersJsonSchema: {} }),
      'tools[0].functionDeclarations[0].parametersJsonSchema',
    ],
    [declared({ name: 'a' }, { name: 'a' }), 'tools'],
    [{ ...two, ...config('SOMETIMES') }, 'toolConfig.functionCallingConfig.mode'],
    [{ ...two, ...config('ANY', 'c') }, 'toolConfig.functionCallingConfig.allowedFunctionNames[0]'],
    [config('ANY'), 'toolConfig.functionCallingConfig'],
  ])('%j names %s', (body, param) => {
    expect(refusal(body)).toMatchObject({ code: 'invalid-request', param })
  })

  it("the service's own tools: refused elsewhere if the request is about them, else left out with a note", () => {
    const notes: string[] = []
    const alone = turnOf({ tools: [{ googleSearch: {} }] })
    expect(() => withoutForeignParts(alone, [], () => undefined)).toThrow(/googleSearch runs at Google/)
    const beside = turnOf({
      tools: [{ google_search: {}, functionDeclarations: [{ name: 'a' }] }, { codeExecution: {} }],
    })
    expect(withoutForeignParts(beside, [], (text) => notes.push(text)).tools).toHaveLength(1)
    expect(notes).toEqual(
      ['googleSearch', 'codeExecution'].map((kind) => `tool type ${kind} is not supported and was left out`),
    )
    expect(withoutForeignParts(alone, ['gemini'], () => undefined).opaqueTools).toHaveLength(1)
  })
})

describe('settings', () => {
  const configured = (generationConfig: object) => turnOf({ generationConfig })

  it('are read in either spelling', () => {
    const all = { maxOutputTokens: 9, temperature: 1, topP: 0.95, topK: 64, stopSequences: ['x'] }
    const canonical = { maxOutputTokens: 9, temperature: 1, topP: 0.95, topK: 64, stop: ['x'] }
    expect(configured(all)).toMatchObject(canonical)
    const snake = { max_output_tokens: 9, temperature: 1, top_p: 0.95, top_k: 64, stop_sequences: ['x'] }
    expect(turnOf({ generation_config: snake })).toMatchObject(canonical)
  })

  it.each([
    [{ thinkingLevel: 'HIGH' }, { effort: 'high' }, undefined],
    [{ thinkingLevel: 'minimal' }, { effort: 'minimal' }, undefined],
    [{ thinkingLevel: 'ULTRA' }, undefined, 'ultra'],
    [{ thinkingBudget: 0 }, { effort: 'none' }, undefined],
    [{ thinkingBudget: 8192 }, { effort: 'medium' }, undefined],
    [{ thinking_budget: 32768 }, { effort: 'high' }, undefined],
    [{ thinkingBudget: -1 }, undefined, undefined],
    [{}, undefined, undefined],
  ])('%j', (thinkingConfig, reasoning, otherEffort) => {
    const turn = configured({ thinkingConfig })
    expect([turn.reasoning, turn.otherEffort]).toEqual([reasoning, otherEffort])
  })

  it('the form of the answer', () => {
    const json = { responseMimeType: 'application/json' }
    expect(configured(json).responseFormat).toEqual({ type: 'json' })
    // As Gemini CLI's router sends it.
    const responseJsonSchema = {
      type: 'OBJECT',
      properties: { score: { type: 'INTEGER' } },
      required: ['score'],
    }
    expect(configured({ ...json, responseJsonSchema }).responseFormat).toMatchObject({
      type: 'json-schema',
      schema: { type: 'object', properties: { score: { type: 'integer' } } },
    })
    expect(configured({ responseMimeType: 'text/plain' }).responseFormat).toBeUndefined()
  })

  it('that nothing can follow are refused; others are named where they are left out', () => {
    expect(refusal({ generationConfig: { candidateCount: 2 } }).param).toBe('generationConfig.candidateCount')
    expect(refusal({ generationConfig: { responseModalities: ['IMAGE'] } }).code).toBe('unsupported')
    const turn = turnOf({ safetySettings: [{}], generationConfig: { seed: 1, topK: 3, temperature: 1 } })
    expect(unusedFields(turn, ['temperature'])).toEqual(['safetySettings', 'seed', 'topK'])
    expect(unusedFields(turn, ['temperature', 'top_k'])).toEqual(['safetySettings', 'seed'])
  })

  it('what is stored at Google is refused elsewhere', () => {
    const turn = turnOf({ cachedContent: 'cachedContents/x' })
    expect(() => withoutForeignParts(turn, [], () => undefined)).toThrow(/cachedContent/)
  })
})

it('countTokens may wrap the request', () => {
  const generateContentRequest = { model: 'models/x', contents: [said('hi')] }
  expect(read({ generateContentRequest }).turn.messages).toHaveLength(1)
})

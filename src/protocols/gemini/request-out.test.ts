import { describe, expect, it } from 'vitest'
import { Notes } from '../../core/notes.ts'
import type { Message, TurnRequest } from '../../core/request.ts'
import { fillerNote } from './contents-out.ts'
import { geminiModel } from './models.ts'
import { fromGeminiRequest } from './request-in.ts'
import { toGeminiRequest } from './request-out.ts'
import { toThoughtSignature } from './thought-signature.ts'

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const called = (callId: string, input = '{"path":"a"}') =>
  ({ type: 'tool-call', callId, name: 'read', input }) as const
const result = (callId: string, text: string) => ({ callId, content: [{ type: 'text' as const, text }] })
const png = { mediaType: 'image/png', data: 'aWNv' }

function write(more: Partial<TurnRequest>, options: Partial<Parameters<typeof toGeminiRequest>[1]> = {}) {
  const notes: string[] = []
  const request: TurnRequest = {
    model: 'gemini-3.8-flash',
    messages: [user('hi')],
    tools: [],
    stream: true,
    origin: { dialect: 'none', body: {}, faithful: false },
    ...more,
  }
  const written = toGeminiRequest(request, {
    model: geminiModel(request.model),
    source: 'here',
    hasCallIds: true,
    mayForward: true,
    recall: () => undefined,
    note: (text) => notes.push(text),
    ...options,
  })
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into
  return { ...written, body: written.body as any, notes }
}

describe('the conversation', () => {
  it('has the system text apart, and neighbours of one role as one', () => {
    const { body, notes } = write({
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'be brief' }] },
        user('a'),
        user('b'),
        { role: 'assistant', content: [{ type: 'text', text: 'c' }] },
        { role: 'system', content: [{ type: 'text', text: 'now' }] },
      ],
    })
    expect(body.systemInstruction).toEqual({ parts: [{ text: 'be brief' }] })
    expect(body.contents).toEqual([
      { role: 'user', parts: [{ text: 'a' }, { text: 'b' }] },
      { role: 'model', parts: [{ text: 'c' }] },
      { role: 'user', parts: [{ text: '<system>\nnow\n</system>' }] },
    ])
    expect(notes).toHaveLength(1)
  })

  it('begins with the user', () => {
    const { body } = write({
      messages: [{ role: 'assistant', content: [{ type: 'text', text: 'hello' }] }, user('hi')],
    })
    expect(body.contents[0]).toEqual({ role: 'user', parts: [{ text: 'Continue.' }] })
  })

  const loop: Message[] = [
    user('read'),
    { role: 'assistant', content: [called('one'), called('two', '{"n":1.0}')] },
    { role: 'tool', results: [{ ...result('two', 'no'), isError: true }, result('one', 'yes')] },
  ]

  it('has all results of an answer in one content, in the order of the calls', () => {
    const { body } = write({ messages: loop })
    expect(body.contents[2]).toEqual({
      role: 'user',
      parts: [
        { functionResponse: { id: 'one', name: 'read', response: { output: 'yes' } } },
        { functionResponse: { id: 'two', name: 'read', response: { error: 'no' } } },
      ],
    })
  })

  it('has no ids for servers that refuse them', () => {
    const { body } = write({ messages: loop }, { hasCallIds: false })
    expect(JSON.stringify(body)).not.toContain('"id"')
  })

  it.each([
    [
      'gemini-3.8-flash',
      [{ functionResponse: { parts: [{ inlineData: { mimeType: 'image/png', data: 'aWNv' } }] } }],
    ],
    ['gemini-2.5-flash', [{ functionResponse: {} }, { inlineData: { mimeType: 'image/png', data: 'aWNv' } }]],
  ])('has the image of a result where %s takes it', (model, parts) => {
    const content = [{ type: 'image' as const, source: png }]
    const { body } = write({
      model,
      messages: [
        user('look'),
        { role: 'assistant', content: [called('one')] },
        { role: 'tool', results: [{ callId: 'one', content }] },
      ],
    })
    expect(body.contents[2].parts).toMatchObject(parts)
  })

  describe('signatures', () => {
    const signatures = (written: ReturnType<typeof write>) =>
      // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into
      written.body.contents[1].parts.map((part: any) => part.thoughtSignature)

    it('are recalled by the call, and siblings have none', () => {
      const written = write(
        { messages: loop },
        { recall: ({ callId }) => (callId === 'one' ? 'kept' : undefined) },
      )
      expect(signatures(written)).toEqual(['kept', undefined])
      expect(written.notes).toEqual([])
    })

    it('come from the reasoning that a client carries, if it is of this place', () => {
      const reasoning = { type: 'reasoning', text: '', signature: 'gemini1.here.carried' } as const
      const carrying = [
        loop[0],
        { role: 'assistant', content: [reasoning, called('one')] },
        loop[2],
      ] as Message[]
      expect(signatures(write({ messages: carrying }))).toEqual(['carried'])
      expect(signatures(write({ messages: carrying }, { source: 'elsewhere' }))).toEqual([
        'skip_thought_signature_validator',
      ])
    })

    it('that are not known are filled, with a note', () => {
      const written = write({ messages: loop })
      expect(signatures(written)).toEqual(['skip_thought_signature_validator', undefined])
      expect(written.notes).toEqual([fillerNote])
    })

    it('are not wanted by older models', () => {
      expect(signatures(write({ messages: loop, model: 'gemini-2.5-pro' }))).toEqual([undefined, undefined])
    })
  })
})

it.each([
  [
    { type: 'image', source: { mediaType: 'image/jpg', data: 'eA==' } },
    { inlineData: { mimeType: 'image/jpeg', data: 'eA==' } },
  ],
  [
    { type: 'image', source: { url: 'https://x/a.PNG?b' } },
    { fileData: { mimeType: 'image/png', fileUri: 'https://x/a.PNG?b' } },
  ],
  [
    { type: 'file', source: { mediaType: 'application/json', data: 'e30=' } },
    { inlineData: { mimeType: 'text/plain', data: 'e30=' } },
  ],
  [
    { type: 'file', source: { mediaType: 'application/pdf', data: 'eA==' } },
    { inlineData: { mimeType: 'application/pdf', data: 'eA==' } },
  ],
  [{ type: 'audio', format: 'mp3', data: 'eA==' }, { inlineData: { mimeType: 'audio/mp3', data: 'eA==' } }],
] as const)('%j is a part of its own kind', (part, written) => {
  expect(write({ messages: [{ role: 'user', content: [part] }] }).body.contents[0].parts).toEqual([written])
})

it('a file id of another service is refused', () => {
  const content = [{ type: 'file' as const, source: { fileId: 'file-1' } }]
  expect(() => write({ messages: [{ role: 'user', content }] })).toThrow(/send the file itself/)
})

describe('tools', () => {
  const tool = {
    name: 'read',
    description: 'Reads',
    schema: { type: 'object', properties: { a: { const: 1, multipleOf: 2 } } },
  }

  it('have JSON Schema in the subset that has an effect', () => {
    const { body, notes } = write({ tools: [tool] })
    const [declared] = body.tools[0].functionDeclarations
    expect(declared).toMatchObject({ name: 'read', description: 'Reads' })
    expect(declared.parametersJsonSchema.properties.a).not.toHaveProperty('multipleOf')
    expect(body).not.toHaveProperty('toolConfig')
    expect(notes).toEqual([expect.stringContaining('multipleOf')])
  })

  it.each([
    [{ type: 'auto' }, { mode: 'AUTO' }],
    [{ type: 'none' }, { mode: 'NONE' }],
    [{ type: 'required' }, { mode: 'ANY' }],
    [
      { type: 'tool', name: 'read' },
      { mode: 'ANY', allowedFunctionNames: ['read'] },
    ],
  ] as const)('choice %j is %j', (toolChoice, config) => {
    expect(write({ tools: [tool], toolChoice }).body.toolConfig.functionCallingConfig).toEqual(config)
  })

  it('that are strict are validated', () => {
    const { body } = write({ tools: [{ ...tool, strict: true }] })
    expect(body.toolConfig.functionCallingConfig).toEqual({ mode: 'VALIDATED' })
  })
})

describe('settings', () => {
  it.each([
    ['gemini-2.5-pro', 'none', { thinkingBudget: 128 }],
    ['gemini-2.5-flash', 'none', { thinkingBudget: 0 }],
    ['gemini-2.5-flash', 'medium', { includeThoughts: true, thinkingBudget: 8_192 }],
    ['gemini-2.5-flash', 'max', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'low' }],
    ['gemini-3.5-flash', 'minimal', { includeThoughts: true, thinkingLevel: 'minimal' }],
    ['gemini-3.8-flash', 'none', { thinkingLevel: 'low' }],
    ['gemini-4-argon', 'xhigh', { includeThoughts: true, thinkingLevel: 'high' }],
    ['gemini-2.0-flash', 'high', undefined],
  ] as const)('%s thinks with effort %s by %j', (model, effort, config) => {
    expect(write({ model, reasoning: { effort } }).body.generationConfig?.thinkingConfig).toEqual(config)
  })

  it('lower an output limit that one request cannot have', () => {
    const { body, notes } = write({ model: 'gemini-4-argon', maxOutputTokens: 100_000 })
    expect(body.generationConfig.maxOutputTokens).toBe(65_536)
    expect(notes).toHaveLength(1)
  })

  const format = { type: 'json-schema', name: 'x', schema: { type: 'object', properties: {} } } as const
  const tools = [{ name: 'read', schema: { type: 'object' } }]

  it('ask for JSON by its schema, and beside tools only where the model takes both', () => {
    const asked = { responseMimeType: 'application/json', responseJsonSchema: format.schema }
    expect(write({ responseFormat: format }).body.generationConfig).toMatchObject(asked)
    expect(write({ responseFormat: format, tools }).body.generationConfig).toMatchObject(asked)
    const older = write({ responseFormat: format, tools, model: 'gemini-2.5-pro' })
    expect(older.body.generationConfig).not.toHaveProperty('responseMimeType')
    expect(older.notes).toEqual([expect.stringContaining('response_format')])
  })
})

describe('a request of the same dialect', () => {
  const read = (body: object, model = 'gemini-3.8-flash') =>
    fromGeminiRequest(body, new Notes(), { model, stream: true }).turn
  const contents = [{ role: 'user', parts: [{ text: 'hi', futurePart: 1 }] }]

  it('goes out as it came, with every field that the gateway does not know', () => {
    const body = {
      contents,
      generation_config: { thinking_config: { thinking_level: 'LOW', future: 1 }, future: 2 },
      safetySettings: [{ category: 'x' }],
      future: { a: 3 },
    }
    const written = write(read(body))
    expect(written).toMatchObject({ body, isVerbatim: true, notes: [] })
  })

  it.each([
    ['gemini-3.8-flash', { thinkingLevel: 'MINIMAL' }],
    ['gemini-4-argon', { thinkingBudget: 1_000 }],
    ['gemini-2.5-flash', { thinkingLevel: 'HIGH' }],
    ['gemini-2.5-pro', { thinkingBudget: 0 }],
    ['gemini-2.0-flash', { includeThoughts: true }],
  ])('is translated if %s would refuse %j', (model, thinkingConfig) => {
    const body = { contents, generationConfig: { thinkingConfig, seed: 7 }, future: 1 }
    const written = write({ ...read(body), model })
    expect(written.isVerbatim).toBe(false)
    expect(written.body).toMatchObject({ future: 1, generationConfig: { seed: 7 } })
  })

  const withCall = (signature?: string) => [
    { role: 'user', parts: [{ text: 'go' }] },
    {
      role: 'model',
      parts: [
        {
          functionCall: { id: 'one', name: 'read', args: {} },
          ...(signature && { thoughtSignature: signature }),
        },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'one', name: 'read', response: { output: 'x' } } }] },
  ]
  const signatureIn = (written: ReturnType<typeof write>) =>
    written.body.contents[1].parts[0].thoughtSignature

  it('keeps signatures of the service', () => {
    const body = { contents: withCall('EoN4') }
    expect(write(read(body)).body.contents[1]).toBe(body.contents[1])
  })

  it('has one signature for the calls of an answer, also in contents of their own', () => {
    const [first, call, results] = withCall()
    const body = { contents: [first, call, { ...call }, results] }
    const { contents } = write(read({ contents: [...body.contents] })).body
    expect(contents[1].parts[0].thoughtSignature).toBe('skip_thought_signature_validator')
    expect(contents[2].parts[0]).not.toHaveProperty('thoughtSignature')
  })

  it('has the original in place of a signature that the gateway wrote', () => {
    const thought = { type: 'reasoning', text: '', signature: 'gemini1.here.c2ln', leads: true } as const
    const own = toThoughtSignature('alias', [thought])
    expect(signatureIn(write(read({ contents: withCall(own) }, 'alias')))).toBe('c2ln')
  })

  it('gets the kept signature of a call without one, or the filler', () => {
    expect(signatureIn(write(read({ contents: withCall() }), { recall: () => 'kept' }))).toBe('kept')
    const filled = write(read({ contents: withCall() }))
    expect(signatureIn(filled)).toBe('skip_thought_signature_validator')
    expect(filled.notes).toEqual([fillerNote])
  })
})

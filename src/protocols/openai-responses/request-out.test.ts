import { describe, expect, it } from 'vitest'
import type { Message, TurnRequest } from '../../core/request.ts'
import { readCustomTool } from '../requests/custom-tools.ts'
import { responsesLesson } from './lessons.ts'
import { proofOf } from './reasoning-items.ts'
import { type ResponsesRequestOptions, toResponsesRequest } from './request-out.ts'
import type { ResponsesTraits } from './traits.ts'

const traits: ResponsesTraits = {
  isOpenAI: true,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  reasonsByDefault: true,
  fixed: ['temperature', 'top_p'],
  fixedWhile: 'reasoning',
  refuses: [],
}
const schema = { type: 'object', properties: { path: { type: 'string' } } }
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const call = (callId: string, name = 'read') => ({
  type: 'tool-call' as const,
  callId,
  name,
  input: '{"path":"a"}',
})
const result = (callId: string): Message => ({
  role: 'tool',
  results: [{ callId, content: [{ type: 'text', text: 'ok' }] }],
})

// biome-ignore lint/suspicious/noExplicitAny: the body is looked into
type Json = any

function write(more: Partial<TurnRequest> = {}, options: Partial<ResponsesRequestOptions> = {}) {
  const notes: string[] = []
  const withdrawn: string[] = []
  const request: TurnRequest = {
    model: 'm',
    messages: [user('hello')],
    tools: [],
    stream: true,
    origin: { dialect: 'none', body: {}, faithful: false },
    ...more,
  }
  const body: Json = toResponsesRequest(request, {
    traits,
    source: 'here',
    recall: () => undefined,
    isTaken: () => true,
    note: (text) => notes.push(text),
    withdraw: (text) => withdrawn.push(text),
    ...options,
  })
  return { body, notes, withdrawn }
}

describe('toResponsesRequest', () => {
  it('stores nothing, asks for sealed reasoning and its summary, and for no obfuscation', () => {
    expect(write().body).toEqual({
      model: 'm',
      input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hello' }] }],
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { summary: 'auto' },
      stream: true,
      stream_options: { include_obfuscation: false },
    })
  })

  it('is not strict unless the client is', () => {
    const tools = [undefined, true, false].map((strict, at) => ({
      name: `t${at}`,
      schema,
      ...(strict === undefined ? {} : { strict }),
    }))
    const { body } = write({ tools, toolChoice: { type: 'tool', name: 't0' }, parallelToolCalls: false })
    expect(body.tools.map(({ strict }: Json) => strict)).toEqual([false, true, false])
    expect(body).toMatchObject({ tool_choice: { type: 'function', name: 't0' }, parallel_tool_calls: false })
    const format = { type: 'json-schema', name: 'n', schema } as const
    expect(write({ responseFormat: format }).body.text.format).toMatchObject({ strict: false })
  })

  it('writes custom tools, their calls and results in their own form', () => {
    const format = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
    const tool = readCustomTool(
      { type: 'custom', name: 'patch', description: 'P', format },
      'tools[0]',
      () => undefined,
    )
    const messages = [
      user('x'),
      { role: 'assistant' as const, content: [{ ...call('c', 'patch'), input: '{"input":"*** Begin"}' }] },
      result('c'),
    ]
    const { body, withdrawn } = write({
      tools: [tool],
      messages,
      toolChoice: { type: 'tool', name: 'patch' },
    })
    expect(body.tools).toEqual([{ type: 'custom', name: 'patch', description: 'P', format }])
    expect(body.tool_choice).toEqual({ type: 'custom', name: 'patch' })
    expect(body.input.slice(1)).toEqual([
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '*** Begin' },
      { type: 'custom_tool_call_output', call_id: 'c', output: 'ok' },
    ])
    expect(withdrawn).toContain('custom tools were offered as functions with one text argument')
  })

  it('keeps system messages in place, images in results, and says what is an error', () => {
    const source = { mediaType: 'image/png', data: 'aGk=' }
    const messages: Message[] = [
      { role: 'system', content: [{ type: 'text', text: 'first' }] },
      user('x'),
      { role: 'assistant', content: [{ type: 'text', text: 'Reading.' }, call('a'), call('b')] },
      {
        role: 'tool',
        results: [
          { callId: 'a', content: [{ type: 'image', source, detail: 'low' }] },
          { callId: 'b', content: [{ type: 'text', text: 'no' }], isError: true },
        ],
      },
      { role: 'system', content: [{ type: 'text', text: 'later' }] },
    ]
    expect(write({ messages }).body.input).toEqual([
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'first' }] },
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'x' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Reading.' }] },
      { type: 'function_call', call_id: 'a', name: 'read', arguments: '{"path":"a"}' },
      { type: 'function_call', call_id: 'b', name: 'read', arguments: '{"path":"a"}' },
      {
        type: 'function_call_output',
        call_id: 'a',
        output: [{ type: 'input_image', image_url: 'data:image/png;base64,aGk=', detail: 'low' }],
      },
      { type: 'function_call_output', call_id: 'b', output: 'Error: no' },
      { type: 'message', role: 'developer', content: [{ type: 'input_text', text: 'later' }] },
    ])
  })

  it('replaces ids that are too long or repeated, on call and result alike, and always alike', () => {
    const long = 'x'.repeat(83)
    const turn = (id: string): Message[] => [{ role: 'assistant', content: [call(id)] }, result(id)]
    const messages = [user('x'), ...turn(long), ...turn('read:0'), ...turn('read:0')]
    const ids = (given: Message[]) =>
      write({ messages: given }).body.input.flatMap((item: Json) => item.call_id ?? [])
    const found = ids(messages)
    expect(found.every((id: string) => id.length <= 64)).toBe(true)
    expect(found[0]).toBe(found[1])
    expect(new Set(found).size).toBe(3)
    expect(found[2]).toBe('read:0')
    expect(ids([...messages, user('more')])).toEqual(found)
  })

  const sealed = (text: string) => ({
    type: 'reasoning',
    encrypted_content: `gAAA${text}`,
    summary: [],
    content: null,
  })
  const typesOf = (body: Json) =>
    body.input.map(({ type, encrypted_content: content }: Json) => content ?? type)

  it('sends reasoning that the client carries back in its place, byte for byte', () => {
    const reasoning = (text: string, source = 'here') => ({
      type: 'reasoning' as const,
      text: '',
      ...proofOf(sealed(text), source, false),
    })
    const content = [reasoning('1'), { type: 'text' as const, text: 'x' }, reasoning('2'), call('a')]
    const recall = () => ({ leading: [sealed('never')], before: [] })
    const { body } = write({ messages: [user('x'), { role: 'assistant', content }, result('a')] }, { recall })
    expect(typesOf(body)).toEqual([
      'message',
      'gAAA1',
      'message',
      'gAAA2',
      'function_call',
      'function_call_output',
    ])
    expect(body.input[1]).toEqual(sealed('1'))
    const foreign = [reasoning('1', 'elsewhere'), call('a')]
    const other = write({ messages: [user('x'), { role: 'assistant', content: foreign }, result('a')] })
    expect(typesOf(other.body)).toEqual(['message', 'function_call', 'function_call_output'])
    expect(other.notes[0]).toContain('left out')
  })

  it('sends kept reasoning back with its calls, none twice, and none that was refused', () => {
    const kept = new Map([
      ['a', { leading: [sealed('1')], before: [sealed('2')] }],
      ['b', { leading: [], before: [sealed('3'), sealed('2')] }],
    ])
    const recall = ({ callId }: { callId: string }) => kept.get(callId)
    const content = [{ type: 'text' as const, text: 'x' }, call('a'), call('b')]
    const messages: Message[] = [user('x'), { role: 'assistant', content }, result('a'), result('b')]
    expect(typesOf(write({ messages }, { recall }).body).slice(1, 7)).toEqual([
      'gAAA1',
      'message',
      'gAAA2',
      'function_call',
      'gAAA3',
      'function_call',
    ])
    expect(typesOf(write({ messages }, { recall, isTaken: () => false }).body)).not.toContain('gAAA1')
  })

  it.each([
    ['minimal', 'low'],
    ['high', 'high'],
    ['none', 'none'],
  ] as const)('effort %s becomes %s', (effort, sent) => {
    const { body, notes } = write({ reasoning: { effort } })
    expect(body.reasoning.effort).toBe(sent)
    expect(notes).toHaveLength(sent === effort ? 0 : 1)
    expect(body.reasoning.summary).toBe(effort === 'none' ? undefined : 'auto')
  })

  it('raises small limits, and drops a temperature while the model reasons', () => {
    const { body, notes } = write({ maxOutputTokens: 1, temperature: 0.2, topP: 1 })
    expect([body.max_output_tokens, body.temperature, body.top_p]).toEqual([16, undefined, undefined])
    expect(notes).toHaveLength(2)
    expect(write({ temperature: 0.2, reasoning: { effort: 'none' } }).body.temperature).toBe(0.2)
  })

  it('takes what Chat and Responses have under other names, and notes what has no home', () => {
    const fields = {
      verbosity: 'low',
      service_tier: 'flex',
      metadata: { a: 'b' },
      prompt_cache_key: 'k',
      safety_identifier: 's',
    }
    const chat = write({
      origin: { dialect: 'openai-chat', body: { ...fields, stop: ['x'], seed: 1 }, faithful: true },
    })
    const { verbosity, ...shared } = fields
    expect(chat.body).toMatchObject({ ...shared, text: { verbosity } })
    expect([chat.body.stop, chat.body.seed]).toEqual([undefined, undefined])
    expect(chat.notes).toEqual(['not supported by the upstream and left out: seed'])
    const body = { text: { verbosity: 'low' }, reasoning: { summary: 'detailed' }, top_logprobs: 3 }
    const own = write({ origin: { dialect: 'openai-responses', body, faithful: false } })
    expect(own.body).toMatchObject({ text: { verbosity: 'low' }, reasoning: { summary: 'detailed' } })
    expect(own.withdrawn).toEqual(['not supported and left out: top_logprobs, text.verbosity'])
    expect(own.notes).toEqual(['not supported and left out: top_logprobs'])
  })

  it('refuses audio', () => {
    const audio: Message = { role: 'user', content: [{ type: 'audio', format: 'wav', data: 'x' }] }
    expect(() => write({ messages: [audio] })).toThrow('takes no audio')
  })

  it('leaves out what the service refuses', () => {
    const refused = { ...traits, refuses: ['reasoning.summary', 'include'] }
    const { body, notes } = write({}, { traits: refused })
    expect([body.reasoning, body.include]).toEqual([undefined, undefined])
    expect(notes).toEqual(['reasoning.summary, include left out: this service refuses it'])
  })
})

describe('responsesLesson', () => {
  const body = { reasoning: { effort: 'minimal', summary: 'auto' }, include: [], tools: [], model: 'm' }
  it.each([
    ['Your organization must be verified to generate reasoning summaries.', undefined, { refuses: ['reasoning.summary'] }],
    ["Unsupported value: 'minimal' is not supported with the 'm' model. Supported values are: 'low' and 'high'.", 'reasoning.effort', { efforts: ['low', 'high'] }],
    ["Unknown parameter: 'include'.", 'include', { refuses: ['include'] }],
    ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", 'reasoning.effort', { refuses: ['reasoning'] }],
    ["Unknown parameter: 'tools'.", 'tools', undefined],
    ["Unknown parameter: 'never_sent'.", 'never_sent', undefined],
    ['Incorrect API key provided', undefined, undefined],
  ])('%s', (text, param, lesson) => {
    expect(responsesLesson({ text, param, body, traits })).toEqual(lesson)
  }) // biome-ignore format: a table to be read as one
})

import { describe, expect, it } from 'vitest'
import { joinAnswer } from './joined-answer.ts'

const sse = (events: readonly unknown[], named = false) =>
  events.map((event) => {
      const name = named ? `event: ${(event as { type: string }).type}\n` : ''
      return `${name}data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`
    }).join('') // biome-ignore format: one line

const chunk = (delta: unknown, more: Record<string, unknown> = {}) => ({
  ...{ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' },
  choices: [{ index: 0, delta, finish_reason: null, ...more }],
})
const piece = (index: number | undefined, made: Record<string, unknown>, id?: string) =>
  chunk({ tool_calls: [{ ...(index === undefined ? {} : { index }), ...(id === undefined ? {} : { id, type: 'function' }), function: made }] }) // biome-ignore format: one line

const odd = (text: string, asked = true) =>
  joinAnswer(text, asked).facts.filter(({ isOdd }) => isOdd).map(({ term, value }) => `${term}: ${value}`) // biome-ignore format: one line

describe('Ollama', () => {
  const line = (message: unknown, more = {}) => ({ model: 'm', message, done: false, ...more })
  const said = (content: string, more = {}) => ({ role: 'assistant', content, ...more })
  const made = (name: string) => ({ id: name, function: { name, arguments: {} } })
  const lines = (events: readonly unknown[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('')

  it('joins texts and calls, of a stream that is cut off too', () => {
    const text = lines([
      line(said('', { thinking: 'Hm' })),
      line(said('So')),
      line(said('.')),
      line(said('', { tool_calls: [made('a')] })),
      line(said('', { tool_calls: [made('b')] })),
      line(said(''), { done: true, done_reason: 'stop' }),
    ])
    const message = { ...said('So.', { thinking: 'Hm' }), tool_calls: [made('a'), made('b')] }
    const { whole } = joinAnswer(text, true)
    expect(whole).toEqual({ model: 'm', message, done: true, done_reason: 'stop' })
    expect(odd(text)).toEqual([])
    expect(joinAnswer(text.slice(0, -10), true).whole).toMatchObject({ message, done: false })
  })
})

describe('Chat', () => {
  const end = [chunk({}, { finish_reason: 'tool_calls' }), '[DONE]']

  it('joins texts and calls; a clean stream has nothing odd', () => {
    const text = sse([
      chunk({ role: 'assistant', content: 'So' }), chunk({ content: '.' }), chunk({ reasoning_content: 'Hm' }),
      piece(0, { name: 'read', arguments: '' }, 'a'), piece(0, { arguments: '{"p":' }), piece(0, { arguments: '1}' }),
      piece(1, { name: 'list', arguments: '{}' }, 'b'), ...end,
    ]) // biome-ignore format: one line a part
    const { whole } = joinAnswer(text, true)
    const [choice] = (whole as { choices: { message: unknown; finish_reason: string }[] }).choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        ...{ role: 'assistant', content: 'So.', reasoning_content: 'Hm' },
        tool_calls: [
          { id: 'a', function: { name: 'read', arguments: '{"p":1}' } },
          { id: 'b', function: { name: 'list', arguments: '{}' } },
        ],
      },
    })
    expect(odd(text)).toEqual([])
  })

  it.each([
    ['index of calls: left out', [piece(undefined, { name: 'a', arguments: '{}' }, 'x'), ...end]],
    ['index of calls: shared', [piece(0, { name: 'a', arguments: '{}' }, 'x'), piece(0, { name: 'b', arguments: '{}' }, 'y'), ...end]],
    ['names of calls: repeated', [piece(0, { name: 'a', arguments: '{' }, 'x'), piece(0, { name: 'a', arguments: '}' }), ...end]],
    ['names of calls: late', [piece(0, { arguments: '{' }, 'x'), piece(0, { name: 'a', arguments: '}' }), ...end]],
    ['ids of calls: change', [piece(0, { name: 'a', arguments: '{' }, 'x'), piece(0, { arguments: '}' }, 'y'), ...end]],
    ['arguments: no text', [piece(0, { name: 'a', arguments: { p: 1 } }, 'x'), ...end]],
    ['pieces of calls: in turns', [piece(0, { name: 'a', arguments: '{' }, 'x'), piece(1, { name: 'b', arguments: '{' }, 'y'), piece(0, { arguments: '}' }), piece(1, { arguments: '}' }), ...end]],
    ['text: between the pieces of a call', [piece(0, { name: 'a', arguments: '{' }, 'x'), chunk({ content: 'Hm' }), piece(0, { arguments: '}' }), ...end]],
    ['end of the stream: no [DONE]', end.slice(0, 1)],
    ['finish reason: not sent', [chunk({ content: 'x' }), '[DONE]']],
    ['output after the end: some', [chunk({ content: 'x' }, { finish_reason: 'stop' }), chunk({ content: 'y' }), '[DONE]']],
    ['content: a list of parts', [chunk({ content: [{ type: 'text', text: 'x' }] }), ...end]],
  ])('%s', (fact, events) => {
    expect(odd(sse(events))).toContain(fact)
  }) // biome-ignore format: one line a fact

  it('an answer in one piece, though a stream was asked for', () => {
    expect(odd('{"choices":[]}')).toEqual(['how it came: as one whole'])
    expect(odd('{"choices":[]}', false)).toEqual([])
  })
})

it('Messages: joins blocks', () => {
  const text = sse([
    { type: 'message_start', message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 3, output_tokens: 0 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'thinking_delta', thinking: 'Hm' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 't', name: 'read', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"p":' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '1}' } },
    { type: 'content_block_stop', index: 1 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 5 } },
    { type: 'message_stop' },
  ], true) // biome-ignore format: one line an event
  expect(joinAnswer(text, true).whole).toEqual({
    ...{ id: 'm', role: 'assistant', stop_reason: 'tool_use', usage: { input_tokens: 3, output_tokens: 5 } },
    content: [
      { type: 'thinking', thinking: 'Hm' },
      { type: 'tool_use', id: 't', name: 'read', input: { p: 1 } },
    ],
  })
  expect(odd(text)).toEqual([])
})

it('Responses: takes items as they ended, and notices other ends', () => {
  const item = { type: 'message', id: 'i', content: [{ type: 'output_text', text: 'Ho' }] }
  const text = sse([
    { type: 'response.created', response: { id: 'r', output: [] } },
    { type: 'response.output_item.added', output_index: 0, item: { ...item, content: [] } },
    { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'Hi' },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.completed', response: { id: 'r', status: 'completed', output: [item] } },
  ], true) // biome-ignore format: one line an event
  expect(joinAnswer(text, true).whole).toEqual({ id: 'r', status: 'completed', output: [item] })
  expect(odd(text)).toEqual(['ends of texts: others than streamed'])
})

it.each([
  ['output after the end: some', [{ parts: [{ text: 'Hi' }] }, { parts: [{ text: 'Lost' }] }]],
  ['arguments: a text', [{ parts: [{ functionCall: { name: 'read', args: '{}' } }] }]],
])('Gemini: %s', (fact, contents) => {
  const chunks = contents.map((content) => ({ candidates: [{ content, finishReason: 'STOP' }] }))
  expect(odd(sse(chunks))).toEqual([fact])
  const whole = JSON.stringify(chunks[0])
  expect(odd(whole, false)).toEqual(chunks.length > 1 ? [] : [fact])
})

it('Gemini: joins the texts of chunks, streamed as events or as a list', () => {
  const chunks = ['Hi', ' there'].map((text) => ({ candidates: [{ content: { role: 'model', parts: [{ text }] } }], modelVersion: 'm' })) // biome-ignore format: one line
  const whole = {
    candidates: [{ content: { parts: [{ text: 'Hi there' }], role: 'model' } }],
    modelVersion: 'm',
  }
  expect(joinAnswer(sse(chunks), true).whole).toEqual(whole)
  expect(joinAnswer(JSON.stringify(chunks), true).whole).toEqual(whole)
})

it('whatever else came is shown as it is', () => {
  expect(joinAnswer('upstream down', true).whole).toBe('upstream down')
  expect(joinAnswer('', true).whole).toBe('')
})

import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../core/errors.ts'
import { Notes } from '../../core/notes.ts'
import { unusedFields } from '../requests/unused-fields.ts'
import { fromOllamaChat, fromOllamaGenerate, preloadOf } from './request-in.ts'

const read = (fields: object) =>
  fromOllamaChat({ model: 'm', messages: [{ role: 'user', content: 'go' }], ...fields }, new Notes())
const history = (...messages: object[]) =>
  read({ messages: [{ role: 'user', content: 'go' }, ...messages] }).turn.messages.slice(1)
const problem = (fields: object, from = read): string => {
  try {
    from(fields)
  } catch (error) {
    if (error instanceof GatewayError) return error.message
    throw error
  }
  return ''
}

const calls = (...names: string[]) => ({
  role: 'assistant',
  tool_calls: names.map((name) => ({ function: { name, arguments: { at: 1 } } })),
})
/** By their calls: their own order stays as it came. */
const resultsOf = (messages: ReturnType<typeof history>) =>
  messages
    .flatMap((message) =>
      message.role === 'tool'
        ? message.results.map(({ callId, content }) => [callId, (content[0] as { text: string }).text])
        : [],
    )
    .sort(([one = ''], [other = '']) => one.localeCompare(other))

describe('results', () => {
  it('without id and name belong to the calls in their order', () => {
    const results = ['a', 'b', 'c'].map((content) => ({ role: 'tool', content }))
    expect(resultsOf(history(calls('f', 'f', 'g'), ...results))).toEqual([
      ['call_1', 'a'],
      ['call_2', 'b'],
      ['call_3', 'c'],
    ])
  })

  it('with a name belong to the first open call of that name', () => {
    const results = [
      { role: 'tool', tool_name: 'g', content: 'of g' },
      { role: 'tool', tool_name: 'f', content: 'first of f' },
      { role: 'tool', tool_name: 'f', content: 'second of f' },
    ]
    expect(resultsOf(history(calls('f', 'f', 'g'), ...results))).toEqual([
      ['call_1', 'first of f'],
      ['call_2', 'second of f'],
      ['call_3', 'of g'],
    ])
  })

  it('with an id belong to the call of that id', () => {
    const made = ['x', 'y'].map((id) => ({ id, function: { name: 'f', arguments: '{"at":1}' } }))
    const results = ['y', 'x'].map((id) => ({ role: 'tool', tool_call_id: id, content: id }))
    expect(resultsOf(history({ role: 'assistant', content: null, tool_calls: made }, ...results))).toEqual([
      ['x', 'x'],
      ['y', 'y'],
    ])
  })

  it('of a later answer are of its calls, not of an earlier one', () => {
    const result = { role: 'tool', content: 'r' }
    expect(resultsOf(history(calls('f'), result, calls('f'), result))).toEqual([
      ['call_1', 'r'],
      ['call_2', 'r'],
    ])
  })
})

describe('messages', () => {
  it('have pictures without a media type', () => {
    const images = ['iVBORw0KGgoA', '/9j/AAAA', 'R0lGODlh', 'UklGRgAA', 'data:image/png;base64,AAAA']
    const [message] = read({ messages: [{ role: 'user', content: 'see', images }] }).turn.messages
    expect(message?.role === 'user' && message.content.slice(1)).toEqual(
      ['png', 'jpeg', 'gif', 'webp', 'png'].map((kind, at) => ({
        type: 'image',
        source: { mediaType: `image/${kind}`, data: at === 4 ? 'AAAA' : images[at] },
      })),
    )
  })

  it('keep the thinking of earlier answers', () => {
    const [answer] = history({ role: 'assistant', content: 'so', thinking: 'hm' })
    expect(answer).toMatchObject({
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'so' },
      ],
    })
  })

  it.each([
    [{ messages: [{ role: 'user', content: 'x', images: ['AAAA'] }] }, 'messages[0].images[0]: is no PNG'],
    [
      { messages: [{ role: 'system', content: 'x', images: ['/9j/'] }] },
      'messages[0].images: are not allowed',
    ],
    [{ messages: [{ role: 'model', content: 'x' }] }, 'messages[0].role: "model" is not a role'],
    [{ messages: [{ role: 'user', content: [] }] }, 'messages[0].content: must be a string'],
    [{ messages: [{ role: 'system', content: 'x' }] }, 'messages: needs at least one message'],
    [{ think: 1 }, 'think: must be true'],
    [{ format: 'xml' }, 'format: must be "json"'],
    [{ options: { num_predict: 1.5 } }, 'options.num_predict: must be a whole number'],
    [{ options: { temperature: 3 } }, 'options.temperature: must be between 0 and 2'],
    [{ tools: [{ type: 'function' }] }, 'tools[0].function: is required'],
    [{ model: '' }, 'model: must not be empty'],
  ])('%j: the problem names its field', (fields, says) => {
    expect(problem(fields)).toContain(says)
  })
})

describe('settings', () => {
  it.each([
    [{}, undefined, true],
    [{ think: true }, 'medium', true],
    [{ think: 'high' }, 'high', true],
    [{ think: false }, 'none', false],
    [{ think: null }, undefined, true],
  ])('%j asks for effort %s', (fields, effort, shows) => {
    const { turn, showsThinking } = read(fields)
    expect([turn.reasoning?.effort, showsThinking]).toEqual([effort, shows])
  })

  it('are read from the options; -1 is no limit, and 0 no top_k', () => {
    const options = { temperature: 0.5, top_p: 0.9, top_k: 40, num_predict: 9, stop: ['x'] }
    expect(read({ options }).turn).toMatchObject({
      ...{ temperature: 0.5, topP: 0.9, topK: 40, maxOutputTokens: 9, stop: ['x'] },
    })
    const { turn } = read({ options: { num_predict: -1, top_k: 0, stop: 'x' } })
    expect([turn.maxOutputTokens, turn.topK, turn.stop]).toEqual([undefined, undefined, ['x']])
  })

  it('a stream is the default', () => {
    expect([read({}).turn.stream, read({ stream: false }).turn.stream]).toEqual([true, false])
  })

  it('a format is JSON, or a schema', () => {
    const schema = { type: 'object' }
    expect(read({ format: 'json' }).turn.responseFormat).toEqual({ type: 'json' })
    expect(read({ format: schema }).turn.responseFormat).toMatchObject({ type: 'json-schema', schema })
  })

  it('of a local runner are ignored, others that no service has are named', () => {
    const options = { num_ctx: 4096, num_gpu: 1, mirostat: 1, temperature: 1 }
    expect(unusedFields(read({ options, keep_alive: '5m' }).turn, ['temperature'])).toEqual(['mirostat'])
  })
})

describe('a prompt', () => {
  const generate = (fields: object) => fromOllamaGenerate({ model: 'm', ...fields }, new Notes())

  it('is one message of the user', () => {
    expect(generate({ system: 's', prompt: 'p', images: ['/9j/'] }).turn.messages).toMatchObject([
      { role: 'system', content: [{ text: 's' }] },
      { role: 'user', content: [{ text: 'p' }, { type: 'image' }] },
    ])
  })

  it.each(['raw', 'suffix', 'context'])('with %s is refused', (name) => {
    const value = { raw: true, suffix: 'x', context: [1] }[name]
    expect(problem({ prompt: 'p', [name]: value }, generate as typeof read)).toContain(`${name}: `)
  })
})

it.each([
  [{ messages: [] }, 'load'],
  [{}, 'load'],
  [{ messages: [], keep_alive: 0 }, 'unload'],
  [{ prompt: '', keep_alive: '0s' }, 'unload'],
  [{ prompt: '', keep_alive: '5m' }, 'load'],
  [{ messages: [{}] }, undefined],
  [{ prompt: 'x' }, undefined],
  [{ images: ['x'] }, undefined],
])('%j only loads or unloads a model: %s', (fields, reason) => {
  expect(preloadOf({ model: 'm', ...fields })?.reason).toBe(reason)
})

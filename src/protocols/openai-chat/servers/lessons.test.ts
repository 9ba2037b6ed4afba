import { describe, expect, it } from 'vitest'
import { lessonOf, type RefusedRequest } from './lessons.ts'
import { toolLessonOf } from './tool-lessons.ts'
import { commonGround } from './traits.ts'

const learn = (text: string, body: RefusedRequest['body'] = {}, more: Partial<RefusedRequest> = {}) =>
  lessonOf({ text: `box: ${text}`, param: undefined, body, traits: commonGround, ...more })

describe('lessonOf', () => {
  it.each([
    ["Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", { max_tokens: 5 }, { limitField: 'max_completion_tokens' }],
    ["Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.", { temperature: 0.2 }, { refuses: ['temperature'] }],
    ["Unsupported parameter: 'stop' is not supported with this model.", { stop: ['x'] }, { refuses: ['stop'] }],
    ["Unknown parameter: 'search_parameters'.", { search_parameters: {} }, { refuses: ['search_parameters'] }],
    ['Unrecognized request argument supplied: thinking', { thinking: {} }, { refuses: ['thinking'] }],
    ['body.store: Extra inputs are not permitted', { store: true }, { refuses: ['store'] }],
    ['body.stream_options: Extra inputs are not permitted', { stream_options: {} }, { streamOptions: false }],
    ["Extra inputs are not permitted, field: 'messages[1].reasoning_content'", {}, undefined],
    ["Extra inputs are not permitted, field: 'reasoning_content'", {}, { reasoning: 'reasoning' }],
    ["'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]", {}, { reasoning: 'reasoning' }],
    ["Unsupported value: 'minimal' is not supported with the 'gpt-5.6-sol' model. Supported values are: 'none', 'low', 'medium', 'high', 'xhigh', and 'max'.", { reasoning_effort: 'minimal' }, { efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'] }],
    ['invalid reasoning value: "x" (must be "minimal", "low", "medium", "high", "xhigh", "ultra", "max", or "none")', { reasoning_effort: 'x' }, { efforts: ['minimal', 'low', 'medium', 'high', 'xhigh', 'ultra', 'max', 'none'] }],
    ['The tool_choice parameter does not support being set to required or object in thinking mode', { tool_choice: 'required' }, { forcedWhileThinking: false, thinks: true }],
    ['deepseek-reasoner does not support this tool_choice', { tool_choice: 'required' }, { forcedWhileThinking: false, thinks: true }],
    ['body.messages.1.assistant.refusal: Extra inputs are not permitted', { messages: [{ refusal: null }] }, { nullFields: false }],
    ['Provider returned error: messages.1.content.0: Invalid `signature` in `thinking` block', {}, { reasoning: 'nowhere' }],
    ['wrong_api_format: reasoning_content in messages is not supported', {}, { reasoning: 'reasoning' }],
    ['System message must be at the beginning.', {}, { systemMessages: 'in front' }],
  ] as const)('%s', (text, body, lesson) => {
    expect(learn(text, body)).toEqual(lesson)
  }) // biome-ignore format: a table to be read as one

  it.each([
    'Incorrect API key provided',
    "This model's maximum context length is 4096 tokens.",
    "Unsupported parameter: 'tools' is not supported with this model.",
    "Unknown parameter: 'messages'.",
    "Unsupported parameter: 'response_format' is not supported with this model.",
    "Unsupported parameter: 'never_sent' is not supported with this model.",
    'model does not support tools',
    '',
  ])('learns nothing from: %s', (text) => {
    expect(learn(text, { tools: [], messages: [], response_format: {}, max_tokens: 1 })).toBeUndefined()
  })

  it('does not learn the same lesson twice', () => {
    const text = "Unknown parameter: 'x'."
    const refuses = ['x']
    expect(learn(text, { x: 1 })).toEqual({ refuses })
    expect(learn(text, {}, { traits: { ...commonGround, refuses } })).toBeUndefined()
    const reasoning = "property 'reasoning_content' is unsupported"
    expect(learn(reasoning, {}, { traits: { ...commonGround, reasoning: 'reasoning' } })).toEqual({
      reasoning: 'nowhere',
    })
  })

  it('a model that needs reasoning off for tools, and cannot turn it off, takes no tools', () => {
    const text = "Unsupported value: 'none' is not supported with the 'x' model. Supported values are: 'low'."
    const traits = { ...commonGround, chatTools: 'stated none' } as const
    expect(learn(text, { reasoning_effort: 'none' }, { traits })).toEqual({ chatTools: 'never' })
  })
})

describe('the most tools of a request', () => {
  const body = { tools: Array.from({ length: 150 }, () => ({})) }
  const told = (text: string) => toolLessonOf({ text, body, isStrictAsked: false })

  it.each([
    "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead.",
    "'tools' : maximum number of items is 128",
    'Too many tools: 150 given, 128 allowed.',
    'A request may have at most 128 tools.',
    "got 150 items in 'tools', which takes at most 128 items",
  ])('is read from: %s', (text) => {
    expect(told(text)).toEqual({ lesson: { mostTools: 128 }, scope: 'model' })
  })

  it.each([
    "Invalid 'tools[3].function.description': string too long. Expected a string with maximum length 1024.",
    "Invalid 'messages': array too long. Expected an array with maximum length 100.",
    "'tools': maximum number of items is 1",
    'too many tools',
    "Invalid 'tools': array too long, at most 512 items.",
  ])('is not read from: %s', (text) => {
    expect(told(text)).toBeUndefined()
  })
})

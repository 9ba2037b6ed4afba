// What is compared for a backend, and what each choice changes in its settings.

import { describe, expect, it } from 'vitest'
import { backendSchema } from '../../../config/backend-schema.ts'
import { notShownAt, type Question, questionsFor } from './questions.ts'

const questions = (settings: Record<string, unknown>, model = 'qwen3-coder') =>
  questionsFor(backendSchema.parse(settings), model, 'messages')
const openai = { kind: 'openai', baseUrl: 'http://127.0.0.1/v1' }
const formOf = (settings: Record<string, unknown>, model?: string) => {
  const [form] = questions(settings, model).filter(({ name }) => name === 'tools')
  return {
    current: form?.current.name,
    changes: Object.fromEntries((form as Question).choices.map(({ name, changes }) => [name, changes])),
  }
}
const xml = { path: ['toolText', 'formats', 'qwen3-coder'], value: 'xml', isFirst: true }
const json = { ...xml, value: 'json' }
const text = { path: ['tools'], value: 'text' }

describe('tools', () => {
  it('are native by default', () => {
    expect(formOf(openai)).toEqual({
      current: 'native',
      changes: { native: [], 'text, as JSON': [text], 'text, as XML': [text, xml] },
    })
  })

  it('as text are native again without the settings of text', () => {
    const toolText = { formats: { '*coder*': 'xml' } }
    expect(formOf({ ...openai, tools: 'text', toolText })).toEqual({
      current: 'text, as XML',
      changes: {
        native: [{ path: ['tools'], value: 'native' }, { path: ['toolText'] }],
        'text, as JSON': [json],
        'text, as XML': [],
      },
    })
    expect(formOf({ ...openai, tools: 'text' }, 'm').changes.native).toEqual([
      { path: ['tools'], value: 'native' },
    ])
  })

  it('of the Qwen web chat are always text', () => {
    expect(formOf({ kind: 'qwen-web', token: 'x' })).toEqual({
      current: 'text, as JSON',
      changes: { 'text, as JSON': [], 'text, as XML': [xml] },
    })
  })

  it.each([{ kind: 'anthropic', apiKey: 'x' }, { kind: 'cursor' }])(
    'of $kind are no question',
    (settings) => {
      expect(questions(settings).map(({ name }) => name)).not.toContain('tools')
    },
  )
})

/** Each is asked about from the day on which the schema has it. */
describe.each([
  ['strict', ['strict'], ['on', 'off']],
  ['call checking', ['calls', 'check'], ['repair', 'retry']],
] as const)('%s', (name, path, values) => {
  const setting = (value: string) => path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  const isKnown = backendSchema.safeParse({ ...openai, ...(setting(values[0]) as object) }).success

  it('is asked about if the schema has it', () => {
    expect(questions(openai).some((question) => question.name === name)).toBe(isKnown)
  })

  it.runIf(isKnown && name === 'strict')('is not asked about where requests pass as they are', () => {
    const backend = backendSchema.parse(openai)
    expect(questionsFor(backend, 'm', 'chat').some((question) => question.name === name)).toBe(false)
    expect(notShownAt(backend, 'chat')).toEqual([name])
    expect(notShownAt(backend, 'messages')).toEqual([])
  })

  it.runIf(isKnown)('has the default first, and a change for every other value', () => {
    const [question] = questions(openai).filter((one) => one.name === name)
    expect(question?.current).toBe(question?.choices[0])
    const changes = question?.choices.flatMap((choice) => choice.changes)
    expect(changes).toEqual(expect.arrayContaining(values.slice(1).map((value) => ({ path, value }))))
    expect(question?.choices.filter((choice) => choice.changes.length === 0)).toHaveLength(1)
  })
})

it('call checking that is set can be left to its default again', () => {
  const set = questions({ ...openai, calls: { check: 'off' } }).find(({ name }) => name === 'call checking')
  expect(set?.current.name).toBe('call checking off')
  expect(set?.choices.map(({ changes }) => changes)).toEqual([
    [{ path: ['calls'] }],
    [],
    [{ path: ['calls', 'check'], value: 'repair' }],
    [{ path: ['calls', 'check'], value: 'retry' }],
  ])
})

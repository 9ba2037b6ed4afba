import { describe, expect, it } from 'vitest'
import { NearWords } from './near-words.ts'
import { needsOf, openNeeds } from './needs.ts'
import { readQuestion } from './question.ts'
import { translate } from './translations.ts'
import { valueKinds } from './value-kinds.ts'
import { keyOf } from './words.ts'

describe('readQuestion', () => {
  const weightOf = (question: string, word: string) => readQuestion(question).get(keyOf(word)) ?? 0

  it('counts a name inside a sentence less than a word', () => {
    expect(weightOf('hotels in San Diego', 'diego')).toBeLessThan(weightOf('hotels in San Diego', 'hotel'))
    expect(weightOf('Oakland, CA', 'ca')).toBe(1)
    expect(weightOf('near Oakland, CA', 'ca')).toBeLessThan(1)
  })

  it('takes no name where a sentence begins, or where every word has a capital', () => {
    expect(weightOf('Hello. Weather tomorrow', 'weather')).toBe(1)
    expect(weightOf('Get Current Weather', 'weather')).toBe(1)
  })

  it('reads a date as a date, not as words', () => {
    expect(weightOf('museums next Tuesday', 'tuesday')).toBe(0)
    expect(weightOf('museums next Tuesday', 'date')).toBeGreaterThan(0)
  })

  it('hints at what tools call a thing', () => {
    expect(weightOf('a taxi to the station', 'ride')).toBeGreaterThan(0)
    expect(weightOf('a taxi to the station', 'taxi')).toBe(1)
    expect(weightOf('100 yen', 'currency')).toBeGreaterThan(0)
  })
})

describe('valueKinds', () => {
  it.each([
    ['the game of 2026-04-13', ['date']],
    ['March 4th, or tomorrow', ['date']],
    ['some day next week', ['date']],
    ['at 4:30 PM', ['time']],
    ['ask me@example.com for $40', ['email', 'price']],
    ['see https://example.com', ['url']],
    ['in Seattle, WA', ['city']],
    ['at 46.6033, 1.8883', ['coordinates', 'latitude', 'longitude']],
    ['394 times 213', ['multiply', 'product']],
    ['node --version', ['command']],
    ['open notepad.exe', ['command']],
    ['version 1.2 of 3 parts', []],
  ])('%s', (question, kinds) => {
    expect(valueKinds(question)).toEqual(kinds)
  })
})

describe('needs', () => {
  const schema = (properties: Record<string, unknown>, required: unknown) => ({ properties, required })

  it('are those of required parameters', () => {
    const properties = {
      start_date: { type: 'string' },
      city: { type: 'string' },
      amount: { type: 'number' },
      note: { type: 'string' },
    }
    expect(needsOf(schema(properties, ['start_date', 'city', 'amount', 'note']))).toEqual([
      'date',
      'place',
      'number',
    ])
    expect(needsOf(schema(properties, ['note']))).toEqual([])
  })

  it.each([undefined, null, [], 'text', {}, schema({}, 'city'), schema({}, [1, {}, null, 'toString'])])(
    'are none of %j',
    (given) => {
      expect(needsOf(given)).toEqual([])
    },
  )

  it.each([
    ['What is the weather?', ['date', 'number', 'place']],
    ['What is the weather in Rome tomorrow?', ['number']],
    ['Where can I eat on 2026-04-13?', ['number', 'place']],
    ['I want five burgers', ['date', 'place']],
    // Words to search for have no values.
    ['weather forecast', []],
  ])('are open in a request: %s', (question, open) => {
    expect([...openNeeds(question)]).toEqual(open)
  })
})

describe('NearWords', () => {
  const words = new NearWords(['temperatur', 'histor', 'forecast', 'forest', 'car', 'card'])

  it.each([
    ['temperatura', ['temperatur']],
    ['historyof', ['histor']],
    ['forcast', ['forecast']],
    ['froecast', []],
    ['foreacst', ['forecast']],
    ['cart', []],
    ['ca', []],
    ['xylophone', []],
  ])('%s: %j', (word, near) => {
    expect(words.near(word)).toEqual(near)
  })
})

describe('NearWords of hostile tools', () => {
  it('compares a bounded number of words that begin alike', () => {
    const alike = Array.from({ length: 1_000 }, (_, at) => `abc${at + 1_000}`)
    const words = new NearWords(alike)
    expect(words.near('abc1000x')).toEqual(['abc1000'])
    expect(words.near('abc1999x')).not.toContain('abc1999')
  })
})

describe('translate', () => {
  it.each([
    ['天气', 'weather'],
    ['날씨를', 'weather'],
    ['погоду', 'weather'],
    ['archivo', 'file'],
    ['loschen', 'delete'],
    ['weather', undefined],
    ['a', undefined],
  ])('%s: %s', (word, english) => {
    expect(translate(word)).toBe(english === undefined ? undefined : keyOf(english))
  })
})

// The choice of settings: which combinations are measured, which one wins, and when the rest is not worth a request.

import { describe, expect, it } from 'vitest'
import { CouldNotRun } from '../probe.ts'
import { choose, marginFor, matters } from './choose.ts'
import { type Measured, TuneEnded } from './measure.ts'
import type { Choice, Question } from './questions.ts'
import { type Combination, mostCombinations, type TuneOptions, tune } from './tune.ts'

const choice = (name: string, value?: string): Choice => ({
  name,
  changes: value === undefined ? [] : [{ path: [name.split(' ')[0] ?? ''], value }],
})

const form = (currentAt = 0): Question => {
  const all = ['native', 'text, as JSON', 'text, as XML']
  const choices = all.map((name, at) => choice(name, at === currentAt ? undefined : name))
  return { name: 'tools', choices, current: choices[currentAt] as Choice }
}

const strict: Question = (() => {
  const choices = [choice('strict auto'), choice('strict on', 'on'), choice('strict off', 'off')]
  return { name: 'strict', choices, current: choices[0] as Choice, needsNative: true }
})()

const checks: Question = (() => {
  const choices = [choice('calls off'), choice('calls repair', 'repair'), choice('calls retry', 'retry')]
  return { name: 'calls', choices, current: choices[0] as Choice }
})()

const measuredAt = (score: number, state: Measured['state'] = 'complete'): Measured => ({
  ...{ score, atMost: score, passed: 1, total: 1, planned: 1, requests: 1 },
  ...{ inputTokens: 1, outputTokens: 1, milliseconds: 1, state },
  ...(state === 'complete' ? {} : { reason: `${state} at ${score}` }),
})

/** Tunes by a table of scores: by the changed settings, or 'now' for the configuration as it is. */
async function tuned(
  questions: Question[],
  scores: Record<string, number | Measured | TuneEnded>,
  effectOf?: TuneOptions['effectOf'],
) {
  const asked: string[] = []
  const measure = async ({ changes }: Combination) => {
    const key = changes.map(({ value }) => value).join(' + ') || 'now'
    asked.push(key)
    const found = scores[key]
    if (found === undefined) throw new Error(`no score for ${key}`)
    if (found instanceof TuneEnded) throw found
    return typeof found === 'number' ? measuredAt(found) : found
  }
  const result = await tune({ questions, margin: 5, measure, ...(effectOf && { effectOf }) })
  return { ...result, asked, values: result.changes.map(({ value }) => value) }
}

describe('choose', () => {
  const names = (...scores: number[]) =>
    choose(
      scores.map((score, at) => ({ score, at })),
      5,
    )?.at

  it.each([
    [[90, 90], 0],
    [[90, 94.9], 0],
    [[90, 95], 1],
    [[90, 95, 99], 1],
    [[80, 95, 99.9], 1],
    [[80, 90, 95.1], 2],
    [[0, 0, 0], 0],
  ])('of %j the one at %i', (scores, at) => {
    expect(names(...scores)).toBe(at)
  })

  it('of nothing is nothing', () => {
    expect(choose([], 5)).toBeUndefined()
  })

  it('counts small differences the more, the more runs there are', () => {
    expect([1, 4, 25].map(marginFor)).toEqual([5, 2.5, 1])
  })

  it('with no margin takes the simplest of the equal ones alone', () => {
    expect(choose([{ score: 90 }, { score: 90 }, { score: 90.1 }], 0)).toEqual({ score: 90.1 })
    expect(
      choose(
        [
          { score: 90, a: 1 },
          { score: 90, a: 2 },
        ],
        0,
      ),
    ).toEqual({ score: 90, a: 1 })
  })
})

describe('matters', () => {
  it.each([
    ['a later one that can only tie', 94, [90], [], false],
    ['a later one that can be better', 95, [90], [], true],
    ['a simpler one that is nearly as good', 91, [], [95], true],
    ['a simpler one that is too far behind', 89, [], [95], false],
    ['the first', 0, [], [], true],
    ['one that cannot win, but shows that the simplest is not good enough', 100, [93, 96], [], true],
  ])('%s', (_, atMost, simpler, others, expected) => {
    expect(matters(atMost, { simpler, others }, 5)).toBe(expected)
  })

  it('never turns from true to false as the score rises', () => {
    for (const rivals of [
      { simpler: [40, 60], others: [55] },
      { simpler: [], others: [90, 20] },
    ]) {
      const verdicts = Array.from({ length: 101 }, (_, score) => matters(score, rivals, 5))
      expect(verdicts.lastIndexOf(false)).toBeLessThan(verdicts.indexOf(true))
    }
  })
})

describe('tune', () => {
  it('keeps what is configured where nothing is better', async () => {
    const { asked, changes, best, current } = await tuned([form()], {
      now: 80,
      'text, as JSON': 84,
      'text, as XML': 20,
    })
    expect({ asked, changes }).toEqual({ asked: ['now', 'text, as JSON', 'text, as XML'], changes: [] })
    expect(best).toBe(current)
  })

  it('takes text where native calls are worse', async () => {
    const { values, best, current } = await tuned([form()], {
      now: 40,
      'text, as JSON': 90,
      'text, as XML': 93,
    })
    expect(values).toEqual(['text, as JSON'])
    expect([current?.score, best?.score]).toEqual([40, 90])
  })

  it('goes back to native calls where text is no better', async () => {
    const { values, asked } = await tuned([form(2)], { native: 93, 'text, as JSON': 96, now: 97 })
    expect(values).toEqual(['native'])
    expect(asked).toEqual(['native', 'text, as JSON', 'now'])
  })

  it('measures nothing that could not win', async () => {
    const { asked, answers, changes } = await tuned([form(), strict, checks], { now: 96 })
    expect({ asked, changes }).toEqual({ asked: ['now'], changes: [] })
    expect(answers.map(({ rows }) => rows.map(({ measured }) => measured?.score))).toEqual([
      [96, undefined, undefined],
      [96, undefined, undefined],
      [96, undefined, undefined],
    ])
  })

  it('decides one question after the other, each on the best so far', async () => {
    const { asked, values } = await tuned([form(), strict, checks], {
      now: 70,
      'text, as JSON': 50,
      'text, as XML': 50,
      on: 60,
      off: 80,
      'off + repair': 84,
      'off + retry': 90,
    })
    expect(asked).toEqual([
      'now',
      'text, as JSON',
      'text, as XML',
      'on',
      'off',
      'off + repair',
      'off + retry',
    ])
    expect(values).toEqual(['off', 'retry'])
    expect(mostCombinations([form(), strict, checks])).toBe(asked.length)
  })

  it('measures one of two choices with the same effect', async () => {
    const effectOf = (changes: readonly { value?: unknown }[]) =>
      changes.map(({ value }) => (value === 'repair' ? '' : String(value))).join('')
    const { asked, answers } = await tuned([checks], { now: 60, retry: 80 }, effectOf)
    expect(asked).toEqual(['now', 'retry'])
    expect(answers[0]?.rows.map((row) => row.choice.name)).toEqual(['calls off', 'calls retry'])
    expect(answers[0]?.winner?.name).toBe('calls retry')
  })

  it('compares with the defaults of the settings that come later', async () => {
    const choices = [choice('calls repair', 'repair'), choice('calls off')]
    const off: Question = { name: 'calls', choices, current: choices[1] as Choice }
    const { asked, values, current } = await tuned([form(), off], { repair: 96 })
    expect({ asked, values, current }).toEqual({ asked: ['repair'], values: ['repair'], current: undefined })
  })

  it('leaves what it did not decide as it is', async () => {
    const choices = [choice('calls repair', 'repair'), choice('calls off')]
    const off: Question = { name: 'calls', choices, current: choices[1] as Choice }
    const { values, best } = await tuned([form(), off], {
      repair: 50,
      'text, as JSON + repair': 60,
      'text, as XML + repair': 60,
      'text, as JSON': new TuneEnded('budget', 'used up'),
    })
    expect({ values, score: best?.score }).toEqual({ values: ['text, as JSON'], score: 60 })
  })

  it('does not ask about strict where the calls are text', async () => {
    const { answers, values } = await tuned([form(), strict, checks], {
      now: measuredAt(2, 'lost'),
      'text, as JSON': 70,
      'text, as XML': 70,
      'text, as JSON + repair': 70,
      'text, as JSON + retry': 70,
    })
    expect(answers.map(({ question }) => question.name)).toEqual(['tools', 'calls'])
    expect(values).toEqual(['text, as JSON'])
  })

  it('lets what ended early lose, even to a low score', async () => {
    const { values } = await tuned([form()], {
      now: measuredAt(4, 'lost'),
      'text, as JSON': 6,
      'text, as XML': 3,
    })
    expect(values).toEqual(['text, as JSON'])
  })

  it('goes on behind a combination that could not run', async () => {
    const { values } = await tuned([form()], {
      now: measuredAt(0, 'could-not-run'),
      'text, as JSON': 80,
      'text, as XML': 80,
    })
    expect(values).toEqual(['text, as JSON'])
  })

  it('fails where nothing could run, with the first reason', async () => {
    const silent = measuredAt(0, 'could-not-run')
    const tried = tuned([form()], { now: silent, 'text, as JSON': silent, 'text, as XML': silent })
    await expect(tried).rejects.toThrow(new CouldNotRun('could-not-run at 0'))
  })

  it('keeps the answers that it has when the budget ends', async () => {
    const { values, ended, answers } = await tuned([form(), checks], {
      now: 10,
      'text, as JSON': 70,
      'text, as XML': 70,
      'text, as JSON + repair': new TuneEnded('budget', 'used up'),
    })
    expect(values).toEqual(['text, as JSON'])
    expect(ended?.by).toBe('budget')
    expect(answers.map(({ winner }) => winner?.name)).toEqual(['text, as JSON', undefined])
  })
})

// Our own gateway, by every case, at all doors, before both upstreams.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Credit } from '../../src/judge/conform/case.ts'
import type { Result } from '../../src/judge/conform/run.ts'
import { upstreamKinds } from '../../src/judge/conform/upstream/played.ts'
import { isNightly, spread } from '../depth.ts'
import { failedIds, failures, type Judged, startJudged } from './judge.ts'

describe.each(spread(upstreamKinds, 1))('before a scripted %s upstream', (kind) => {
  let judged: Judged
  let results: Result[]
  beforeAll(async () => {
    judged = await startJudged(kind)
    results = await judged.judge()
  }, 120_000)
  afterAll(() => judged.close())

  it.runIf(isNightly)(
    'with arguments that are streamed, a call that is cut off shows, and Chat streams are written anew: by choice',
    async () => {
      const streaming = await startJudged(kind, { toolArguments: 'streamed' })
      const failed = failedIds(await streaming.judge())
      await streaming.close()
      expect(failed).toEqual(kind === 'openai' ? ['T12b', 'U44', 'U44b'] : ['T12b'])
    },
    60_000,
  )

  it('every case passes', () => {
    expect(failures(results)).toEqual([])
  })

  it('and is judged', () => {
    const left = results.filter(({ outcome }) => outcome !== 'pass')
    expect(left.map(({ id, door, outcome, reason }) => [id, door, outcome, reason])).toEqual([])
  })

  it('calls that do not fit are mended wherever that is possible, and announced; so are ids that are made distinct', () => {
    const withCredit = (credit: Credit) =>
      results.filter(({ credits = [] }) => credits.includes(credit)).map(nameOf)
    const checksOf = (...ids: string[]) => results.filter(({ id }) => ids.includes(id)).map(nameOf)
    const mended = checksOf('U33', 'U34', 'U34b', 'U35', 'U35b', 'U36', 'U37')
    expect(withCredit('mended')).toEqual(mended)
    const announced = withCredit('announced')
    expect([...checksOf('T42'), ...mended].filter((name) => !announced.includes(name))).toEqual([])
  })
})

const nameOf = ({ id, door, form }: Result) => `${id} ${door}/${form}`

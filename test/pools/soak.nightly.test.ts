// The soak of pools in short; `npm run soak:pools` runs it for as long as it is told to.

import { expect, it } from 'vitest'
import { describeWithRedis, startRedis } from '../redis.ts'
import { type SoakFigures, soak } from './soak.ts'

const minutes = process.env.SOAK_MINUTES === undefined ? undefined : Number(process.env.SOAK_MINUTES)
const ms = minutes === undefined ? 1_500 : minutes * 60_000
const agents = Number(process.env.SOAK_AGENTS ?? 30)
const instances = process.env.SOAK_INSTANCES
const wantsOne = instances === undefined || instances === '1'
const wantsTwo = instances === undefined || instances === '2'

function judge(figures: SoakFigures): void {
  if (minutes !== undefined) process.stdout.write(`${JSON.stringify(figures, undefined, 2)}\n`)
  expect(figures.wrong).toEqual([])
  expect(figures.moves).toBe(figures.switches)
  expect(figures.moves).toBeGreaterThan(0)
  expect(figures.strayed).toEqual([])
  expect(figures.tooEarly).toEqual([])
  if (figures.outages === 0) expect(figures.judged).toBe(figures.turns)
}

it.runIf(wantsOne)(
  'keeps every conversation with its account while that works',
  async () => judge(await soak({ ms, agents, instances: 1 })),
  ms + 60_000,
)

describeWithRedis('two instances with Redis', () => {
  it.runIf(wantsTwo)(
    'do the same together',
    async () => {
      const redis = await startRedis()
      try {
        judge(await soak({ ms, agents, instances: 2, redis: redis.url }))
      } finally {
        await redis.stop()
      }
    },
    ms + 60_000,
  )
})

// Three instances are restarted one after the other, while fifty agents work through them: every turn completes, if not
// at the first try then at the client's retry.

import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { Running } from '../cli/program.ts'
import { askCursor, followUp } from '../cursor-bench.ts'
import type { Body } from '../harness.ts'
import { user } from '../harness.ts'
import { describeWithRedis } from '../redis.ts'
import { askUntilAnswered, startSurroundings } from './instances.ts'

const agents = 50

describeWithRedis('a rolling restart', () => {
  it('of three instances loses no turn of fifty agents', async () => {
    const around = await startSurroundings({ paceMs: 5 })
    const running: Running[] = []
    for (let at = 0; at < 3; at++) running.push(await around.start())
    const urls = running.map(({ url }) => url)
    let isRestarting = true
    const sessions = new Map<string, number>()
    let turns = 0

    async function work(agent: number): Promise<void> {
      let body = askCursor(`I am agent ${agent}.`)
      for (let turn = 0; isRestarting || turn < 2; turn++) {
        const content = `content ${agent}.${turn}`
        body = { ...body, messages: [...(body.messages as Body[]), user(`Read file-${turn}.txt`)] }
        for (let round = 0; ; round++) {
          const from = agent + turn + round
          const { answer } = await askUntilAnswered(
            [0, 1, 2].map((at) => urls[(from + at) % 3] ?? ''),
            body,
          )
          sessions.set(answer.session ?? '', (sessions.get(answer.session ?? '') ?? 0) + 1)
          if (answer.calls.length === 0) {
            expect(answer.text).toContain(content)
            body = {
              ...body,
              messages: [...(body.messages as Body[]), { role: 'assistant', content: answer.text }],
            }
            break
          }
          expect(round).toBeLessThan(3)
          body = followUp(
            body,
            answer,
            answer.calls.map(() => content),
          )
        }
        turns++
      }
    }

    const working = Promise.all(Array.from({ length: agents }, (_, agent) => work(agent)))
    for (const [at, instance] of running.entries()) {
      await sleep(1_000)
      const port = Number(new URL(instance.url).port)
      instance.kill('SIGTERM')
      expect((await instance.ended).code).toBe(0)
      running[at] = await around.start(port)
    }
    isRestarting = false
    await working
    expect(turns).toBeGreaterThan(2 * agents)
    expect(sessions.get('live')).toBeGreaterThan(0)
    expect(around.sim.violations).toEqual([])
    expect([...around.sim.deliveries.values()].filter((count) => count > 1)).toEqual([])
  })
})

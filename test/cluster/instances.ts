// Several gateways as processes of their own, with one Redis and one simulated Cursor between them, and a client that
// does what SDKs do: it sends a request again that failed, to the next instance, as a balancer would have it.

import { setTimeout as sleep } from 'node:timers/promises'
import { type CursorSim, type CursorSimOptions, startCursorSim } from '../../sim/cursor.ts'
import { atEnd, Home, type Running } from '../cli/program.ts'
import { peerSecret } from '../cluster-parts.ts'
import { type Answer, answerOf, cursorKey } from '../cursor-bench.ts'
import type { Body } from '../harness.ts'
import { startRedis, type TestRedis } from '../redis.ts'

export interface Surroundings {
  sim: CursorSim
  redis: TestRedis
  start(port?: number): Promise<Running>
}

export async function startSurroundings(options: CursorSimOptions = {}): Promise<Surroundings> {
  const sim = await startCursorSim({ apiKey: cursorKey, ...options })
  const redis = await startRedis()
  atEnd(async () => {
    await sim.close()
    await redis.stop()
  })
  const home = new Home()
  const config = {
    auth: 'none',
    backends: { cursor: { kind: 'cursor', baseUrl: sim.url, apiKey: cursorKey, transport: 'http2' } },
    sessions: { redis: redis.url, peerSecret },
  }
  return {
    sim,
    redis,
    start: async (port = 0) => {
      const running = await home.serve(config, ['--port', String(port)])
      atEnd(() => running.stop())
      return running
    },
  }
}

export interface Persistent {
  answer: Answer
  /** How often it was sent. */
  tries: number
  ms: number
}

const patienceMs = 60_000

/** Sends until it is answered, to one instance after the other. */
export async function askUntilAnswered(urls: readonly string[], body: Body): Promise<Persistent> {
  const since = performance.now()
  const failures: string[] = []
  for (let tries = 1; performance.now() - since < patienceMs; tries++) {
    const url = urls[(tries - 1) % urls.length] ?? ''
    try {
      const answer = await answerOf(url, body, 'streamed')
      if (answer.status === 200 && answer.error === undefined && answer.finish !== undefined)
        return { answer, tries, ms: performance.now() - since }
      failures.push(`${answer.status} ${answer.error?.message ?? answer.finish}`)
    } catch (error) {
      failures.push(String((error as Error).cause ?? error).slice(0, 200))
    }
    await sleep(100)
  }
  throw new Error(`not answered within ${patienceMs} ms: ${failures.join('; ')}`)
}

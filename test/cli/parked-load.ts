// Many runs of one gateway wait at the same time, and then all continue.

import { expect } from 'vitest'
import { startCursorSim } from '../../sim/cursor.ts'
import { type Answer, answerOf, askCursor, cursorKey, followUp } from '../cursor-bench.ts'
import { atEnd, Home } from './program.ts'

/** Fewer than the gateway takes connections. */
const atOnce = 200

async function forEach<T, R>(items: readonly T[], work: (item: T, at: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at] as T, at)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}

/** All finish, on ten connections at least, in at most 400 MB. */
export async function parkAndResume(runs: number): Promise<void> {
  const sim = await startCursorSim({ apiKey: cursorKey, maxConcurrentStreams: runs / 10 })
  atEnd(() => sim.close())
  const cursor = { kind: 'cursor', baseUrl: sim.url, apiKey: cursorKey, transport: 'http2' }
  // Its memory is measured.
  const gateway = await new Home().serve({ auth: 'none', log: { level: 'warn' }, backends: { cursor } }, [], {
    ownProcess: true,
  })
  atEnd(() => gateway.stop())
  const metric = async (name: string) => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1])
  }

  const body = askCursor('Read README.md')
  const firsts = await forEach(Array.from({ length: runs }), () => answerOf(gateway.url, body, 'streamed'))
  expect(sim.runs.filter((run) => run.closed === undefined)).toHaveLength(runs)
  expect(sim.peakConnections).toBeGreaterThanOrEqual(10)
  expect(await metric('dragoman_sessions_waiting')).toBe(runs)
  expect(await metric('dragoman_resident_memory_bytes')).toBeLessThan(400e6)

  const seconds = await forEach<Answer, Answer>(firsts, (first, at) =>
    answerOf(gateway.url, followUp(body, first, [`content ${at}`]), 'streamed'),
  )
  for (const [at, { session, finish, text }] of seconds.entries())
    expect([session, finish, text.includes(`content ${at}`)]).toEqual(['live', 'stop', true])
  expect(sim.runs).toHaveLength(runs)
  expect(sim.violations).toEqual([])
  expect(await metric('dragoman_resident_memory_bytes')).toBeLessThan(400e6)
  await expect.poll(() => metric('dragoman_sessions_answering')).toBe(0)
  expect(await metric('dragoman_sessions_waiting')).toBe(0)
}

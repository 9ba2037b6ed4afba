// Measures the memory of a gateway under overload, and whether it answers other requests meanwhile.
//
// The measure is the resident memory of the built gateway as a process of its own, sampled every 5 ms, above what it was when
// idle. Resident memory has garbage in it that V8 has not collected yet, and V8 lets garbage grow with the heap. So the process has
// a small young generation, and an old generation that cannot hold more than the allowance: garbage is collected in time, and
// code that keeps more than the allowance ends the process, which fails the test too. Buffers outside the heap count
// in full. V8 collects those only when 64 MiB of them have come since the last time, whatever their use (its soft limit of external
// memory, which no flag changes): floods of large binary messages are allowed that much more, `binarySlack`.

import { Worker } from 'node:worker_threads'
import { expect } from 'vitest'
import { atTestEnd } from '../at-end.ts'
import { Home, type Running } from '../cli/program.ts'

export const MiB = 1024 * 1024

/** What the gateway may keep of one turn, whatever it is. */
export const turnBound = 64 * MiB

/** A flood sends this many times the bound; what a turn kept of it would show at three. FLOOD_TIMES=20 is for a longer look. */
const floodTimes = Number(process.env.FLOOD_TIMES ?? 3)
export const floodBytes = floodTimes * turnBound

/** Buffers that are garbage already; see above. */
export const binarySlack = 64 * MiB

/** How long `/healthz` may take, however busy the gateway is. */
export const healthMs = 250

/** The heap of an idle gateway; the old generation has room for that and the allowance. */
const idleHeapBytes = 48 * MiB
const pollEveryMs = 50
const patienceMs = 10_000

export interface Overload<T> {
  /** What the attack gave back; undefined where it failed. */
  result: T | undefined
  /** Why it failed, e.g. because the gateway is gone. */
  failure: unknown
  baselineBytes: number
  peakBytes: number
  /** The peak above the baseline. */
  grownBytes: number
  /** The longest that `/healthz` took. */
  slowestMs: number
  /** What went wrong with `/healthz`. */
  failures: string[]
  polls: number
  /** How the process ended, if it did. */
  ended: string | undefined
}

export interface OverloadOptions {
  /** Settings of the gateway; anyone may call it unless they say otherwise. */
  config: Record<string, unknown>
  /** More arguments of `serve`. */
  args?: readonly string[]
  /** How much more than idle the process may take: twice the bound of what is attacked. */
  allowedBytes?: number
  /** Requests of this kind that go well, so that code and pools are loaded before the baseline is taken. */
  warmUp?(gateway: Running): Promise<unknown>
}

/** Starts a gateway, runs `attack` against it, and returns what that cost. */
export async function overload<T>(
  { config, args = [], allowedBytes = 2 * turnBound, warmUp }: OverloadOptions,
  attack: (gateway: Running) => Promise<T>,
): Promise<Overload<T>> {
  const oldSpace = Math.ceil((idleHeapBytes + allowedBytes) / MiB)
  const env = { NODE_OPTIONS: `--max-old-space-size=${oldSpace} --max-semi-space-size=4` }
  const gateway = await new Home().serve({ auth: 'none', log: { level: 'error' }, ...config }, args, { env })
  atTestEnd(() => gateway.stop())
  await warmUp?.(gateway)
  const idle = await watched(gateway, () => new Promise((resolve) => setTimeout(resolve, 500)))
  let ended: string | undefined
  void gateway.ended.then(({ code, signal, stderr }) => {
    ended = `ended with ${code ?? signal}: ${stderr.slice(-2_000)}`
  })
  let failure: unknown
  const { result, seen } = await watched(gateway, () =>
    attack(gateway).catch((error: unknown) => {
      failure = error
      return undefined
    }),
  )
  const state = ended
  await gateway.stop()
  return {
    result,
    failure,
    baselineBytes: idle.seen.peakBytes,
    peakBytes: seen.peakBytes,
    grownBytes: seen.peakBytes - idle.seen.peakBytes,
    slowestMs: seen.slowestMs,
    failures: seen.failures,
    polls: seen.polls,
    ended: state,
  }
}

/** One line for people, and for the documents. */
export function report(what: string, measured: Overload<unknown>): void {
  const { grownBytes, baselineBytes, slowestMs, polls } = measured
  const [grown, baseline] = [grownBytes, baselineBytes].map((bytes) => Math.round(bytes / MiB))
  const health = `/healthz within ${Math.round(slowestMs)} ms (${polls} times)`
  process.stdout.write(`${what}: ${grown} MiB above ${baseline}, ${health}\n`)
}

/** The gateway still runs, within its allowance, and answered `/healthz` in time. */
export function expectHeld(
  measured: Overload<unknown>,
  allowedBytes = 2 * turnBound,
  allowedMs = healthMs,
): void {
  const { ended, failure, failures, grownBytes, slowestMs } = measured
  expect({ ended, failure, failures }).toEqual({ ended: undefined, failure: undefined, failures: [] })
  expect(grownBytes / MiB).toBeLessThan(allowedBytes / MiB)
  expect(slowestMs).toBeLessThan(allowedMs)
}

interface Seen {
  peakBytes: number
  slowestMs: number
  polls: number
  failures: string[]
}

async function watched<T>(gateway: Running, work: () => Promise<T>): Promise<{ result: T; seen: Seen }> {
  const worker = new Worker(new URL('./watch.mjs', import.meta.url), {
    workerData: { pid: gateway.pid, url: gateway.url, everyMs: pollEveryMs, patienceMs },
  })
  const seen = new Promise<Seen>((resolve, reject) => worker.once('message', resolve).once('error', reject))
  seen.catch(() => undefined)
  try {
    const result = await work()
    worker.postMessage('stop')
    return { result, seen: await seen }
  } finally {
    await worker.terminate()
  }
}

import { beforeEach, describe, expect, it } from 'vitest'
import { type KeptLog, keptLog } from '../../../test/cluster-parts.ts'
import {
  longestWaitMs,
  mostEarlyEnds,
  settledMs,
  type WorkerEnd,
  WorkerPool,
  waitBefore,
} from './worker-pool.ts'

/** A worker under the test's control that records its orders. */
class FakeWorker {
  readonly told: string[] = []
  readonly ready: Promise<string>
  readonly ended: Promise<WorkerEnd>
  readonly number: number
  readonly pid = 4_711
  listen: () => void = () => undefined
  fail: (error: Error) => void = () => undefined
  die: (end?: Partial<WorkerEnd>) => void = () => undefined

  constructor(number: number) {
    this.number = number
    this.ready = new Promise((resolve, reject) => {
      this.listen = () => resolve('http://127.0.0.1:1')
      this.fail = reject
    })
    this.ended = new Promise((resolve) => {
      this.die = ({ code = 1, signal = null } = {}) => {
        this.fail(new Error('ended'))
        resolve({ code, signal })
      }
    })
  }

  stop(reason: string): void {
    this.told.push(`stop ${reason}`)
  }

  end(code: number): void {
    this.told.push(`end ${code}`)
    this.die({ code })
  }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a pool of two workers', () => {
  let workers: FakeWorker[]
  let waits: number[]
  let due: (() => void)[]
  let now: number
  let givenUp: number
  let restarts: number
  let log: KeptLog
  let pool: WorkerPool

  beforeEach(() => {
    ;[workers, waits, now, givenUp, restarts, due] = [[], [], 0, 0, 0, []]
    log = keptLog()
    pool = new WorkerPool({
      ...{ size: 2, log, now: () => now },
      spawn: (number) => {
        const worker = new FakeWorker(number)
        workers.push(worker)
        return worker
      },
      onRestart: () => restarts++,
      onGivenUp: () => givenUp++,
      later: (work, ms) => {
        waits.push(ms)
        due.push(work)
        return () => {
          due = due.filter((other) => other !== work)
        }
      },
    })
  })

  const start = async () => {
    const started = pool.start()
    for (const worker of workers) worker.listen()
    await started
  }
  const comeBack = () => {
    for (const work of due.splice(0)) work()
  }
  /** Ends the last started worker, and lets its restart become due. */
  const dieSoon = async (worker = workers.at(-1)) => {
    worker?.die()
    await settled()
    comeBack()
    await settled()
  }

  it('is ready when each worker is', async () => {
    let url: string | undefined
    void pool.start().then((found) => {
      url = found
    })
    workers[0]?.listen()
    await settled()
    expect(url).toBeUndefined()
    workers[1]?.listen()
    await settled()
    expect([url, workers.map(({ number }) => number)]).toEqual(['http://127.0.0.1:1', [1, 2]])
  })

  it('does not start if one worker cannot: the others are ended, and the reason is reported', async () => {
    const started = pool.start()
    workers[0]?.listen()
    workers[1]?.fail(new Error('the port is in use'))
    await expect(started).rejects.toThrow('the port is in use')
    expect(workers.map(({ told }) => told)).toEqual([['end 1'], ['end 1']])
    expect([waits, pool.running]).toEqual([[], []])
  })

  it('restarts a worker that has lived at once, under its number, and leaves the other alone', async () => {
    await start()
    now = settledMs
    workers[0]?.die({ code: null, signal: 'SIGKILL' })
    await settled()
    expect([waits, pool.running]).toEqual([[0], [workers[1]]])
    comeBack()
    expect(workers[2]?.number).toBe(1)
    workers[2]?.listen()
    await settled()
    expect([pool.running.length, restarts, givenUp]).toEqual([2, 1, 0])
    expect(workers[1]?.told).toEqual([])
    expect([log.count('warn', /has ended/), log.count('info', /was restarted/)]).toEqual([1, 1])
  })

  it('restarts a worker with early ends less and less often, but never gives up while the other lives', async () => {
    await start()
    for (let ends = 0; ends < 40; ends++) await dieSoon(ends === 0 ? workers[0] : undefined)
    expect(waits.slice(0, 5)).toEqual([1_000, 1_000, 2_000, 2_000, 4_000])
    expect([waits.at(-1), givenUp]).toEqual([longestWaitMs, 0])
    now += settledMs
    // A long life resets the count.
    workers.at(-1)?.die()
    await settled()
    now += 2 * settledMs
    comeBack()
    now += settledMs
    workers.at(-1)?.die()
    await settled()
    expect(waits.at(-1)).toBe(0)
  })

  it('gives up if no worker lives and each had repeated early ends', async () => {
    await start()
    for (let round = 1; round <= mostEarlyEnds; round++) {
      expect([pool.running.length, givenUp]).toEqual([2, 0])
      for (const worker of pool.running) (worker as FakeWorker).die()
      await settled()
      comeBack()
    }
    expect([pool.running.length, givenUp]).toEqual([0, 1])
    expect(workers).toHaveLength(2 * mostEarlyEnds)
  })

  it('retries if a restart fails', async () => {
    await start()
    await dieSoon(workers[0])
    workers[2]?.fail(new Error('no memory'))
    await settled()
    expect(workers[2]?.told).toEqual(['end 1'])
    expect(log.count('error', /could not be restarted/)).toBe(1)
    comeBack()
    expect(workers[3]?.number).toBe(1)
  })

  it('stops all, waits for them, restarts none, and returns the worst exit code', async () => {
    await start()
    const stopped = pool.stop('SIGTERM')
    expect(workers.map(({ told }) => told)).toEqual([['stop SIGTERM'], ['stop SIGTERM']])
    workers[0]?.die({ code: 0 })
    workers[1]?.die({ code: null, signal: 'SIGKILL' })
    expect(await stopped).toBe(1)
    expect([waits, restarts]).toEqual([[], 0])
  })

  it('cancels a pending restart when it stops', async () => {
    await start()
    workers[0]?.die()
    await settled()
    const stopped = pool.stop('SIGINT')
    workers[1]?.die({ code: 0 })
    expect(await stopped).toBe(0)
    expect([due, workers.length]).toEqual([[], 2])
  })
})

it('the back-off grows from a second to half a minute', () => {
  expect([0, 1, 2, 3, 6, 60].map(waitBefore)).toEqual([0, 1_000, 2_000, 4_000, 30_000, 30_000])
})

// The pool of workers: ready once all of them are, restarts workers that die, and gives up if none can live. It knows processes
// only through an interface.

import type { Log } from '../../observe/log.ts'

export interface WorkerEnd {
  code: number | null
  signal: string | null
}

export interface WorkerProcess {
  readonly pid: number | undefined
  /** Resolves with the URL once it listens; rejects if it cannot, or ends before. */
  readonly ready: Promise<string>
  readonly ended: Promise<WorkerEnd>
  stop(reason: string): void
  end(code: number): void
}

interface WorkerPoolOptions {
  size: number
  /** Starts a process as the worker of this number, from 1. */
  spawn(worker: number): WorkerProcess
  log: Log
  onRestart?(): void
  /** No worker lives, and none will. */
  onGivenUp(): void
  now?(): number
  /** Schedules work; returns its cancellation. */
  later?(work: () => void, ms: number): () => void
}

/** A worker that lived this long did not die of its start. */
export const settledMs = 60_000
export const longestWaitMs = 30_000
const firstWaitMs = 1_000
/** Early ends of one worker in a row; after them it is given up, unless another worker lives. */
export const mostEarlyEnds = 5

/** The back-off before a restart; none for a worker that had lived. */
export const waitBefore = (earlyEnds: number): number =>
  earlyEnds === 0 ? 0 : Math.min(firstWaitMs * 2 ** (earlyEnds - 1), longestWaitMs)

export class WorkerPool {
  readonly #options: WorkerPoolOptions
  readonly #now: () => number
  readonly #later: NonNullable<WorkerPoolOptions['later']>
  readonly #running = new Map<number, WorkerProcess>()
  readonly #waiting = new Map<number, () => void>()
  /** Early ends in a row over all workers: they share the cause. */
  #earlyEnds = 0
  #stopping = false

  constructor(options: WorkerPoolOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#later = options.later ?? laterByTimer
  }

  get running(): WorkerProcess[] {
    return [...this.#running.values()]
  }

  /** Resolves with the URL when all workers listen. Rejects with the first failure, after ending all. */
  async start(): Promise<string> {
    const numbers = Array.from({ length: this.#options.size }, (_, at) => at + 1)
    const workers = numbers.map((worker) => this.#spawn(worker))
    try {
      const [url = ''] = await Promise.all(workers.map(({ ready }) => ready))
      for (const [at, worker] of workers.entries()) this.#watch(numbers[at] ?? 0, worker)
      this.#options.log.info('workers are ready', { pids: workers.map(({ pid }) => pid) })
      return url
    } catch (error) {
      this.#stopping = true
      for (const worker of workers) worker.end(1)
      await Promise.all(workers.map(({ ended }) => ended))
      throw error
    }
  }

  /** Resolves with the worst exit code. */
  async stop(reason: string): Promise<number> {
    this.#stopping = true
    for (const cancel of this.#waiting.values()) cancel()
    this.#waiting.clear()
    for (const worker of this.running) worker.stop(reason)
    const ends = await Promise.all(this.running.map(({ ended }) => ended))
    return Math.max(0, ...ends.map(({ code }) => code ?? 1))
  }

  end(code: number): void {
    this.#stopping = true
    for (const worker of this.running) worker.end(code)
  }

  #spawn(number: number): WorkerProcess {
    const worker = this.#options.spawn(number)
    this.#running.set(number, worker)
    void worker.ended.then(() => {
      if (this.#running.get(number) === worker) this.#running.delete(number)
    })
    // The starter handles the rejection; otherwise the exit event reports it.
    worker.ready.catch(() => undefined)
    return worker
  }

  #watch(number: number, worker: WorkerProcess, since = this.#now()): void {
    void worker.ended.then((end) => this.#onEnd(number, worker, end, this.#now() - since))
  }

  #onEnd(number: number, { pid }: WorkerProcess, end: WorkerEnd, livedMs: number): void {
    if (this.#stopping) return
    const { log, size, onGivenUp } = this.#options
    this.#earlyEnds = livedMs < settledMs ? this.#earlyEnds + 1 : 0
    if (this.#running.size === 0 && this.#earlyEnds >= mostEarlyEnds * size) {
      this.#stopping = true
      for (const cancel of this.#waiting.values()) cancel()
      return onGivenUp()
    }
    const restartInMs = waitBefore(Math.ceil(this.#earlyEnds / size))
    log.warn('a worker has ended and will be restarted', { ended: number, pid, ...end, restartInMs })
    this.#waiting.set(
      number,
      this.#later(() => this.#replace(number), restartInMs),
    )
  }

  #replace(number: number): void {
    this.#waiting.delete(number)
    if (this.#stopping) return
    this.#options.onRestart?.()
    const worker = this.#spawn(number)
    this.#watch(number, worker)
    worker.ready.then(
      () => this.#options.log.info('a worker was restarted', { started: number, pid: worker.pid }),
      (error: Error) => {
        this.#options.log.error('a worker could not be restarted', { started: number, error: error.message })
        worker.end(1)
      },
    )
  }
}

function laterByTimer(work: () => void, ms: number): () => void {
  const timer = setTimeout(work, ms)
  return () => clearTimeout(timer)
}

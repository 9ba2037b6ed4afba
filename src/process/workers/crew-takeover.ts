// Another configuration for all workers: all prepare it, then all switch, or none does. A worker that starts meanwhile waits for the
// outcome; one that dies meanwhile is replaced by one with the configuration in force.

import type { NextConfig } from '../../gateway.ts'
import { CommandError } from '../command-error.ts'
import type { Prepared } from '../reloader.ts'
import { type Channel, RemoteError } from './channel.ts'
import type { WorkerServices } from './services.ts'

export interface CrewPrepared extends Prepared {
  commit(): Promise<void>
}

type Worker = Pick<Channel<WorkerServices>, 'call'>

/** A worker that takes longer is stuck. */
const prepareMs = 20_000

export class CrewTakeover {
  readonly #prepareMs: number
  /** By number: those that have their orders. */
  readonly #workers = new Map<Worker, number>()
  /** Pending while the outcome is open. */
  #outcome: Promise<void> = Promise.resolve()

  constructor(patienceMs = prepareMs) {
    this.#prepareMs = patienceMs
  }

  /** Starts a worker: at once, or after the takeover. */
  async join<Result>(number: number, worker: Worker, start: () => Promise<Result>): Promise<Result> {
    await this.#outcome
    this.#workers.set(worker, number)
    return start()
  }

  /** The worker has ended. */
  leave(worker: Worker): void {
    this.#workers.delete(worker)
  }

  /** Rejects with the first problem; no worker has changed anything then. */
  async prepare(nextFor: (worker: number) => NextConfig): Promise<CrewPrepared> {
    let settle: () => void = () => undefined
    this.#outcome = new Promise((resolve) => {
      settle = resolve
    })
    const crew = [...this.#workers]
    const tell = async (what: 'commit' | 'discard') => {
      // One that is gone has nothing to change, and one that is stuck does it later.
      await Promise.allSettled(crew.map(([worker, number]) => this.#inTime(number, worker.call(what))))
      settle()
    }
    const answers = crew.map(([worker, number]) =>
      this.#inTime(number, worker.call('prepare', nextFor(number))),
    )
    const all = await Promise.allSettled(answers)
    const problem = all.flatMap((one) =>
      one.status === 'rejected' && isProblem(one.reason) ? [one.reason] : [],
    )[0]
    if (problem) {
      await tell('discard')
      throw problem
    }
    const replaced = all.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
    return { replaced: [...new Set(replaced)], commit: () => tell('commit'), discard: () => tell('discard') }
  }

  async #inTime<Result>(number: number, answer: Promise<Result>): Promise<Result> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const problem = `worker ${number} has not answered for ${this.#prepareMs / 1000} s; try again`
      timer = setTimeout(() => reject(new CommandError(problem)), this.#prepareMs)
    })
    return Promise.race([answer, late]).finally(() => clearTimeout(timer))
  }
}

/** Not the end of its process. */
const isProblem = (error: unknown): error is Error =>
  error instanceof RemoteError || error instanceof CommandError

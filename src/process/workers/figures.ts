// The figures of all workers as one: asked of each when somebody looks. What a worker has counted stays counted when it
// is gone, as far as it was known, so that no counter ever goes back.

import { Metrics } from '../../observe/metrics.ts'
import {
  addSnapshots,
  countedFor,
  type MetricsSnapshot,
  renderSnapshot,
} from '../../observe/metrics-snapshot.ts'
import { addProcessGauges } from '../../observe/process-gauges.ts'

const patienceMs = 2_000

type Ask = () => Promise<MetricsSnapshot>

export class Figures {
  /** Of the parent. */
  readonly own = new Metrics()
  /** With what each said last. */
  readonly #workers = new Map<Ask, MetricsSnapshot>()
  #past: MetricsSnapshot = []

  constructor(size: () => number) {
    this.own.gauge('dragoman_workers', size)
    this.own.count('dragoman_worker_restarts_total', {}, 0)
    addProcessGauges(this.own)
  }

  /** Gives what to tell of a worker: its last figures, and its end. */
  add(ask: Ask): { retire(last: MetricsSnapshot): void; gone(): void } {
    this.#workers.set(ask, [])
    return {
      retire: (last) => void this.#workers.set(ask, last),
      gone: () => {
        this.#past = addSnapshots([this.#past, countedFor(this.#workers.get(ask) ?? [])])
        this.#workers.delete(ask)
      },
    }
  }

  async render(): Promise<string> {
    await Promise.all([...this.#workers.keys()].map((ask) => this.#look(ask)))
    return renderSnapshot(addSnapshots([...this.#workers.values(), this.own.snapshot(), this.#past]))
  }

  /** One that does not answer is shown as it was. */
  async #look(ask: Ask): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<undefined>((resolve) => {
      timer = setTimeout(() => resolve(undefined), patienceMs)
    })
    const found = await Promise.race([ask().catch(() => undefined), late])
    clearTimeout(timer)
    if (found && this.#workers.has(ask)) this.#workers.set(ask, found)
  }
}

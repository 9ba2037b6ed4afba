// The metrics of all workers as one: each worker is asked on every scrape. The counts of a worker outlive it, as far as they are
// known, so counters never decrease.

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

export class WorkerMetrics {
  /** The parent's own metrics. */
  readonly own = new Metrics()
  /** The last snapshot of each worker. */
  readonly #workers = new Map<Ask, MetricsSnapshot>()
  #past: MetricsSnapshot = []

  constructor(size: () => number) {
    this.own.gauge('dragoman_workers', size)
    this.own.count('dragoman_worker_restarts_total', {}, 0)
    addProcessGauges(this.own)
  }

  /** Returns the callbacks for the last snapshot and the end of the worker. */
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

  /** A worker that does not answer keeps its last snapshot. */
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

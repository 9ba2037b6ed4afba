// The counters, gauges and histograms of this process. Too few for a dependency.

import {
  bucketsOf,
  type CounterName,
  factsOf,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
} from './metric-facts.ts'
import { type Histogram, type MetricsSnapshot, renderSnapshot } from './metrics-snapshot.ts'
import { labelText, maxSeries, Series } from './series.ts'

type Labels = Record<string, string>

export class Metrics {
  readonly #counters = new Map<CounterName, Series<{ value: number }>>()
  readonly #readCounters = new Map<CounterName, () => number>()
  readonly #gauges = new Map<GaugeName, () => Iterable<[Labels, number]>>()
  readonly #histograms = new Map<HistogramName, Series<Histogram>>()

  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    let series = this.#counters.get(name)
    if (!series) {
      series = new Series(factsOf(name).labels, () => ({ value: 0 }))
      this.#counters.set(name, series)
    }
    series.of(labels).value += by
  }

  /** A counter whose value is kept elsewhere. */
  counter(name: CounterName, read: () => number): void {
    this.#readCounters.set(name, read)
  }

  gauge(name: GaugeName, read: () => number): void {
    this.#gauges.set(name, () => [[{}, read()]])
  }

  /** One gauge per current set of labels. */
  gauges<Name extends GaugeName>(name: Name, read: () => Iterable<[LabelsOf<Name>, number]>): void {
    this.#gauges.set(name, read)
  }

  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void {
    const bounds = bucketsOf(name)
    let series = this.#histograms.get(name)
    if (!series) {
      series = new Series(factsOf(name).labels, () => ({ counts: bounds.map(() => 0), sum: 0, total: 0 }))
      this.#histograms.set(name, series)
    }
    const histogram = series.of(labels)
    histogram.sum += seconds
    histogram.total++
    for (let at = bounds.length - 1; at >= 0 && seconds <= (bounds[at] as number); at--)
      histogram.counts[at] = (histogram.counts[at] as number) + 1
  }

  snapshot(): MetricsSnapshot {
    const gauges = [...this.#gauges].map(([name, read]): MetricsSnapshot[number] => {
      const { help, combined = 'sum' } = factsOf(name)
      const series = [...read()].slice(0, maxSeries)
      return {
        ...{ name, help, type: 'gauge', combined },
        series: series.map(([labels, value]) => [labelText(labels), value]),
      }
    })
    const counters = [...this.#counters].map(([name, series]): MetricsSnapshot[number] => ({
      ...{ name, help: factsOf(name).help, type: 'counter' },
      series: series.all().map(([labels, { value }]) => [labels, value]),
    }))
    const readCounters = [...this.#readCounters].map(([name, read]): MetricsSnapshot[number] => ({
      ...{ name, help: factsOf(name).help, type: 'counter' },
      series: [['', read()]],
    }))
    const histograms = [...this.#histograms].map(([name, series]): MetricsSnapshot[number] => ({
      ...{ name, help: factsOf(name).help, type: 'histogram', series: [...series.all()] },
    }))
    return [...gauges, ...counters, ...readCounters, ...histograms]
  }

  render(): string {
    return renderSnapshot(this.snapshot())
  }
}

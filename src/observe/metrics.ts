// Counters, gauges and histograms of this process. A handful of figures: not worth a dependency.

import { isPlain } from '../core/json-string.ts'
import {
  bucketsOf,
  type CounterName,
  factsOf,
  type GaugeName,
  type HistogramName,
  type LabelsOf,
} from './metric-facts.ts'
import { type Histogram, type MetricsSnapshot, renderSnapshot } from './metrics-snapshot.ts'

type Labels = Record<string, string>

export class Metrics {
  readonly #counters = new Map<CounterName, Map<string, number>>()
  readonly #gauges = new Map<GaugeName, () => Iterable<[Labels, number]>>()
  readonly #histograms = new Map<HistogramName, Map<string, Histogram>>()

  count<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by = 1): void {
    let values = this.#counters.get(name)
    if (!values) {
      values = new Map()
      this.#counters.set(name, values)
    }
    const key = seriesFor(labels, values)
    values.set(key, (values.get(key) ?? 0) + by)
  }

  gauge(name: GaugeName, read: () => number): void {
    this.#gauges.set(name, () => [[{}, read()]])
  }

  /** One figure for each set of labels there is at the moment. */
  gauges<Name extends GaugeName>(name: Name, read: () => Iterable<[LabelsOf<Name>, number]>): void {
    this.#gauges.set(name, read)
  }

  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void {
    let values = this.#histograms.get(name)
    if (!values) {
      values = new Map()
      this.#histograms.set(name, values)
    }
    const bounds = bucketsOf(name)
    const key = seriesFor(labels, values)
    let histogram = values.get(key)
    if (!histogram) {
      histogram = { counts: bounds.map(() => 0), sum: 0, total: 0 }
      values.set(key, histogram)
    }
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
    const counters = [...this.#counters].map(([name, values]): MetricsSnapshot[number] => ({
      ...{ name, help: factsOf(name).help, type: 'counter', series: [...values] },
    }))
    const histograms = [...this.#histograms].map(([name, values]): MetricsSnapshot[number] => ({
      ...{ name, help: factsOf(name).help, type: 'histogram', series: [...values] },
    }))
    return [...gauges, ...counters, ...histograms]
  }

  render(): string {
    return renderSnapshot(this.snapshot())
  }
}

/** Clients make up model names: what would be one series too many is counted together, what is too long is cut. */
const maxSeries = 250
const longestLabel = 200

function seriesFor(labels: Labels, known: ReadonlyMap<string, unknown>): string {
  const key = labelText(labels)
  if (known.has(key) || known.size < maxSeries) return key
  return labelText(Object.fromEntries(Object.keys(labels).map((name) => [name, 'other'])))
}

function labelText(labels: Labels): string {
  let text = ''
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] as string)}"`
  return text
}

const special = /[\\"\n]/

function escaped(value: string): string {
  const short = value.length > longestLabel ? value.slice(0, longestLabel) : value
  if (isPlain(short) || !special.test(short)) return short
  return short.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}

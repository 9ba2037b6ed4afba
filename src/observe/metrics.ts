// Counters, gauges and histograms of this process. A handful of figures: not worth a dependency.

import { isPlain } from '../core/json-string.ts'
import {
  type Combined,
  type Histogram,
  latencyBuckets,
  type MetricsSnapshot,
  renderSnapshot,
} from './metrics-snapshot.ts'

export type Labels = Record<string, string>

interface Gauge {
  help: string
  combined: Combined
  read: () => Iterable<[Labels, number]>
}

export class Metrics {
  readonly #counters = new Map<string, { help: string; values: Map<string, number> }>()
  readonly #gauges = new Map<string, Gauge>()
  readonly #histograms = new Map<string, { help: string; values: Map<string, Histogram> }>()

  count(name: string, help: string, labels: Labels, by = 1): void {
    const counter = this.#counters.get(name) ?? { help, values: new Map<string, number>() }
    this.#counters.set(name, counter)
    const key = seriesFor(labels, counter.values)
    counter.values.set(key, (counter.values.get(key) ?? 0) + by)
  }

  gauge(name: string, help: string, read: () => number, combined: Combined = 'sum'): void {
    this.gauges(name, help, () => [[{}, read()]], combined)
  }

  /** One figure for each set of labels there is at the moment. */
  gauges(
    name: string,
    help: string,
    read: () => Iterable<[Labels, number]>,
    combined: Combined = 'sum',
  ): void {
    this.#gauges.set(name, { help, combined, read })
  }

  observe(name: string, help: string, labels: Labels, seconds: number): void {
    const family = this.#histograms.get(name) ?? { help, values: new Map<string, Histogram>() }
    this.#histograms.set(name, family)
    const key = seriesFor(labels, family.values)
    const histogram = family.values.get(key) ?? { counts: latencyBuckets.map(() => 0), sum: 0, total: 0 }
    family.values.set(key, histogram)
    histogram.sum += seconds
    histogram.total++
    for (let at = latencyBuckets.length - 1; at >= 0 && seconds <= (latencyBuckets[at] as number); at--)
      histogram.counts[at] = (histogram.counts[at] as number) + 1
  }

  snapshot(): MetricsSnapshot {
    const gauges = [...this.#gauges].map(([name, { help, combined, read }]) => {
      const series = [...read()].slice(0, maxSeries).map(([labels, value]) => [labelText(labels), value])
      return { name, help, type: 'gauge', combined, series } as MetricsSnapshot[number]
    })
    const counters = [...this.#counters].map(([name, { help, values }]): MetricsSnapshot[number] => ({
      ...{ name, help, type: 'counter', series: [...values] },
    }))
    const histograms = [...this.#histograms].map(([name, { help, values }]): MetricsSnapshot[number] => ({
      ...{ name, help, type: 'histogram', series: [...values] },
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

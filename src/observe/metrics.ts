// Counters, gauges and histograms in Prometheus' text format. A handful of figures: not worth a dependency.

export type Labels = Record<string, string>

const latencyBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300]

interface Histogram {
  counts: number[]
  sum: number
  total: number
}

export class Metrics {
  readonly #counters = new Map<string, { help: string; values: Map<string, number> }>()
  readonly #gauges = new Map<string, { help: string; read: () => Iterable<[Labels, number]> }>()
  readonly #histograms = new Map<string, { help: string; values: Map<string, Histogram> }>()

  count(name: string, help: string, labels: Labels, by = 1): void {
    const counter = this.#counters.get(name) ?? { help, values: new Map<string, number>() }
    this.#counters.set(name, counter)
    const key = seriesFor(labels, counter.values)
    counter.values.set(key, (counter.values.get(key) ?? 0) + by)
  }

  gauge(name: string, help: string, read: () => number): void {
    this.gauges(name, help, () => [[{}, read()]])
  }

  /** One figure for each set of labels there is at the moment. */
  gauges(name: string, help: string, read: () => Iterable<[Labels, number]>): void {
    this.#gauges.set(name, { help, read })
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

  render(): string {
    const lines: string[] = []
    const head = (name: string, help: string, type: string) =>
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`)
    for (const [name, { help, read }] of this.#gauges) {
      head(name, help, 'gauge')
      for (const [labels, value] of [...read()].slice(0, maxSeries))
        lines.push(`${name}${braced(labelText(labels))} ${value}`)
    }
    for (const [name, { help, values }] of this.#counters) {
      head(name, help, 'counter')
      for (const [labels, value] of values) lines.push(`${name}${braced(labels)} ${value}`)
    }
    for (const [name, { help, values }] of this.#histograms) {
      head(name, help, 'histogram')
      for (const [labels, { counts, sum, total }] of values) {
        const labelled = (extra: string) => braced([labels, extra].filter(Boolean).join(','))
        for (const [at, bound] of latencyBuckets.entries())
          lines.push(`${name}_bucket${labelled(`le="${bound}"`)} ${counts[at]}`)
        lines.push(
          `${name}_bucket${labelled('le="+Inf"')} ${total}`,
          `${name}_sum${braced(labels)} ${sum}`,
          `${name}_count${braced(labels)} ${total}`,
        )
      }
    }
    return `${lines.join('\n')}\n`
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

const braced = (labels: string) => (labels === '' ? '' : `{${labels}}`)

function labelText(labels: Labels): string {
  let text = ''
  for (const name in labels) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] as string)}"`
  return text
}

const special = /[\\"\n]/

function escaped(value: string): string {
  const short = value.length > longestLabel ? value.slice(0, longestLabel) : value
  if (!special.test(short)) return short
  return short.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n')
}

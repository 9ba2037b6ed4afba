// Metrics as plain data: snapshots of several processes are added up and rendered in Prometheus' text format.

import { bucketsOf, type Combined, type HistogramName } from './metric-facts.ts'

export interface Histogram {
  /** Cumulative counts, one per bucket. */
  counts: number[]
  sum: number
  total: number
}

/** A value per label text; the text is empty without labels. */
type Series<V> = [labels: string, value: V][]

type Family = { name: string; help: string } & (
  | { type: 'gauge'; combined: Combined; series: Series<number> }
  | { type: 'counter'; series: Series<number> }
  | { type: 'histogram'; series: Series<Histogram> }
)

export type MetricsSnapshot = Family[]

/** The part of a snapshot that stays true after its process exits. */
export const countedFor = (snapshot: MetricsSnapshot): MetricsSnapshot =>
  snapshot.filter(({ type }) => type !== 'gauge')

export function addSnapshots(snapshots: readonly MetricsSnapshot[]): MetricsSnapshot {
  const families = new Map<string, Family>()
  for (const family of snapshots.flat()) {
    const known = families.get(family.name)
    families.set(family.name, known ? addFamilies(known, family) : family)
  }
  return [...families.values()]
}

function addFamilies(one: Family, other: Family): Family {
  if (one.type === 'histogram' && other.type === 'histogram')
    return { ...one, series: addSeries(one.series, other.series, addHistograms) }
  if (one.type === 'counter' && other.type === 'counter')
    return { ...one, series: addSeries(one.series, other.series, combine.sum) }
  if (one.type === 'gauge' && other.type === 'gauge')
    return { ...one, series: addSeries(one.series, other.series, combine[one.combined]) }
  return one
}

function addSeries<V>(one: Series<V>, other: Series<V>, add: (a: V, b: V) => V): Series<V> {
  const values = new Map(one)
  for (const [labels, value] of other) {
    const known = values.get(labels)
    values.set(labels, known === undefined ? value : add(known, value))
  }
  return [...values]
}

const combine: Record<Combined, (a: number, b: number) => number> = {
  sum: (a, b) => a + b,
  min: Math.min,
  max: Math.max,
}

const addHistograms = (one: Histogram, other: Histogram): Histogram => ({
  counts: one.counts.map((count, at) => count + (other.counts[at] ?? 0)),
  sum: one.sum + other.sum,
  total: one.total + other.total,
})

export function renderSnapshot(snapshot: MetricsSnapshot): string {
  const lines = snapshot.flatMap((family) => {
    const { name, help, type } = family
    const head = [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`]
    if (type !== 'histogram')
      return [...head, ...family.series.map(([labels, value]) => `${name}${braced(labels)} ${value}`)]
    return [...head, ...family.series.flatMap(([labels, value]) => histogramLines(name, labels, value))]
  })
  return `${lines.join('\n')}\n`
}

function histogramLines(name: string, labels: string, { counts, sum, total }: Histogram): string[] {
  const labelled = (extra: string) => braced([labels, extra].filter(Boolean).join(','))
  return [
    ...bucketsOf(name as HistogramName).map(
      (bound, at) => `${name}_bucket${labelled(`le="${bound}"`)} ${counts[at]}`,
    ),
    `${name}_bucket${labelled('le="+Inf"')} ${total}`,
    `${name}_sum${braced(labels)} ${sum}`,
    `${name}_count${braced(labels)} ${total}`,
  ]
}

const braced = (labels: string) => (labels === '' ? '' : `{${labels}}`)

// From measurements to figures: medians over the rounds, percentiles over all answers, ratios to the raw pipe.

export function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
}
export const median = (values) => quantile(values, 0.5)

const percentiles = (values) =>
  values.length === 0 ? undefined : { p50: quantile(values, 0.5), p99: quantile(values, 0.99) }

const sum = (values) => values.reduce((total, value) => total + value, 0)

/** The rounds of one subject on one workload. */
export function summarize(rounds) {
  const pooled = (field) => percentiles(rounds.flatMap((round) => round[field]))
  return {
    cpuUs: median(rounds.map(({ cpuUs }) => cpuUs)),
    rounds: rounds.map(({ cpuUs, firstUs }) => ({ cpuUs, firstUs: percentiles(firstUs)?.p50 })),
    writes: median(rounds.map(({ writes }) => writes)),
    reads: median(rounds.map(({ reads }) => reads)),
    requests: sum(rounds.map(({ requests }) => requests)),
    wrong: sum(rounds.map(({ wrong }) => wrong)),
    wrongBecause: rounds.find(({ wrongBecause }) => wrongBecause)?.wrongBecause,
    firstUs: pooled('firstUs'),
    wordsUs: pooled('wordsUs'),
    callsUs: pooled('callsUs'),
  }
}

export const ours = 'dragoman'
export const rawPipe = 'raw pipe'

/** nginx takes bytes by `recv`, which the kernel's counter of reads leaves out; over HTTP/2 one read has many streams in it. */
export const countsReads = (subject, { backend }) => subject !== 'nginx' && backend !== 'cursor'

/** All records of a run, with what is asked of them. */
export class Figures {
  constructor(records) {
    this.records = records
  }

  /** Who forwards is not asked through a door: it is the same for all of them. */
  find({ backend, door }, subject, model) {
    return this.records.find(
      (record) =>
        record.backend === backend &&
        record.subject === subject &&
        record.model === model &&
        (record.door === door || subject === rawPipe || subject === 'nginx'),
    )
  }

  raw(pair, model) {
    return this.find(pair, rawPipe, model)
  }

  /** CPU time to that of the raw pipe; memory for W4. `spread`: how far the rounds are apart, as a share; `least` and `most` of them. */
  ratio(pair, subject, model) {
    return this.#compare(pair, subject, model, model === 'w4' ? 'kilobytes' : 'cpuUs')
  }

  /** Time to the first content. */
  firstRatio(pair, subject, model) {
    return this.#compare(pair, subject, model, 'firstUs')
  }

  #compare(pair, subject, model, field) {
    const record = this.find(pair, subject, model)
    const raw = this.raw(pair, model)
    if (record === undefined || raw === undefined) return undefined
    const typical = (value) => (typeof value === 'object' ? value.p50 : value)
    const byRound = record.rounds
      .map((round, at) => round[field] / raw.rounds[at]?.[field])
      .filter(Number.isFinite)
    const value = typical(record[field]) / typical(raw[field])
    if (byRound.length < 2) return { value }
    const [least, most] = [Math.min(...byRound), Math.max(...byRound)]
    return { value, spread: (most - least) / value, least, most }
  }

  /** Microseconds more than the raw pipe, at p50 and p99; `field` is one of the percentiles. */
  added(pair, subject, model, field) {
    const [own, raw] = [this.find(pair, subject, model)?.[field], this.raw(pair, model)?.[field]]
    if (own === undefined || raw === undefined) return undefined
    return { p50: own.p50 - raw.p50, p99: own.p99 - raw.p99 }
  }

  /** A gateway that is behind reads more at a time, and looks cheaper than it is. */
  isComparable(pair, subject, model) {
    const [own, raw] = [this.find(pair, subject, model), this.raw(pair, model)]
    // Who gives out whole arguments writes once, and means it.
    const fields = model === 'w3' ? ['reads'] : ['writes', 'reads']
    const counted = fields.filter((field) => field !== 'reads' || countsReads(subject, pair))
    return counted.every((field) => Math.abs(own[field] / raw[field] - 1) <= 0.15)
  }

  subjects(backend, doors) {
    const own = this.records.filter(
      (record) =>
        record.backend === backend &&
        (doors.includes(record.door) || record.subject === rawPipe || record.subject === 'nginx'),
    )
    const names = [...new Set(own.map(({ subject }) => subject))]
    const order = ['nginx', rawPipe, ours]
    const rank = (name) => (order.includes(name) ? order.indexOf(name) : order.length)
    return names.sort((a, b) => rank(a) - rank(b))
  }
}

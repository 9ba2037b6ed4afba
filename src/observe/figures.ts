// The figures of the last hour, minute by minute, in memory: by key, model, client and backend. Turns are added when they end.
// Clients choose model names: what is kept is bounded, and the rest counts together.

import { BoundedMap } from '../base/bounded-map.ts'
import { type PlainTally, type TalliedTurn, Tally } from './tally.ts'

export interface FiguresTurn extends TalliedTurn {
  key: string
  client: string | undefined
  /** Undefined if no backend was reached. */
  backend: string | undefined
  model: string | undefined
  /** The ids of the calls that the client has to answer. */
  callIds: readonly string[]
}

/** A tally per name, the largest first. The name '' stands for all that did not fit. */
export type Named = [name: string, tally: PlainTally][]

/** The figures of one process, or of several. */
export interface FiguresSnapshot {
  /** The first minute, counted since 1970. */
  from: number
  minutes: PlainTally[]
  models: Named
  clients: Named
  backends: Named
  /** Only for those who see all keys. */
  keys: Named
}

const minuteMs = 60_000
/** Whole minutes, and the current one. */
export const mostMinutes = 61
/** Combinations of key, backend, model and client in one minute; and of them, those of one key. */
const mostCells = 200
const mostOfKey = 50
const longestName = 200
/** Calls whose results have not come back. */
const mostOpenCalls = 2_000
const longestToolMs = 60 * minuteMs

interface Cell {
  /** Undefined for what did not fit: it may be of any key. */
  key: string | undefined
  model: string
  client: string
  backend: string
  tally: Tally
}

interface Minute {
  number: number
  cells: Map<string, Cell>
  ofKey: Map<string, number>
}

export class Figures {
  /** The oldest first. */
  readonly #minutes: Minute[] = []
  /** When the client got a call, by key and call. */
  readonly #openCalls = new BoundedMap<string, number>({
    ...{ maxEntries: mostOpenCalls, ttlMs: longestToolMs, keeps: 'newest' },
  })
  readonly #now: () => number

  constructor(now: () => number = Date.now) {
    this.#now = now
  }

  /** How long the client's tools took for these results, told once; undefined if their calls were made elsewhere. */
  toolMs(key: string, callIds: readonly string[]): number | undefined {
    const places = callIds.map((callId) => callPlace(key, callId))
    const since = places.flatMap((place) => this.#openCalls.get(place) ?? [])
    for (const place of places) this.#openCalls.delete(place)
    return since.length === 0 ? undefined : Math.max(0, this.#now() - Math.max(...since))
  }

  add(turn: FiguresTurn): void {
    const now = this.#now()
    for (const callId of turn.callIds) this.#openCalls.set(callPlace(turn.key, callId), now)
    this.#cellFor(this.#minute(Math.floor(now / minuteMs)), turn).tally.count(turn)
  }

  /** `key`: only what belongs to this key. */
  snapshot(minutes: number, key?: string): FiguresSnapshot {
    const last = Math.floor(this.#now() / minuteMs)
    const from = last - Math.min(mostMinutes, minutes) + 1
    const sum = new FiguresSum(from, last)
    for (const { number, cells } of this.#minutes)
      for (const cell of cells.values())
        if (number >= from && (key === undefined || cell.key === key))
          sum.addCell(number, cell, key === undefined)
    return sum.snapshot()
  }

  #minute(number: number): Minute {
    const newest = this.#minutes.at(-1)
    // A clock that was set back stays in the newest minute.
    if (newest && newest.number >= number) return newest
    const minute: Minute = { number, cells: new Map(), ofKey: new Map() }
    this.#minutes.push(minute)
    while ((this.#minutes[0]?.number ?? number) <= number - mostMinutes) this.#minutes.shift()
    return minute
  }

  #cellFor(
    { cells, ofKey }: Minute,
    { key, backend = 'none', model = 'none', client = 'unknown' }: FiguresTurn,
  ): Cell {
    const shortModel = short(model)
    const shortClient = short(client)
    const place = placeOf(key, backend, shortModel, shortClient)
    const known = cells.get(place)
    if (known) return known
    const own = ofKey.get(key) ?? 0
    if (cells.size >= mostCells)
      return cellAt(cells, '', { key: undefined, model: '', client: '', backend: '' })
    if (own >= mostOfKey)
      return cellAt(cells, JSON.stringify([key]), { key, model: '', client: '', backend: '' })
    ofKey.set(key, own + 1)
    return cellAt(cells, place, { key, model: `${backend}/${shortModel}`, client: shortClient, backend })
  }
}

function cellAt(cells: Map<string, Cell>, place: string, of: Omit<Cell, 'tally'>): Cell {
  const known = cells.get(place) ?? { ...of, tally: new Tally() }
  cells.set(place, known)
  return known
}

const short = (name: string) => (name.length > longestName ? `${name.slice(0, longestName)}…` : name)

/** Lengths keep names with any character in them apart. */
const placeOf = (key: string, backend: string, model: string, client: string) =>
  `${key.length} ${backend.length} ${model.length} ${key}${backend}${model}${client}`

const callPlace = (key: string, callId: string) => `${callId.slice(0, longestName)} ${key}`

const dimensions = ['models', 'clients', 'backends', 'keys'] as const
/** Names in a sum. */
const mostNames = 100

/** Adds up figures: of minutes, and of processes. */
class FiguresSum {
  readonly #from: number
  readonly #minutes: Tally[]
  readonly #by = Object.fromEntries(dimensions.map((name) => [name, new Map<string, Tally>()])) as Record<
    (typeof dimensions)[number],
    Map<string, Tally>
  >

  constructor(from: number, last: number) {
    this.#from = from
    this.#minutes = Array.from({ length: last - from + 1 }, () => new Tally())
  }

  addCell(minute: number, { tally, model, client, backend, key = '' }: Cell, withKeys: boolean): void {
    const plain = tally.toJSON()
    this.#minutes[minute - this.#from]?.add(plain)
    this.#addTo('models', model, plain)
    this.#addTo('clients', client, plain)
    this.#addTo('backends', backend, plain)
    if (withKeys) this.#addTo('keys', key, plain)
  }

  add({ from, minutes, ...by }: FiguresSnapshot): void {
    for (const [at, tally] of minutes.entries()) this.#minutes[from + at - this.#from]?.add(tally)
    for (const dimension of dimensions)
      for (const [name, tally] of by[dimension]) this.#addTo(dimension, name, tally)
  }

  snapshot(): FiguresSnapshot {
    const list = (by: Map<string, Tally>): Named =>
      [...by]
        .map(([name, tally]): Named[number] => [name, tally.toJSON()])
        .sort(([, a], [, b]) => (b.turns ?? 0) - (a.turns ?? 0))
    const { models, clients, backends, keys } = this.#by
    return {
      ...{ from: this.#from, minutes: this.#minutes.map((tally) => tally.toJSON()) },
      ...{ models: list(models), clients: list(clients), backends: list(backends), keys: list(keys) },
    }
  }

  #addTo(dimension: (typeof dimensions)[number], name: string, plain: PlainTally): void {
    const by = this.#by[dimension]
    const place = by.has(name) || by.size < mostNames ? name : ''
    const tally = by.get(place) ?? new Tally()
    by.set(place, tally)
    tally.add(plain)
  }
}

/** The figures of several processes as one; `own` says which minutes. */
export function addFigures(own: FiguresSnapshot, others: readonly FiguresSnapshot[]): FiguresSnapshot {
  const sum = new FiguresSum(own.from, own.from + own.minutes.length - 1)
  for (const one of [own, ...others]) sum.add(one)
  return sum.snapshot()
}

// Pairs the units of two bodies and compares them, field by field.

import { align, longestRising, type Pair } from './align.ts'
import type { RowKind } from './api.ts'
import { diffValues } from './diff-values.ts'
import { isOwnMember } from './own-members.ts'
import { type Direction, oneSided, type Row, type Side } from './row.ts'
import { type Field, mainOf, meaningOf, type Unit } from './unit.ts'
import { ValueIds } from './value-ids.ts'

interface CompareOptions {
  direction: Direction
  /** Both bodies are of one dialect: the form of a unit counts too. */
  sameDialect: boolean
  /** The upstream side has the beginning of the conversation already. */
  continues?: boolean
}

/** The most fields of one value that are compared member by member. */
const mostOfField = 500

export function compareUnits(
  client: readonly Unit[],
  upstream: readonly Unit[],
  options: CompareOptions,
): Row[] {
  return new Comparison(client, upstream, options).rows()
}

class Comparison {
  readonly #client: readonly Unit[]
  readonly #upstream: readonly Unit[]
  readonly #options: CompareOptions
  readonly #ids = new ValueIds()
  readonly #ofClient = new Map<number, number>()
  readonly #ofUpstream = new Map<number, number>()

  constructor(client: readonly Unit[], upstream: readonly Unit[], options: CompareOptions) {
    this.#client = client
    this.#upstream = upstream
    this.#options = options
  }

  /** The rows of each section, in the client's order. A unit that only the upstream has follows the unit before it there. */
  rows(): Row[] {
    for (const identity of identities) this.#pairBy(identity)
    const moved = this.#moved()
    const rows: Row[] = []
    let next = 0
    const emitUntil = (end: number) => {
      for (; next < end; next++)
        if (!this.#ofUpstream.has(next)) rows.push(this.#single('upstream', this.#upstream[next] as Unit))
    }
    for (const [place, unit] of this.#client.entries()) {
      const other = this.#ofClient.get(place)
      if (other === undefined) rows.push(this.#single('client', unit))
      else {
        if (!moved.has(place)) emitUntil(other)
        rows.push(...this.#pairRows(unit, this.#upstream[other] as Unit, moved.has(place)))
      }
    }
    emitUntil(this.#upstream.length)
    const sorted = sections.flatMap((section) => rows.filter((row) => row.section === section))
    return this.#options.continues ? sorted.map(asKept) : sorted
  }

  #pairBy(identity: Identity): void {
    const left = (units: readonly Unit[], taken: ReadonlyMap<number, number>) =>
      [...units.entries()].flatMap(([place, unit]) => {
        const found = taken.has(place) ? undefined : identity(unit)
        return found === undefined ? [] : [{ place, id: this.#ids.of(found) }]
      })
    const [ours, theirs] = [left(this.#client, this.#ofClient), left(this.#upstream, this.#ofUpstream)]
    for (const [one, other] of align(
      ours.map(({ id }) => id),
      theirs.map(({ id }) => id),
    )) {
      const [client, upstream] = [ours[one]?.place as number, theirs[other]?.place as number]
      this.#ofClient.set(client, upstream)
      this.#ofUpstream.set(upstream, client)
    }
  }

  /** Units whose place says nothing about order: moved units of the conversation, and all tools and settings. */
  #moved(): Set<number> {
    const pairs = [...this.#ofClient]
      .filter(([place]) => !isUnordered(this.#client[place] as Unit))
      .sort(([one], [other]) => one - other) as Pair[]
    const inOrder = new Set(longestRising(pairs).map(([place]) => place))
    return new Set(
      [...this.#ofClient.keys()].filter(
        (place) => isUnordered(this.#client[place] as Unit) || !inOrder.has(place),
      ),
    )
  }

  #single(side: 'client' | 'upstream', unit: Unit): Row {
    const { section, label } = unit
    const kind = this.#kindOfOne(side, mainOf(unit), unit.kind === 'setting')
    return { section, label, kind, terms: termsOf(unit), [side]: sideOf(unit.fields, mainOf(unit)) }
  }

  /** In answers of different dialects, a member that only one dialect can have is no difference. */
  #kindOfOne(side: 'client' | 'upstream', { term, path, value }: Field, isMember: boolean): RowKind {
    const { direction, sameDialect } = this.#options
    const isOwn =
      !sameDialect && direction === 'to client' && isMember && isOwnMember(term, memberOf(path), value)
    return isOwn ? 'own' : oneSided(direction, side)
  }

  #pairRows(client: Unit, upstream: Unit, isOutOfOrder: boolean): Row[] {
    const kindOf = (found: RowKind): RowKind => {
      if (found !== 'same') return found
      const [ours, theirs] = [mainOf(client).path, mainOf(upstream).path]
      if (client.kind === 'setting') return ours === theirs ? 'same' : 'renamed'
      if (this.#options.sameDialect && memberOf(ours) !== memberOf(theirs)) return 'renamed'
      const isElsewhere = client.role !== upstream.role || client.section !== upstream.section
      const isMoved = isOutOfOrder && !isUnordered(client)
      return isMoved || (isElsewhere && client.kind !== 'result') ? 'moved' : 'same'
    }
    if (client.kind === 'rest') return [this.#restRow(client, upstream)]
    const pairs = this.#fieldPairs(client, upstream)
    const isSame = pairs.every(([one, other]) => one && other && this.#isSame(one, other))
    const { section } = client
    const label = client.label === upstream.label ? client.label : `${client.label} → ${upstream.label}`
    const terms = [...new Set([...termsOf(client), ...termsOf(upstream)])]
    const [main, otherMain] = [mainOf(client), mainOf(upstream)]
    if (isSame)
      return [
        {
          ...{ section, label, terms, kind: kindOf('same') },
          client: sideOf(client.fields, main),
          upstream: sideOf(upstream.fields, otherMain),
        },
      ]
    const form = this.#options.sameDialect
      ? { client: [], upstream: [] }
      : { client: formOf(client), upstream: formOf(upstream) }
    const rows = pairs.flatMap(([one, other]) => this.#fieldRows(one, other, { section, label, terms }))
    return withForm(
      rows.map((row) => ({
        ...row,
        kind: isBare(client) || row.client?.paths[0] === main.path ? kindOf(row.kind) : row.kind,
      })),
      form,
    )
  }

  /** The units beyond the limit are compared as a whole. */
  #restRow(client: Unit, upstream: Unit): Row {
    const [ours, theirs] = [client, upstream].map(({ fields }) => fields.map(meaningOf))
    const kind = this.#ids.of(ours) === this.#ids.of(theirs) ? 'same' : 'changed'
    const side = ({ fields }: Unit): Side => ({
      paths: fields.map(({ path }) => path),
      value: fields.slice(0, 20).map(({ value }) => value),
    })
    const { section, label } = client
    return { section, label, kind, terms: [], client: side(client), upstream: side(upstream) }
  }

  #isSame(one: Field, other: Field): boolean {
    const [ours, theirs] = this.#options.sameDialect
      ? [one.value, other.value]
      : [meaningOf(one), meaningOf(other)]
    return this.#ids.of(ours) === this.#ids.of(theirs)
  }

  /** Pairs fields by term. Between dialects, fields of the form are left out. */
  #fieldPairs(client: Unit, upstream: Unit): [Field | undefined, Field | undefined][] {
    const counts = (field: Field) => this.#options.sameDialect || !field.isForm
    const left = new Map<string, Field[]>()
    for (const field of upstream.fields.filter(counts).reverse()) {
      const known = left.get(field.term)
      if (known) known.push(field)
      else left.set(field.term, [field])
    }
    const pairs: [Field | undefined, Field | undefined][] = client.fields
      .filter(counts)
      .map((field) => [field, left.get(field.term)?.pop()])
    return [...pairs, ...[...left.values()].flat().map((field): [undefined, Field] => [undefined, field])]
  }

  #fieldRows(
    one: Field | undefined,
    other: Field | undefined,
    about: Pick<Row, 'section' | 'label' | 'terms'>,
  ): Row[] {
    const { direction } = this.#options
    const term = (one ?? other)?.term ?? ''
    const of = (one ?? other)?.of
    const own = {
      section: about.section,
      label: about.section === 'settings' ? about.label : `${of ?? about.label}: ${term}`,
      // A mark on a text is not the text: notes about the text do not apply to its marks.
      terms: of === undefined && isEssential(about.section, term) ? about.terms : [term],
    }
    if (!one || !other) {
      const side = one ? 'client' : 'upstream'
      const field = (one ?? other) as Field
      return [{ ...own, kind: this.#kindOfOne(side, field, true), [side]: fieldSide(field) }]
    }
    if (this.#isSame(one, other))
      return [{ ...own, kind: 'same', client: fieldSide(one), upstream: fieldSide(other) }]
    return diffValues(one, other, { direction, ids: this.#ids, most: mostOfField }).map((found) => ({
      ...own,
      ...found,
    }))
  }
}

/** The last member of a path. */
const memberOf = (path: string) => path.slice(path.lastIndexOf('.') + 1)

const sections = ['system', 'messages', 'tools', 'settings']

type Identity = (unit: Unit) => unknown

/** Identities from the surest to the weakest. Each pairs the units that earlier ones have left. */
const identities: readonly Identity[] = [
  (unit) => (unit.kind === 'rest' ? undefined : [unit.kind, unit.role, unit.key, ...contentOf(unit)]),
  ({ kind, key }) => (key === '' ? undefined : [kind, key]),
  (unit) => (isBare(unit) ? undefined : [unit.kind, ...contentOf(unit)]),
  (unit) => (unit.kind === 'call' ? [unit.kind, nameOf(unit)] : undefined),
  (unit) => (unit.kind === 'setting' || unit.kind === 'tool' ? undefined : [unit.kind, unit.role]),
]

const nameOf = ({ fields, kind }: Unit) =>
  (kind === 'call' ? fields.find(({ term }) => term === 'name')?.value : null) ?? null

const contentOf = (unit: Unit) => [nameOf(unit), meaningOf(mainOf(unit))]

/** A unit that its value alone does not identify. */
const isBare = ({ kind }: Unit) => kind === 'setting' || kind === 'rest'

const isUnordered = (unit: Unit) => unit.kind === 'tool' || isBare(unit)

const termsOf = ({ kind, label, section }: Unit): string[] => [kind, label, section]

const essential = new Set(['text', 'reasoning', 'id', 'name', 'arguments', 'content', 'image'])
const isEssential = (section: string, term: string) =>
  section === 'settings' || essential.has(term) || (section === 'tools' && term !== 'cache_control')

const fieldSide = ({ path, value }: Field): Side => ({ paths: [path], value })

/** Covers all fields, and shows the main one. */
function sideOf(fields: readonly Field[], main: Field): Side {
  const others = fields.filter((field) => field !== main).map(({ path }) => path)
  return { paths: [main.path, ...others], value: main.value }
}

const formOf = ({ fields }: Unit) => fields.filter(({ isForm }) => isForm).map(({ path }) => path)

/** The first row of each side covers the form too. */
function withForm(rows: readonly Row[], form: Record<'client' | 'upstream', readonly string[]>): Row[] {
  const out = rows.map((row) => ({ ...row }))
  for (const side of ['client', 'upstream'] as const) {
    if (form[side].length === 0) continue
    const row = out.find((one) => one[side]) ?? (out[0] as Row)
    const { paths = [], value = null } = row[side] ?? {}
    row[side] = { value, paths: [...paths, ...form[side]] }
  }
  return out
}

/** A continued run or chat gets only new units: the client's other units were sent in earlier turns. */
const asKept = (row: Row): Row =>
  row.kind === 'dropped' && row.client && row.section !== 'settings' ? { ...row, kind: 'kept' } : row

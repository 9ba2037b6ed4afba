// What is to be reached, by the kind of pair; and how the figures stand to it.
import { ours } from './figures.mjs'

/** Their tables have all columns. */
export const mainPairs = [
  { name: 'chat-anthropic', door: 'chat', backend: 'anthropic' },
  { name: 'chat-openai', door: 'chat', backend: 'openai' },
]

/** The service gets the client's own bytes. */
const lanes = ['messages-anthropic', 'chat-openai', 'gemini-gemini']

const ratio = (model) => (figures, pair) => figures.ratio(pair, ours, model)?.value
const times = (value) => `${value.toFixed(2)}×`
const milliseconds = (value) => `${value.toFixed(2)} ms`
const kilobytes = (value) => `${value.toFixed(0)} KB`

/** `lane`, `pair`, `cursor`: the target where the dialect is the same, where it is translated, and of Cursor's backend. */
const targets = [
  { title: 'W1', lane: 1.3, pair: 1.5, cursor: 3, unit: times, read: ratio('w1') },
  { title: 'W2b', lane: 1.3, pair: 2, cursor: 2, unit: times, read: ratio('w2b') },
  { title: 'W3', lane: 0.9, pair: 0.9, unit: times, read: ratio('w3') },
  { title: 'W4c', lane: 1.3, pair: 1.2, cursor: 1.2, unit: times, read: ratio('w4c') },
  { title: 'W5', lane: 2, pair: 3, unit: times, read: ratio('w5') },
  {
    title: 'W5l, added',
    lane: 0.8,
    pair: 1.5,
    unit: milliseconds,
    read: (figures, pair) => {
      const added = figures.added(pair, ours, 'w5l', 'firstUs')
      return added && added.p50 / 1000
    },
  },
  {
    title: 'W5l',
    cursor: 6,
    unit: times,
    read: (figures, pair) => figures.firstRatio(pair, ours, 'w5l')?.value,
  },
  {
    title: 'W4, a stream',
    lane: 35,
    pair: 35,
    unit: kilobytes,
    read: (figures, pair) => figures.find(pair, ours, 'w4')?.kilobytes,
  },
]

const kindOf = ({ name, backend }) =>
  backend === 'cursor' ? 'cursor' : lanes.includes(name) ? 'lane' : 'pair'

const microseconds = (value) => `${value.toFixed(2)} µs`

export const targetHead = ['', 'where', 'target', 'measured', '']

const rowOf = ({ title, where, most, value, unit }) => [
  title,
  where,
  unit(most),
  unit(value),
  value <= most ? 'met' : 'MISSED',
]

/** Only what was measured. */
export function targetRows(figures, pairs, inProcessFigures) {
  const ofPairs = pairs.flatMap((pair) =>
    targets.flatMap(({ read, ...target }) => {
      const [most, value] = [target[kindOf(pair)], read(figures, pair)]
      return most !== undefined && Number.isFinite(value)
        ? [{ ...target, where: pair.name, most, value }]
        : []
    }),
  )
  const deltas = inProcessFigures
    .filter(({ backend }) => backend === 'cursor')
    .map(({ batch, cpuUs }) => ({
      title: `Cursor text delta, ${batch === 1 ? 'one' : batch} at a time`,
      where: 'in-process',
      most: 2,
      value: cpuUs,
      unit: microseconds,
    }))
  return [...ofPairs, ...deltas].map(rowOf)
}

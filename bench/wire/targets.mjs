// What is to be reached, for Chat to Anthropic and Chat to OpenAI; and how the figures stand to it.
import { ours } from './figures.mjs'

export const mainPairs = [
  { name: 'chat-anthropic', door: 'chat', backend: 'anthropic' },
  { name: 'chat-openai', door: 'chat', backend: 'openai' },
]

const ratio = (model) => (figures, pair) => figures.ratio(pair, ours, model)?.value
const times = (value) => `${value.toFixed(2)}×`
const milliseconds = (value) => `${value.toFixed(2)} ms`
const kilobytes = (value) => `${value.toFixed(0)} KB`

const ofPairs = [
  { title: 'W1', must: 1.5, aim: 1.2, unit: times, read: ratio('w1') },
  { title: 'W2b', must: 3, aim: 1.5, unit: times, read: ratio('w2b') },
  { title: 'W3, whole arguments', must: 1.2, aim: 0.9, unit: times, read: ratio('w3') },
  { title: 'W4c', must: 1.35, aim: 1, unit: times, read: ratio('w4c') },
  {
    title: 'W5l, added time to first byte',
    must: 2.5,
    aim: 1.5,
    unit: milliseconds,
    read: (figures, pair) => {
      const added = figures.added(pair, ours, 'w5l', 'firstUs')
      return added && added.p50 / 1000
    },
  },
  {
    title: 'W4, memory a stream',
    must: 70,
    aim: 50,
    unit: kilobytes,
    read: (figures, pair) => figures.find(pair, ours, 'w4')?.kilobytes,
  },
]

const microseconds = (value) => `${value.toFixed(2)} µs`
const inProcess = { must: 2, aim: 1, unit: microseconds }

const verdict = (value, limit) => (value <= limit ? 'met' : 'MISSED')

/** Only what was measured. */
export function targetRows(figures, pairs, inProcessFigures) {
  const wanted = mainPairs.filter(({ name }) => pairs.some((pair) => pair.name === name))
  const rows = wanted.flatMap((pair) =>
    ofPairs.map((target) => ({ ...target, where: pair.name, value: target.read(figures, pair) })),
  )
  const deltas = inProcessFigures
    .filter(({ backend }) => backend === 'cursor')
    .map(({ batch, cpuUs }) => ({
      ...inProcess,
      title: `Cursor text delta, ${batch === 1 ? 'one' : batch} at a time`,
      where: 'in-process',
      value: cpuUs,
    }))
  return [...rows, ...deltas]
    .filter(({ value }) => Number.isFinite(value))
    .map(({ title, where, must, aim, unit, value }) => [
      title,
      where,
      unit(value),
      `${unit(must)}: ${verdict(value, must)}`,
      `${unit(aim)}: ${verdict(value, aim)}`,
    ])
}

// The regression guard: ratios to the raw pipe, as they were last recorded, and what has moved since. Ratios hold from machine
// to machine far better than times do; even so, compare those of one machine.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { ours } from './figures.mjs'
import { workloads } from './workloads.mjs'

/** Below this nothing is said, however calm the rounds were; a single round says nothing about its own noise. */
const leastMove = 0.1
const moveOfOneRound = 0.25

const measured = ['w1', 'w2', 'w2b', 'w3', 'w4', 'w4c', 'w5', 'w5l']

/** By name: one of each workload, and W5l's time to the first content. */
function ratiosOf(figures, pair) {
  const byWorkload = measured.map((model) => [model, figures.ratio(pair, ours, model)])
  const all = [...byWorkload, ['w5l first content', figures.firstRatio(pair, ours, 'w5l')]]
  return all.filter(([, ratio]) => Number.isFinite(ratio?.value))
}

/** In a short run code is less warm, and all ratios are higher: each form has its own. */
export const formOf = ({ about }) => (about.quick ? 'quick' : 'full')

const readAll = (file) => (existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : {})

export const readBaseline = (file, form) => readAll(file)[form]

/** What was not measured this time stays as it was. */
export function writeBaseline(file, run, figures, pairs) {
  const form = formOf(run)
  const all = readAll(file)
  const ratios = { ...all[form]?.ratios }
  const rounded = (value) => Math.round(value * 1000) / 1000
  for (const pair of pairs) {
    const now = ratiosOf(figures, pair).map(([name, { value }]) => [name, rounded(value)])
    ratios[pair.name] = { ...ratios[pair.name], ...Object.fromEntries(now) }
  }
  const { machine, commit, date, rounds } = run.about
  writeFileSync(
    file,
    `${JSON.stringify({ ...all, [form]: { machine, commit, date, rounds, ratios } }, null, 2)}\n`,
  )
}

const titleOf = (name) => {
  const [model, ...rest] = name.split(' ')
  return [workloads[model].title, ...rest].join(' ')
}
const percent = (share) => `${share < 0 ? '−' : '+'}${Math.abs(Math.round(share * 100))} %`

function movesOf(pair, before, figures) {
  return ratiosOf(figures, pair).flatMap(([name, { value, spread }]) => {
    const was = before[name]
    if (was === undefined) return []
    const share = value / was - 1
    const noise = Math.max(spread ?? moveOfOneRound, leastMove)
    if (Math.abs(share) <= noise) return []
    const rounds = spread === undefined ? 'one round' : `rounds ${Math.round(spread * 100)} % apart`
    const verdict = share > 0 ? 'worse ' : 'better'
    const line = `${verdict} ${pair.name} ${titleOf(name)}: ${was.toFixed(2)}× → ${value.toFixed(2)}× (${percent(share)}, ${rounds})`
    return [{ line, isWorse: share > 0, share }]
  })
}

export function compareWith(baseline, figures, pairs) {
  if (baseline === undefined)
    return { lines: ['No baseline to compare with: --record writes one.'], worse: 0 }
  const known = pairs.filter(({ name }) => baseline.ratios[name] !== undefined)
  const moves = known.flatMap((pair) => movesOf(pair, baseline.ratios[pair.name], figures))
  const compared = known.reduce(
    (count, pair) =>
      count + ratiosOf(figures, pair).filter(([name]) => name in baseline.ratios[pair.name]).length,
    0,
  )
  const head = `${compared} ratios compared with those of ${baseline.date} (${baseline.commit}; ${baseline.machine}): ${
    moves.length === 0
      ? 'none moved by more than the noise.'
      : `${moves.length} moved by more than the noise.`
  }`
  const sorted = moves.toSorted((a, b) => b.share - a.share)
  return {
    lines: [head, ...sorted.map(({ line }) => line)],
    worse: moves.filter(({ isWorse }) => isWorse).length,
  }
}

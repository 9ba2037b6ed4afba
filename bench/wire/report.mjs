// The figures as Markdown.
import { spawnSync } from 'node:child_process'
import { root } from '../../scripts/prepare.mjs'
import { machine } from '../sessions/report.mjs'
import { countsReads, ours, rawPipe } from './figures.mjs'
import { canPin } from './processes.mjs'
import { backends, doorNames } from './subjects.mjs'
import { mainPairs, targetHead, targetRows } from './targets.mjs'
import { warmthCells, warmthHead } from './warmth.mjs'
import { workloads } from './workloads.mjs'

const git = (...args) => spawnSync('git', args, { cwd: root, encoding: 'utf8' }).stdout?.trim() ?? ''

/** Before the bench begins: its own load is not the machine's. */
export function aboutRun() {
  const isChanged = git('status', '--porcelain', '--', 'src', 'sim', 'proto') !== ''
  return {
    machine: machine(),
    commit: `${git('rev-parse', '--short', 'HEAD') || 'no commit'}${isChanged ? ', changed' : ''}`,
    date: new Date().toISOString().slice(0, 10),
    pinned: canPin,
  }
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const significant = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(2))
const inMs = (microseconds) => (microseconds / 1000).toFixed(2)

/** Where a delta is the unit, and so writes and reads for each can be compared. */
const perDelta = ['w2', 'w3', 'w4c']

const columns = [
  { model: 'w1', head: 'W1, ms', value: ({ cpuUs }) => cpuUs / 1000 },
  { model: 'w2b', head: 'W2b, µs', value: ({ cpuUs }) => cpuUs },
  { model: 'w2', head: 'W2, µs', value: ({ cpuUs }) => cpuUs },
  { model: 'w3', head: 'W3, µs', value: ({ cpuUs }) => cpuUs },
  { model: 'w4c', head: 'W4c, µs', value: ({ cpuUs }) => cpuUs },
  { model: 'w5', head: 'W5, ms', value: ({ cpuUs }) => cpuUs / 1000 },
  { model: 'w5l', head: 'W5l, first byte, ms', value: ({ firstUs }) => firstUs?.p50 / 1000, isTime: true },
  { model: 'w4', head: 'W4, KB a stream', value: ({ kilobytes }) => kilobytes },
]

const markOf = (figures, pair, subject, model) =>
  perDelta.includes(model) && !figures.isComparable(pair, subject, model) ? ' \\*' : ''

/** Of ours with the rounds that are farthest apart. */
function timesOf({ value, least, most }, subject) {
  const spread = subject === ours && least !== undefined ? `, ${least.toFixed(2)} to ${most.toFixed(2)}` : ''
  return `${value.toFixed(2)}×${spread}`
}

function cellOf(figures, pair, subject, { model, value, isTime }) {
  const record = figures.find(pair, subject, model)
  if (record === undefined) return ''
  if (record.wrong === record.requests) return 'all wrong'
  const wrong = record.wrong > 0 ? `, wrong: ${record.wrong} of ${record.requests}` : ''
  const ratio = isTime ? figures.firstRatio(pair, subject, model) : figures.ratio(pair, subject, model)
  const times = ratio === undefined ? '' : ` (${timesOf(ratio, subject)})`
  return `${significant(value(record))}${times}${markOf(figures, pair, subject, model)}${wrong}`
}

const measuredColumns = (figures) =>
  columns.filter(({ model }) => figures.records.some((record) => record.model === model))

const subjectsOf = (figures, { backend, door }) => figures.subjects(backend, [door])

/** Those that only forward are shown once: they are the same for all doors. */
const rowsFor = (figures, pair) =>
  subjectsOf(figures, pair).filter((subject) => isMain(pair) || !forwards(subject))
const isMain = ({ name }) => mainPairs.some((pair) => pair.name === name)
const forwards = (subject) => subject === rawPipe || subject === 'nginx'

const mainTable = (figures, pair) =>
  table(
    [`${pair.door} to ${pair.backend}`, ...measuredColumns(figures).map(({ head }) => head)],
    subjectsOf(figures, pair).map((subject) => [
      subject,
      ...measuredColumns(figures).map((column) => cellOf(figures, pair, subject, column)),
    ]),
  )

function callsTable(figures, pairs) {
  const models = perDelta.filter((model) => figures.records.some((record) => record.model === model))
  const rows = pairs.flatMap((pair) =>
    rowsFor(figures, pair).map((subject) => [
      `${pair.name}: ${subject}`,
      ...models.flatMap((model) => {
        const record = figures.find(pair, subject, model)
        return record === undefined
          ? ['', '']
          : [record.writes.toFixed(2), countsReads(subject, pair) ? record.reads.toFixed(2) : '–']
      }),
    ]),
  )
  const titles = models.flatMap((model) => {
    const { title } = workloads[model]
    return [`${title}, writes`, 'reads']
  })
  return table(['calls of the kernel per delta', ...titles], rows)
}

function latencyTable(figures, pairs) {
  const shown = [
    { model: 'wl', field: 'firstUs' },
    { model: 'w4c', field: 'wordsUs' },
    { model: 'wl', field: 'callsUs' },
  ]
  const cells = (pair, subject) =>
    shown.flatMap(({ model, field }) => {
      const isRaw = subject === rawPipe
      const value = isRaw
        ? figures.find(pair, subject, model)?.[field]
        : figures.added(pair, subject, model, field)
      const sign = isRaw ? '' : '+'
      const inWords = (us) => `${us < 0 ? '' : sign}${inMs(us)}`
      return value === undefined ? ['', ''] : [inWords(value.p50), inWords(value.p99)]
    })
  const rows = pairs.flatMap((pair) =>
    rowsFor(figures, pair).map((subject) => [`${pair.name}: ${subject}`, ...cells(pair, subject)]),
  )
  return table(
    ['ms (more than the raw pipe)', 'first token, p50', 'p99', 'delta, p50', 'p99', 'call, p50', 'p99'],
    rows.filter((row) => row.slice(1).some((cell) => cell !== '')),
  )
}

const warmthTable = (figures, pairs) =>
  table(
    warmthHead,
    pairs.flatMap((pair) =>
      subjectsOf(figures, pair).flatMap((subject) => {
        const own = figures.find(pair, subject, 'wc')
        return own ? [[`${pair.name}: ${subject}`, ...warmthCells(own, figures.raw(pair, 'wc'))]] : []
      }),
    ),
  )

function otherPairsTable(figures, pairs) {
  const shown = measuredColumns(figures).filter(({ model }) => model !== 'w4')
  const rows = pairs.flatMap((pair) =>
    subjectsOf(figures, pair)
      .filter((subject) => !forwards(subject))
      .map((subject) => [
        `${pair.name}: ${subject}`,
        ...shown.map(({ model, isTime }) => {
          if (model in backends[pair.backend].without && subject === ours) return '–'
          const record = figures.find(pair, subject, model)
          if (record?.wrong > 0) return `wrong: ${record.wrong} of ${record.requests}`
          const ratio = isTime
            ? figures.firstRatio(pair, subject, model)
            : figures.ratio(pair, subject, model)
          return ratio === undefined
            ? ''
            : `${timesOf(ratio, subject)}${markOf(figures, pair, subject, model)}`
        }),
      ]),
  )
  return table(['to the raw pipe', ...shown.map(({ head }) => head.replace(/,[^,]*$/, ''))], rows)
}

const compared = ['w1', 'w2', 'w2b', 'w4c']

/** By the workloads that all of them have. */
function slowestBackends(figures, pairs) {
  const mean = (pair) => {
    const values = compared.map((model) => figures.ratio(pair, ours, model)?.value)
    if (values.some((value) => value === undefined)) return undefined
    return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length)
  }
  const sentences = doorNames.flatMap((door) => {
    const own = pairs
      .filter((pair) => pair.door === door)
      .map((pair) => ({ backend: pair.backend, value: mean(pair) }))
      .filter(({ value }) => value !== undefined)
    const [slowest] = own.toSorted((a, b) => b.value - a.value)
    return own.length < 2 ? [] : [`of ${door} it is ${slowest.backend} (${slowest.value.toFixed(2)}×)`]
  })
  if (sentences.length === 0) return []
  return [
    `Each door's slowest backend, by the geometric mean of W1, W2, W2b and W4c: ${sentences.join(', ')}.`,
  ]
}

const inProcessTable = (rows) =>
  table(
    ['in-process, reader and writer, to chat', 'µs per delta, 200 at a time', 'one at a time'],
    [...new Set(rows.map(({ backend }) => backend))].map((backend) => [
      backend,
      ...[200, 1].map((batch) =>
        rows.find((row) => row.backend === backend && row.batch === batch).cpuUs.toFixed(2),
      ),
    ]),
  )

function versionsOf(figures) {
  const versions = new Map(figures.records.map(({ subject, version }) => [subject, version]))
  const named = [...versions].filter(([, version]) => version !== undefined)
  return named.map(([subject, version]) => `${subject} ${version}`).join(', ')
}

function leftOut(pairs, figures) {
  const models = new Set(figures.records.map(({ model }) => model))
  const reasons = Object.entries(backends).flatMap(([backend, { without }]) =>
    pairs.some((pair) => pair.backend === backend)
      ? Object.entries(without)
          .filter(([model]) => models.has(model))
          .map(([model, why]) => `${workloads[model].title} of ${backend} (${why})`)
      : [],
  )
  return reasons.length === 0 ? [] : [`Left out: ${reasons.join('; ')}.`]
}

function wrongAnswers(figures) {
  const wrong = figures.records.filter((record) => record.wrong > 0)
  return wrong.map(
    ({ subject, door, backend, model, wrongBecause }) =>
      `- ${subject}, ${door} to ${backend}, ${workloads[model].title}: ${wrongBecause.replaceAll(/\s+/g, ' ').slice(0, 200)}`,
  )
}

const section = (title, parts) => (parts.length === 0 ? [] : [`## ${title}`, ...parts])

export function toMarkdown({ about, inProcess }, figures, pairs) {
  const main = mainPairs.filter(({ name }) => pairs.some((pair) => pair.name === name))
  const others = pairs.filter(({ name }) => !main.some((pair) => pair.name === name))
  const has = (model) => figures.records.some((record) => record.model === model)
  const { machine: where, commit, date, rounds, seconds, pinned } = about
  const manner = `medians of ${rounds === 1 ? 'one round' : `${rounds} rounds`} of ${seconds} s each`
  const cores = pinned ? 'each subject on core 0, the rest on core 1' : 'NOT PINNED to cores: read with care'
  const stars =
    '\\* More than 15 % other writes or reads per delta than the raw pipe: the CPU time per delta is not comparable.'
  const parts = [
    `Machine: ${where}; ${cores}. Commit ${commit}, ${date}; ${versionsOf(figures)}. CPU time, ${manner}; in brackets to the raw pipe of the same minutes, for Dragoman with the rounds that are farthest apart.`,
    ...main.map((pair) => mainTable(figures, pair)),
    stars,
    ...section('Targets', [
      table(targetHead, targetRows(figures, pairs, inProcess)),
      'A parked session (150 KB, 60 KB) is measured by `npm run bench:sessions`.',
    ]),
    ...(others.length > 0
      ? section('Other pairs', [
          otherPairsTable(figures, others),
          ...leftOut(pairs, figures),
          'Behind text, cursor and qwen-web the raw pipe forwards as many deltas of the Chat API.',
          ...slowestBackends(figures, pairs),
        ])
      : []),
    ...(has('wc')
      ? section('Cold and warm', [
          warmthTable(figures, pairs),
          'Cold: the first 2,000 requests of a process. Warm: after 10,000. Times to the answer: those of the raw pipe, and what others add to them.',
        ])
      : []),
    ...(has('wl') || has('w4c')
      ? section('Latency', [
          latencyTable(figures, pairs),
          'First token: from the request. Delta: from its sending (W4c). Call: from the last byte of its arguments to the whole call.',
        ])
      : []),
    ...(perDelta.some(has) ? section('Writes and reads', [callsTable(figures, pairs)]) : []),
    ...section('In-process', [inProcessTable(inProcess)]),
    ...section('Wrong answers', wrongAnswers(figures)),
  ]
  return parts.join('\n\n')
}

// The figures as Markdown, with the curves that are too steep.
import { backends } from './bench.mjs'

/** A curve above this exponent is suspect: noise alone does not reach it twice. */
export const steepest = 1.15

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const titles = {
  history: 'messages in the history',
  tools: 'tools',
  arguments: 'arguments of one call',
  past: 'a call and its result in the history',
  calls: 'parallel calls',
  text: 'text of an answer',
  streams: 'streams at once',
  chain: 'turns by `previous_response_id`',
  sessions: 'sessions that wait',
}

export const nameOf = ({ axis, door, backend, variant }) =>
  `${axis}, ${door} to ${backend}${variant ? `, ${variant}` : ''}`

const inWords = (size, axis) => {
  if (!['arguments', 'past', 'text'].includes(axis)) return String(size)
  return size >= 2 ** 20 ? `${round(size / 2 ** 20)} MB` : `${round(size / 1024)} KB`
}
const round = (value) => (value >= 10 ? value.toFixed(0) : value.toPrecision(2))

function costInWords(cost, unit) {
  if (unit === 'bytes') return `${round(cost / 2 ** 20)} MB`
  return `${round(cost / 1e6)} ms`
}

const slopeInWords = (slope) => (slope === undefined ? 'flat' : slope.toFixed(2))

/** The steepest door and the cost of its largest size. */
function cellOf(curves) {
  if (curves.length === 0) return ''
  const worst = curves.reduce((one, other) => ((other.slope ?? 0) > (one.slope ?? 0) ? other : one))
  const { size, cost } = worst.points.at(-1)
  return `${slopeInWords(worst.slope)} (${inWords(size, worst.axis)}: ${costInWords(cost, worst.unit)})`
}

export function toMarkdown({ machine, curves }) {
  const rows = [...new Set(curves.map(({ axis, variant }) => JSON.stringify([axis, variant])))].map((key) => {
    const [axis, variant] = JSON.parse(key)
    const of = (backend) =>
      curves.filter((curve) => curve.axis === axis && curve.variant === variant && curve.backend === backend)
    return [
      `${titles[axis]}${variant ? `: ${variant}` : ''}`,
      ...backends.map((backend) => cellOf(of(backend))),
    ]
  })
  return `Machine: ${machine}

${table(['what grows', ...backends], rows)}
`
}

/** Reported, not asserted: a busy machine must not fail a build. */
export function verdicts({ quick, curves }) {
  if (quick) return ['too short to judge: without --quick it says which curves are too steep']
  const steep = curves.filter(({ slope = 0 }) => slope > steepest)
  return [
    `${steep.length === 0 ? 'met   ' : 'MISSED'} ${curves.length} curves, none steeper than ${steepest}: ${steep.length} are`,
    ...steep.map((curve) => `       ${slopeInWords(curve.slope)} ${nameOf(curve)}`),
  ]
}

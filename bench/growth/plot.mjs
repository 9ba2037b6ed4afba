// All curves as one picture of small charts, both axes logarithmic. The dotted line shows linear growth.
import { round, style } from '../soak/plot.mjs'
import { backends } from './bench.mjs'

const marks = Object.fromEntries(backends.map((backend, at) => [backend, 'abcde'[at]]))
const names = {
  text: 'tools as text',
  'qwen-web': 'Qwen web chat',
  openai: 'OpenAI',
  anthropic: 'Anthropic',
  cursor: 'Cursor',
}

const isMemory = ({ unit }) => unit === 'bytes'
const charts = [
  { axis: 'history', title: 'history', x: 'messages' },
  { axis: 'tools', title: 'tools', x: 'tools' },
  { axis: 'past', title: 'a large call in the history', x: 'KB', scale: 1024 },
  { axis: 'arguments', title: 'arguments of one call', x: 'KB', scale: 1024 },
  { axis: 'calls', title: 'parallel calls in one answer', x: 'calls' },
  { axis: 'text', title: 'text of an answer', x: 'KB', scale: 1024 },
  { axis: 'streams', title: 'streams at once, all of them', x: 'streams' },
  {
    axis: 'chain',
    title: 'n-th turn by previous_response_id',
    x: 'turns',
    wants: (curve) => !isMemory(curve),
  },
  { axis: 'chain', title: 'memory for n such turns', x: 'turns', wants: isMemory },
  {
    axis: 'sessions',
    title: 'one more session, n waiting',
    x: 'sessions',
    wants: ({ variant }) => variant === 'one more',
  },
  {
    axis: 'sessions',
    title: 'a second in which n wait',
    x: 'sessions',
    wants: ({ variant }) => variant !== 'one more',
  },
]

const columns = 3
const cell = { width: 300, height: 230 }
const plot = { left: 52, top: 34, width: 232, height: 140 }

const decades = (low, high) => {
  const first = Math.floor(Math.log10(low))
  return Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, at) => 10 ** (first + at))
}

const short = (value) => (value >= 1_000 ? `${value / 1_000}k` : String(value))

function drawChart({ title, x: unit, scale = 1, curves }, left, top) {
  const memory = curves.some(isMemory)
  const divisor = memory ? 2 ** 20 : 1e6
  const points = curves.flatMap((curve) => curve.points)
  const xs = decades(
    Math.min(...points.map(({ size }) => size / scale)),
    Math.max(...points.map(({ size }) => size / scale)),
  )
  const ys = decades(
    Math.min(...points.map(({ cost }) => cost / divisor)),
    Math.max(...points.map(({ cost }) => cost / divisor)),
  )
  const place = (value, ticks, length) =>
    ticks.length < 2 ? 0 : (Math.log10(value / ticks[0]) / Math.log10(ticks.at(-1) / ticks[0])) * length
  const x = (value) => round(left + plot.left + place(value, xs, plot.width))
  const y = (value) => round(top + plot.top + plot.height - place(value, ys, plot.height))
  const [right, bottom] = [left + plot.left + plot.width, top + plot.top + plot.height]
  // From the lower left corner to the edge.
  const reach = Math.min(xs.at(-1) / xs[0], ys.at(-1) / ys[0])
  const lines = curves.map(({ backend, points }) => {
    const path = points.map(({ size, cost }) => `${x(size / scale)} ${y(cost / divisor)}`).join(' L')
    return `<path class="line ${marks[backend]}" opacity="0.55" d="M${path}"/>`
  })
  return [
    `<text class="title" x="${left + plot.left}" y="${top + 18}">${title}</text>`,
    ...ys.map(
      (value) =>
        `<path class="grid" d="M${left + plot.left} ${y(value)}H${right}"/><text x="${left + plot.left - 6}" y="${y(value) + 4}" text-anchor="end">${short(value)}</text>`,
    ),
    ...xs.map(
      (value) => `<text x="${x(value)}" y="${bottom + 16}" text-anchor="middle">${short(value)}</text>`,
    ),
    `<text x="${left + plot.left + plot.width / 2}" y="${bottom + 32}" text-anchor="middle">${unit}</text>`,
    `<text x="${left + plot.left + 4}" y="${top + plot.top + 12}">${memory ? 'MB' : 'ms'}</text>`,
    `<path class="axis" d="M${left + plot.left} ${top + plot.top}V${bottom}H${right}"/>`,
    `<path class="axis" stroke-dasharray="2 4" d="M${x(xs[0])} ${y(ys[0])}L${x(xs[0] * reach)} ${y(ys[0] * reach)}"/>`,
    ...lines,
  ]
}

export function toSvg(curves) {
  const shown = charts
    .map(({ wants = () => true, ...chart }) => ({
      ...chart,
      curves: curves.filter((curve) => curve.axis === chart.axis && wants(curve) && curve.points.length > 1),
    }))
    .filter((chart) => chart.curves.length > 0)
  const rows = Math.ceil(shown.length / columns)
  const [width, height] = [columns * cell.width, rows * cell.height + 34]
  const legend = backends.map(
    (backend, at) =>
      `<text class="${marks[backend]}" x="${plot.left + at * 120}" y="20">${names[backend]}</text>`,
  )
  const drawn = shown.flatMap((chart, at) =>
    drawChart(chart, (at % columns) * cell.width, 34 + Math.floor(at / columns) * cell.height),
  )
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="Processor time and memory of the gateway by size, both axes logarithmic; a dotted line shows linear growth">
  <style>${style}
  </style>
  ${[...legend, `<text x="${plot.left + 620}" y="20">dotted: linear</text>`, ...drawn].join('\n  ')}
</svg>
`
}

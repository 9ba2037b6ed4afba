// The ratios to the raw pipe as bars, on a logarithmic scale: one group for each workload. Readable on light and on dark pages.
import { ours, rawPipe } from './figures.mjs'
import { mainPairs } from './targets.mjs'
import { workloads } from './workloads.mjs'

const shown = ['w1', 'w2b', 'w2', 'w3', 'w4c', 'w5', 'w5l']
const bar = { height: 14, gap: 3, groupGap: 12 }
const plot = { left: 70, width: 330, top: 66, between: 460 }
const ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
const colors = ['a', 'b', 'c', 'd', 'e']

const style = `
    text { font: 12px system-ui, sans-serif; fill: #57606a }
    .title { font-size: 14px; fill: #24292f } .value { font-size: 11px }
    .grid { stroke: #d0d7de; fill: none } .one { stroke: #57606a; stroke-width: 1.5; fill: none }
    .a { fill: #0969da } .b { fill: #8c959f } .c { fill: #1a7f37 } .d { fill: #bf8700 } .e { fill: #8250df }
    @media (prefers-color-scheme: dark) {
      text { fill: #9da7b3 } .title { fill: #e6edf3 } .grid { stroke: #30363d } .one { stroke: #9da7b3 }
      .a { fill: #4493f8 } .b { fill: #6e7681 } .c { fill: #3fb950 } .d { fill: #d29922 } .e { fill: #ab7df8 }
    }`

const round = (value) => Math.round(value * 10) / 10

function groupsOf(figures, pair) {
  const subjects = figures.subjects(pair.backend, [pair.door])
  return shown.flatMap((model) => {
    const bars = subjects.flatMap((subject) => {
      const record = figures.find(pair, subject, model)
      const ratio =
        model === 'w5l' ? figures.firstRatio(pair, subject, model) : figures.ratio(pair, subject, model)
      const isRight = record !== undefined && record.wrong < record.requests
      return isRight && Number.isFinite(ratio?.value) ? [{ subject, value: ratio.value }] : []
    })
    return bars.length === 0 ? [] : [{ title: workloads[model].title, bars }]
  })
}

const groupHeight = ({ bars }) => bars.length * (bar.height + bar.gap) + bar.groupGap

function scaleFor(groups) {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value))
  const low = ticks.findLast((tick) => tick <= Math.min(...values, 0.5)) ?? ticks[0]
  const high = ticks.find((tick) => tick >= Math.max(...values, 2)) ?? ticks.at(-1)
  const x = (value) => {
    const inside = Math.min(Math.max(value, low), high)
    return (plot.width * Math.log(inside / low)) / Math.log(high / low)
  }
  return { x, ticks: ticks.filter((tick) => tick >= low && tick <= high) }
}

function drawPanel({ pair, groups }, left, { x, ticks: marks }, classOf) {
  const out = [`<text class="title" x="${left}" y="46">${pair.door} to ${pair.backend}</text>`]
  const bottom = plot.top + groups.reduce((sum, group) => sum + groupHeight(group), 0)
  for (const tick of marks) {
    const at = round(left + x(tick))
    out.push(`<path class="${tick === 1 ? 'one' : 'grid'}" d="M${at} ${plot.top - 4}V${bottom}"/>`)
    out.push(`<text x="${at}" y="${bottom + 16}" text-anchor="middle">${tick}×</text>`)
  }
  let top = plot.top
  for (const group of groups) {
    const middle = top + (groupHeight(group) - bar.groupGap) / 2
    out.push(`<text x="${left - 10}" y="${round(middle + 4)}" text-anchor="end">${group.title}</text>`)
    for (const [at, { subject, value }] of group.bars.entries()) {
      const y = top + at * (bar.height + bar.gap)
      const width = Math.max(round(x(value)), 1.5)
      out.push(
        `<rect class="${classOf(subject)}" x="${left}" y="${y}" width="${width}" height="${bar.height}" rx="2"/>`,
      )
      out.push(`<text class="value" x="${round(left + width + 5)}" y="${y + 11}">${value.toFixed(2)}×</text>`)
    }
    top += groupHeight(group)
  }
  return { out, bottom }
}

function drawLegend(subjects, classOf) {
  let left = plot.left
  return subjects.map((subject) => {
    const item = `<rect class="${classOf(subject)}" x="${left}" y="10" width="12" height="12" rx="2"/><text x="${left + 18}" y="20">${subject}</text>`
    left += 40 + subject.length * 7
    return item
  })
}

export function toSvg({ about }, figures) {
  const panels = mainPairs
    .map((pair) => ({ pair, groups: groupsOf(figures, pair) }))
    .filter(({ groups }) => groups.length > 0)
  if (panels.length === 0) return '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>\n'
  const subjects = [...new Set(panels.flatMap(({ pair }) => figures.subjects(pair.backend, [pair.door])))]
  const names = [ours, rawPipe, ...subjects.filter((name) => name !== ours && name !== rawPipe)]
  const classOf = (name) => colors[names.indexOf(name)] ?? 'e'
  const scale = scaleFor(panels.flatMap(({ groups }) => groups))
  const drawn = panels.map((panel, at) => drawPanel(panel, plot.left + at * plot.between, scale, classOf))
  const height = Math.max(...drawn.map(({ bottom }) => bottom)) + 62
  const width = plot.left + panels.length * plot.between
  const captions = [
    'CPU time to that of a pipe that only forwards, on a logarithmic scale; W5l: time to the first byte.',
    `${about.machine}.`,
  ]
  const body = [
    ...drawLegend(names, classOf),
    ...drawn.flatMap(({ out }) => out),
    ...captions.map(
      (line, at) =>
        `<text class="value" x="${plot.left}" y="${height - 24 + at * 15}">${line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`,
    ),
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="What an answer costs on its way through each gateway, to a raw pipe">
  <style>${style}
  </style>
  ${body.join('\n  ')}
</svg>
`
}

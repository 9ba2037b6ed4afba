// The samples as a picture: memory above, counters below. Readable on light and on dark pages.

const MB = 2 ** 20
const width = 860
const panel = { left: 60, right: 830, height: 150 }
const tops = [40, 250]

/** Colours a to e for lines and their names. */
export const style = `
    text { font: 12px system-ui, sans-serif; fill: #57606a }
    .title { font-size: 14px; fill: #24292f }
    .axis { stroke: #8c959f; stroke-width: 1; fill: none }
    .grid { stroke: #d0d7de; stroke-width: 1; fill: none }
    .line { fill: none; stroke-width: 1.5 }
    .a { stroke: #0969da } text.a { fill: #0969da; stroke: none }
    .b { stroke: #9a6700 } text.b { fill: #9a6700; stroke: none }
    .c { stroke: #1a7f37 } text.c { fill: #1a7f37; stroke: none }
    .d { stroke: #8250df } text.d { fill: #8250df; stroke: none }
    .e { stroke: #bc4c00 } text.e { fill: #bc4c00; stroke: none }
    .warm { fill: #8c959f; opacity: 0.12 }
    @media (prefers-color-scheme: dark) {
      text { fill: #9da7b3 } .title { fill: #e6edf3 } .axis { stroke: #6e7681 } .grid { stroke: #30363d }
      .a { stroke: #4493f8 } text.a { fill: #4493f8 } .b { stroke: #d29922 } text.b { fill: #d29922 }
      .c { stroke: #3fb950 } text.c { fill: #3fb950 } .d { stroke: #ab7df8 } text.d { fill: #ab7df8 }
      .e { stroke: #f0883e } text.e { fill: #f0883e }
    }`

/** Round axis steps up to at least `most`. */
function scaleOf(most, steps) {
  const rough = Math.max(most, 1e-9) / steps
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size * steps >= most)
  return Array.from({ length: steps + 1 }, (_, at) => at * step)
}

export const round = (value) => Math.round(value * 10) / 10

function drawPanel(top, { title, unit, lines, samples, minutes, warmUpMinutes }) {
  const bottom = top + panel.height
  const ticks = scaleOf(Math.max(...lines.flatMap(({ read }) => samples.map(read))), 4)
  const x = (minute) => round(panel.left + (minute / minutes.at(-1)) * (panel.right - panel.left))
  const y = (value) => round(bottom - (value / ticks.at(-1)) * panel.height)
  const paths = lines.map(({ read, mark }) => {
    const points = samples.map((sample) => `${x(sample.atMs / 60_000)} ${y(read(sample))}`)
    return `<path class="line ${mark}" d="M${points.join(' L')}"/>`
  })
  const legend = lines.map(
    ({ name, mark }, at) =>
      `<text class="${mark}" x="${panel.left + 250 + at * 190}" y="${top - 12}">${name}</text>`,
  )
  return [
    `<text class="title" x="${panel.left}" y="${top - 12}">${title}</text>`,
    ...legend,
    `<rect class="warm" x="${panel.left}" y="${top}" width="${round(x(warmUpMinutes) - panel.left)}" height="${panel.height}"/>`,
    ...ticks.map(
      (value) =>
        `<path class="grid" d="M${panel.left} ${y(value)}H${panel.right}"/><text x="${panel.left - 8}" y="${y(value) + 4}" text-anchor="end">${round(value)}</text>`,
    ),
    `<text x="14" y="${top + panel.height / 2}" transform="rotate(-90 14 ${top + panel.height / 2})" text-anchor="middle">${unit}</text>`,
    `<path class="axis" d="M${panel.left} ${top}V${bottom}H${panel.right}"/>`,
    ...minutes.map(
      (minute) => `<text x="${x(minute)}" y="${bottom + 16}" text-anchor="middle">${round(minute)}</text>`,
    ),
    `<text x="${(panel.left + panel.right) / 2}" y="${bottom + 32}" text-anchor="middle">minutes</text>`,
    ...paths,
  ]
}

export function toSvg({ samples, warmUpMs, caption }) {
  const common = {
    samples,
    // The last sample may be a moment late, which needs no further step.
    minutes: scaleOf((samples.at(-1).atMs / 60_000) * 0.99, 6),
    warmUpMinutes: warmUpMs / 60_000,
  }
  const memory = [
    { name: 'heap after collection', mark: 'a', read: ({ heapUsed }) => heapUsed / MB },
    { name: 'resident memory', mark: 'b', read: ({ rss }) => rss / MB },
  ]
  const held = [
    {
      name: 'sessions (parked, answering)',
      mark: 'a',
      read: ({ waiting, answering }) => waiting + answering,
    },
    { name: 'requests being answered', mark: 'c', read: ({ requests }) => requests },
    { name: 'sockets', mark: 'b', read: ({ sockets }) => sockets },
  ]
  const body = [
    ...drawPanel(tops[0], { ...common, title: 'Memory', unit: 'MB', lines: memory }),
    ...drawPanel(tops[1], { ...common, title: 'Held at once', unit: 'count', lines: held }),
    `<text x="${panel.left}" y="455">${caption} The grey part is the warm-up.</text>`,
  ]
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} 465" role="img" aria-label="Memory, sessions, requests and sockets of the gateway during the soak">
  <style>${style}
  </style>
  ${body.join('\n  ')}
</svg>
`
}

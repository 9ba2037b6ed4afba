// Medians as Markdown, each compared with the bare server of the same run.
export function toMarkdown({ machine, cases, starts, idle }) {
  const count = starts.bare.length
  return [
    `Machine: ${machine}`,
    '',
    `Medians of ${count} starts, one of each in turn; what was left alone, of ${idle.bare.length}.`,
    '',
    startTable(cases, starts),
    '',
    memoryTable(
      cases.filter(({ ready }) => ready),
      starts,
      idle,
    ),
  ].join('\n')
}

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

function startTable(cases, starts) {
  const bareMs = median(starts.bare, 'readyMs')
  const bareCpu = median(starts.bare, 'cpuMs')
  return table(
    [
      'started',
      'ready, ms',
      'to bare',
      'more than bare, ms',
      'CPU until ready, ms',
      'to bare',
      'first answer, ms after the start',
      'first turn, ms',
      'second turn, ms',
      'tenth turn, ms',
    ],
    cases.map(({ name }) => {
      const of = (field) => median(starts[name], field)
      return [
        name,
        whole(of('readyMs')),
        ratio(of('readyMs'), bareMs),
        whole(of('readyMs') - bareMs),
        whole(of('cpuMs')),
        ratio(of('cpuMs'), bareCpu),
        whole(of('answeredMs')),
        whole(of('firstTurnMs')),
        whole(of('secondTurnMs')),
        whole(of('tenthTurnMs')),
      ]
    }),
  )
}

function memoryTable(cases, starts, idle) {
  const bareMb = median(idle.bare, 'rssMb')
  return table(
    [
      'memory, MB',
      'when ready',
      'left alone for 5 s',
      'to bare',
      'more than bare',
      'after ten turns',
      'CPU in those 5 s and before, ms',
    ],
    cases.map(({ name }) => {
      const alone = median(idle[name], 'rssMb')
      return [
        name,
        whole(median(starts[name], 'rssMb')),
        whole(alone),
        ratio(alone, bareMb),
        whole(alone - bareMb),
        whole(median(starts[name], 'askedMb')),
        whole(median(idle[name], 'cpuMs')),
      ]
    }),
  )
}

/** NaN if no case of that name was measured. */
function median(figures, field) {
  const sorted = figures.map((one) => one[field] ?? Number.NaN).sort((a, b) => a - b)
  return (sorted[Math.floor((sorted.length - 1) / 2)] + sorted[Math.ceil((sorted.length - 1) / 2)]) / 2
}

const whole = (value) => (Number.isNaN(value) ? '' : value.toFixed(0))
const ratio = (value, bare) => (Number.isNaN(value) ? '' : `${(value / bare).toFixed(2)}×`)

// The figures as Markdown, compared with their targets.

export { machine } from '../sessions/report.mjs'

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const sizeOf = (kilobytes) => (kilobytes < 1024 ? `${kilobytes} KB` : `${kilobytes / 1024} MB`)
const formatNames = { json: 'JSON', xml: 'XML' }

const speedOf = ({ ms, textLength }) => textLength / 2 ** 20 / (ms / 1000)

function significant(value) {
  if (value >= 100) return value.toFixed(0)
  return value >= 10 ? value.toFixed(1) : value.toPrecision(2)
}

function cell(result, patience) {
  if (result === undefined) return ''
  if (result.skipped) return 'not tried'
  if (result.overdue) return `over ${patience} s`
  return result.problem ? `${significant(speedOf(result))} (${result.problem})` : significant(speedOf(result))
}

const ratio = (ours, peer) => (peer?.ms === undefined ? '' : `${significant(speedOf(ours) / speedOf(peer))}×`)

function largeTable({ large, sizes, peer, patience }) {
  const find = (parser, format, pieceSize, size) =>
    large.find(
      (row) =>
        row.parser === parser && row.format === format && row.pieceSize === pieceSize && row.size === size,
    )
  const pieceSizes = [...new Set(large.map(({ pieceSize }) => pieceSize))]
  const columns = (format) => [
    `${formatNames[format]}, MB/s`,
    ...(peer ? [`the other, ${formatNames[format]}`, 'ratio'] : []),
  ]
  const rows = pieceSizes.flatMap((pieceSize) =>
    sizes.map((size) => [
      pieceSize,
      sizeOf(size),
      ...['json', 'xml'].flatMap((format) => {
        const ours = find('ours', format, pieceSize, size)
        const theirs = find('peer', format, pieceSize, size)
        return [cell(ours, patience), ...(peer ? [cell(theirs, patience), ratio(ours, theirs)] : [])]
      }),
    ]),
  )
  return table(['piece', 'argument', ...columns('json'), ...columns('xml')], rows)
}

const parserNames = { ours: 'Dragoman', peer: 'the other' }

const factors = (times) =>
  times.slice(1).map((ms, at) => (ms === undefined || times[at] === undefined ? undefined : ms / times[at]))

const growthTable = ({ growth, patience }) =>
  table(
    ['parser', 'format', 'piece', 'argument', 'ms', 'per doubling'],
    growth.map(({ parser, format, pieceSize, sizes, times }) => [
      parserNames[parser],
      formatNames[format],
      pieceSize,
      sizes.map(sizeOf).join(' → '),
      times.map((ms) => (ms === undefined ? `over ${patience} s` : significant(ms))).join(' → '),
      factors(times)
        .map((factor) => (factor === undefined ? '' : `${factor.toFixed(2)}×`))
        .join(', '),
    ]),
  )

const kindNames = {
  answers: 'answers with two small calls',
  calls: 'one answer of many small calls',
  prose: 'prose that looks like markup',
}

function smallTable({ small, peer, patience }) {
  const ours = small.filter(({ parser }) => parser === 'ours')
  return table(
    ['text', 'format', 'size', 'MB/s', ...(peer ? ['the other', 'ratio'] : [])],
    ours.map((row) => {
      const theirs = small.find(
        ({ parser, kind, format }) => parser === 'peer' && kind === row.kind && format === row.format,
      )
      const beside = peer ? [cell(theirs, patience), ratio(row, theirs)] : []
      const size = `${sizeOf(Math.round(row.textLength / 1024))}${row.count > 1 ? ` in ${row.count}` : ''}`
      return [kindNames[row.kind], formatNames[row.format], size, cell(row, patience), ...beside]
    }),
  )
}

export const toMarkdown = (figures) => `Machine: ${figures.machine}
${figures.peer ? `\nThe other: ${figures.peer}\n` : ''}
One call with one long argument, processor time, by the size of the pieces in characters:

${largeTable(figures)}

Growth:

${growthTable(figures)}

Small calls and prose, in pieces of 4:

${smallTable(figures)}
`

/** Targets are reported, not asserted: a busy machine must not fail a build. */
export function verdicts({ large, growth }) {
  const say = (what, isMet, found) => `${isMet ? 'met   ' : 'MISSED'} ${what}: ${found}`
  const worst = Math.max(
    ...growth.filter(({ parser }) => parser === 'ours').flatMap(({ times }) => factors(times)),
  )
  const slowest = Math.min(
    ...large
      .filter(({ parser, pieceSize, size }) => parser === 'ours' && pieceSize >= 64 && size >= 64)
      .map(speedOf),
  )
  return [
    say('at most 2.3 times the time per doubling', worst <= 2.3, `${worst.toFixed(2)} times`),
    say(
      'at least 10 MB/s on arguments from 64 KB, pieces from 64',
      slowest >= 10,
      `${slowest.toFixed(1)} MB/s`,
    ),
  ]
}

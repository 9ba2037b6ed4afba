// The figures as Markdown.

const table = (head, rows) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')

const significant = (value) =>
  value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(2)
const ratio = (one, other) => `${significant(one / other)}×`

const callTable = (calls) =>
  table(
    [
      'call',
      'schema',
      'arguments',
      'check, µs',
      'Ajv',
      'compile and first check, µs',
      'Ajv',
      'Ajv / ours',
      'text and hash, µs',
    ],
    calls.map(({ name, schemaBytes, inputBytes, check, first, hash }) => [
      name,
      `${schemaBytes} B`,
      `${inputBytes} B`,
      significant(check.ours),
      significant(check.ajv),
      significant(first.ours),
      significant(first.ajv),
      ratio(first.ajv, first.ours),
      significant(hash),
    ]),
  )

const hostileCell = ({ ms, verdict, overdue }) =>
  overdue ? `over ${overdue} s` : `${significant(ms)} ms, ${verdict}`

const hostileTable = (rows) =>
  table(
    ['schema', 'ours', 'ours, in a new process', 'Ajv'],
    rows.map(({ name, ours, cold, ajv }) => [
      name,
      hostileCell(ours),
      `${significant(cold.ms)} ms`,
      hostileCell(ajv),
    ]),
  )

const processTable = ({ load, memory }) =>
  table(
    ['', 'ours', 'Ajv'],
    [
      ['load and first schema, CPU ms', significant(load.ours.ms), significant(load.ajv.ms)],
      [
        'memory of 500 schemas, each used once, MB',
        significant(memory.ours.bytes / 2 ** 20),
        significant(memory.ajv.bytes / 2 ** 20),
      ],
    ],
  )

export const toMarkdown = ({ machine, calls, hostile, load, memory }) =>
  [`Machine: ${machine}`, callTable(calls), processTable({ load, memory }), hostileTable(hostile)].join(
    '\n\n',
  )

/** Against the promises of docs/calls.md. */
export function verdicts({ calls, hostile }) {
  const slowest = Math.max(...calls.map(({ check }) => check.ours))
  const longest = Math.max(
    ...hostile.flatMap(({ ours, cold }) => [ours.ms ?? Number.POSITIVE_INFINITY, cold.ms]),
  )
  return [
    `slowest call: ${significant(slowest)} µs (below 20: ${slowest < 20 ? 'yes' : 'no'})`,
    `longest hostile schema: ${significant(longest)} ms (below 50: ${longest < 50 ? 'yes' : 'no'})`,
  ]
}

// The table of docs/calls.md: what arrives of malformed calls, by gateway.

const columns = [
  ['put right', ['mended']],
  ['asked for again', ['retried']],
  ['passed on with a note', ['noted']],
  ['refused as an error', ['error']],
  ['passed on silently', ['silent']],
  ['lost, or changed into another call', ['lost', 'changed']],
]

const row = (cells) => `| ${cells.join(' | ')} |`

/** `runs`: `{ gateway, way, malformed, fitting }` with the outcomes of every kind. */
export function tableOf(runs, { date }) {
  const [{ malformed, fitting }] = runs
  const head = ['gateway', 'client → service', ...columns.map(([title]) => title), 'right calls unchanged']
  const rows = runs.map((run) => [
    run.gateway,
    run.way,
    ...columns.map(([, outcomes]) => run.malformed.filter((one) => outcomes.includes(one)).length),
    `${run.fitting.filter((one) => one === 'right').length} of ${run.fitting.length}`,
  ])
  return [
    `${malformed.length} kinds of malformed calls and ${fitting.length} that fit and look odd, recorded on ${date}. Each was streamed and whole, alone`,
    'and between two good calls; the worst of the four counts.',
    '',
    row(head),
    row(head.map(() => '---')),
    ...rows.map(row),
  ].join('\n')
}

/** Replaces the text between `<!-- arrives -->` and `<!-- /arrives -->`. */
export const withTable = (page, table) =>
  page.replace(
    /(<!-- arrives -->\n).*?(<!-- \/arrives -->)/s,
    (_whole, begin, end) => `${begin}${table}\n${end}`,
  )

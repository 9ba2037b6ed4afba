// The tables of docs/conformance.md, from the list of cases and the recorded runs (docs/conformance.json).
//
// A recorded run: `{ name, version, upstream, doors, missing }`. `doors` has, by door and case, the worst outcome of the case's
// forms; `missing` has the doors that the gateway does not offer, with the reason.

const worst = ['fail', 'skip', 'pass', 'not offered']

export function recordRun(run, results, missing) {
  const doors = {}
  for (const { door, id, outcome } of results) {
    if (missing.has(door)) continue
    const cases = doors[door] ?? {}
    doors[door] = cases
    const known = cases[id]
    if (known === undefined || worst.indexOf(outcome) < worst.indexOf(known)) cases[id] = outcome
  }
  // The lines after the first are a stack trace with paths of this machine.
  const reasons = [...missing].map(([door, reason]) => [door, reason.split('\n')[0]])
  return { ...run, doors, missing: Object.fromEntries(reasons) }
}

const parts = ['cases', 'summary', 'results']

/** Replaces the text between `<!-- NAME -->` and `<!-- /NAME -->`. */
export function withParts(page, made) {
  let text = page
  for (const part of parts)
    text = text.replace(
      new RegExp(`(<!-- ${part} -->\\n)[^]*?(<!-- /${part} -->)`),
      (_whole, begin, end) => `${begin}${made[part]}\n${end}`,
    )
  return text
}

export const documented = (cases, recorded) => ({
  cases: caseTable(cases),
  summary: summaryTable(recorded),
  results: resultTable(cases, recorded),
})

const row = (cells) => `| ${cells.join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')

function caseTable(cases) {
  return table(
    ['case', 'what must hold', 'else', 'doors', 'needs'],
    cases.map(({ id, title, why, link, doors, needs, upstreams }) => [
      `\`${id}\``,
      title,
      link === undefined ? why : `${why} ([seen](${link}))`,
      doors.length === 3 ? 'all' : doors.join(', '),
      needs === 'scripted' ? `scripted: ${upstreams?.join(', ')}` : needs === 'tools' ? 'tools' : '',
    ]),
  )
}

const columnsOf = ({ runs }) =>
  runs.flatMap(({ name, upstream, doors }) =>
    Object.entries(doors).map(([door, cases]) => ({ title: `${name}: ${door} → ${upstream}`, cases })),
  )

function summaryTable({ date, runs }) {
  const rows = runs.flatMap(({ name, version, upstream, doors, missing }) => {
    const gateway = `${name} ${version}`.trim()
    return [
      ...Object.entries(doors).map(([door, cases]) => {
        const outcomes = Object.values(cases)
        const count = (wanted) => String(outcomes.filter((outcome) => outcome === wanted).length)
        return [gateway, door, upstream, count('pass'), count('fail'), count('skip')]
      }),
      ...Object.keys(missing).map((door) => [gateway, door, upstream, 'not offered', '', '']),
    ]
  })
  return `Recorded on ${date}.\n\n${table(['gateway', 'door', 'upstream', 'pass', 'fail', 'not judged'], rows)}`
}

const marks = { pass: '✓', fail: '✗', skip: '–', 'not offered': '' }

/** Only the cases that some gateway failed. */
function resultTable(cases, recorded) {
  const columns = columnsOf(recorded)
  const failed = cases.filter(({ id }) => columns.some((column) => column.cases[id] === 'fail'))
  return table(
    ['case', ...columns.map(({ title }) => title)],
    failed.map(({ id, title }) => [
      `\`${id}\` ${title}`,
      ...columns.map((column) => marks[column.cases[id]] ?? ''),
    ]),
  )
}

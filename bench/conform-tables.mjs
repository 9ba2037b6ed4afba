// The tables of docs/conformance.md, from the list of cases and the recorded runs (docs/conformance.json).
//
// A recorded run: `{ name, version, date, upstream, doors, missing }`. `doors` has, by door, the outcome of every check
// (`checks[CASE][FORM]`), and by CASE/FORM who notices a failure (`noticedBy`) and the credits (`credits`). `missing` has the doors
// that the gateway does not offer, with the reason. The unit of every count is the check: one case at one door in one form, before
// one upstream.

export function recordRun(run, results, missing) {
  const doors = {}
  for (const { door, id, form, outcome, noticedBy, credits } of results) {
    if (missing.has(door)) continue
    doors[door] ??= { checks: {}, noticedBy: {}, credits: {} }
    const { checks, ...facts } = doors[door]
    checks[id] = { ...checks[id], [form]: outcome }
    if (outcome === 'fail') facts.noticedBy[`${id}/${form}`] = noticedBy ?? []
    if (credits) facts.credits[`${id}/${form}`] = credits
  }
  // The lines after the first are a stack trace with paths of this machine.
  const reasons = [...missing].map(([door, reason]) => [door, reason.split('\n')[0]])
  return { ...run, doors, missing: Object.fromEntries(reasons) }
}

/** One line for each case. */
export const recordText = (recorded) =>
  `${JSON.stringify(recorded, undefined, 1).replace(/[[{][^[\]{}]*[\]}]/g, (inner) => inner.replace(/\s*\n\s*/g, ' '))}\n`

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
  results: resultTables(cases, recorded),
})

const row = (cells) => `| ${cells.join(' | ')} |`
const table = (head, rows) => [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n')
const noticers = (clients) => (clients.length === 0 ? 'none known: strictness only' : clients.join(', '))

function caseTable(cases) {
  return table(
    ['case', 'what must hold', 'else', 'noticed by', 'doors', 'needs'],
    cases.map(({ id, title, why, link, noticedBy, doors, needs, upstreams }) => [
      `\`${id}\``,
      title,
      link === undefined ? why : `${why} ([seen](${link}))`,
      noticers([...new Set(noticedBy)]),
      doors.length === 4 ? 'all' : doors.join(', '),
      needs === 'scripted' ? `scripted: ${upstreams?.join(', ')}` : needs === 'tools' ? 'tools' : '',
    ]),
  )
}

const gatewayOf = ({ name, version }) => `${name} ${version}`.trim()

function summaryTable({ runs }) {
  const rows = runs.flatMap((run) => {
    const { upstream, doors, missing } = run
    return [
      ...Object.entries(doors).map(([door, facts]) => {
        const outcomes = Object.values(facts.checks).flatMap((forms) => Object.values(forms))
        const count = (wanted) => outcomes.filter((outcome) => outcome === wanted).length
        const noticed = Object.values(facts.noticedBy).filter((clients) => clients.length > 0).length
        const credited = (credit) =>
          Object.values(facts.credits).filter((credits) => credits.includes(credit)).length
        return [
          ...[gatewayOf(run), door, upstream, outcomes.length, count('pass'), count('fail'), noticed],
          ...[count('skip'), credited('mended'), credited('announced')],
        ]
      }),
      ...(Object.keys(missing).length > 0
        ? [[gatewayOf(run), Object.keys(missing).join(', '), upstream, 'not offered', ...Array(6).fill('')]]
        : []),
    ]
  })
  const head = ['gateway', 'door', 'upstream', 'checks', 'pass', 'fail', 'noticed']
  const dates = [...new Set(runs.map(({ date }) => date))].sort()
  return `Recorded on ${dates.join(' and ')}.\n\n${table([...head, 'not judged', 'mended', 'announced'], rows)}`
}

const formNames = { stream: 'streamed', whole: 'whole' }

/** Of each gateway, the cases that it failed, and where. */
function resultTables(cases, { runs }) {
  const names = [...new Set(runs.map(gatewayOf))]
  return names
    .map((name) => {
      const own = runs.filter((run) => gatewayOf(run) === name)
      const rows = cases.flatMap((test) => failureRow(test, own) ?? [])
      if (rows.length === 0) return `### ${name}\n\nNo check failed.`
      return `### ${name}\n\n${table(['case', 'failed at', 'noticed by'], rows)}`
    })
    .join('\n\n')
}

function failureRow({ id, title }, runs) {
  const places = []
  const clients = new Set()
  for (const { upstream, doors } of runs)
    for (const [door, { checks, noticedBy }] of Object.entries(doors)) {
      const forms = Object.keys(formNames).filter((form) => checks[id]?.[form] === 'fail')
      for (const form of forms) for (const client of noticedBy[`${id}/${form}`]) clients.add(client)
      const isPart = forms.length < Object.keys(checks[id] ?? {}).length
      const which = isPart ? ` (${forms.map((form) => formNames[form]).join(', ')})` : ''
      if (forms.length > 0) places.push(`${door} → ${upstream}${which}`)
    }
  return places.length === 0 ? undefined : [[`\`${id}\` ${title}`, places.join(', '), noticers([...clients])]]
}

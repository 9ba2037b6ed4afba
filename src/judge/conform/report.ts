// The report of a run: as data, as text and as an HTML page.

import type { DoorName } from '../clients/answer.ts'
import type { Credit } from './case.ts'
import { noticedText } from './noticed.ts'
import type { Outcome, Result } from './run.ts'
import type { UpstreamKind } from './upstream/played.ts'

export interface Report {
  tool: string
  when: string
  target: string
  model: string
  /** null: no scripted upstream. */
  upstream: UpstreamKind | null
  /** The run was interrupted: the missing cases were not judged. */
  partial: boolean
  /** Checks, as every count here: one case at one door in one form. */
  planned: number
  counts: Counts
  doors: Partial<Record<DoorName, Counts>>
  results: readonly Result[]
}

/** By check. `noticed`: failures that known clients notice. */
type Counts = Record<Outcome | 'noticed' | Credit, number>

export function createReport(
  given: Pick<Report, 'tool' | 'when' | 'target' | 'model' | 'upstream' | 'partial' | 'planned' | 'results'>,
): Report {
  const names = [...new Set(given.results.map(({ door }) => door))]
  return {
    ...given,
    counts: countsOf(given.results),
    doors: Object.fromEntries(
      names.map((name) => [name, countsOf(given.results.filter(({ door }) => door === name))]),
    ),
  }
}

function countsOf(results: readonly Result[]): Counts {
  const counts: Counts = {
    pass: 0,
    fail: 0,
    noticed: 0,
    skip: 0,
    'not offered': 0,
    mended: 0,
    announced: 0,
  }
  for (const { outcome, noticedBy = [], credits = [] } of results) {
    counts[outcome]++
    if (noticedBy.length > 0) counts.noticed++
    for (const credit of credits) counts[credit]++
  }
  return counts
}

const runOf = ({ id, door, form }: Result) => `${id} ${door}/${form}`

export function terminalReport(report: Report): string {
  const failures = report.results.filter(({ outcome }) => outcome === 'fail')
  const lines = failures.flatMap((result) => [
    '',
    `FAIL ${runOf(result)}: ${result.title}`,
    `     why it matters: ${result.why}${result.link === undefined ? '' : ` (${result.link})`}`,
    `     noticed by: ${noticedText(result.noticedBy ?? [])}`,
    `     expected: ${printable(result.expected ?? '')}`,
    `     came:     ${printable(result.came ?? '')}`,
    ...(result.curl === undefined ? [] : [`     again:    ${printable(result.curl)}`]),
  ])
  return [...lines, '', ...reasons(report.results), ...table(report), '', verdict(report), ''].join('\n')
}

/** Text from outside must not control the terminal. */
export const printable = (text: string) =>
  text.replace(/\p{Cc}/gu, (sign) =>
    JSON.stringify(sign)
      .slice(1, -1)
      .replace(/\p{Cc}/gu, '\ufffd'),
  )

/** Each reason once, with the cases that it prevented. */
function reasons(results: readonly Result[]): string[] {
  const unjudged = results.filter(({ outcome }) => outcome === 'skip' || outcome === 'not offered')
  const byReason = new Map<string, string[]>()
  for (const result of unjudged) {
    const reason = `${result.outcome}: ${result.outcome === 'skip' ? '' : `${result.door}: `}${result.reason}`
    byReason.set(reason, [...(byReason.get(reason) ?? []), runOf(result)])
  }
  return [...byReason].flatMap(([reason, runs]) => [
    `${printable(reason)} (${runs.length === 1 ? runs[0] : `${runs.length} checks`})`,
  ])
}

/** In the reports; the last two are credits. */
const columns = ['pass', 'fail', 'noticed', 'skip', 'not offered', 'mended', 'announced'] as const

function table({ doors, counts }: Report): string[] {
  const rows: [string, Counts][] = [...Object.entries(doors), ['all', counts]]
  return [
    `${'checks'.padEnd(12)}${columns.map((name) => name.padStart(12)).join('')}`,
    ...rows.map(
      ([name, row]) => name.padEnd(12) + columns.map((column) => String(row[column]).padStart(12)).join(''),
    ),
  ]
}

function verdict({ counts, partial, planned, results }: Report): string {
  const judged = counts.pass + counts.fail
  if (partial)
    return `Interrupted: ${results.length} of ${planned} checks ran; ${counts.fail} of them failed.`
  if (counts.fail > 0)
    return `${counts.fail} of ${judged} checks failed; known clients notice ${counts.noticed} of them.`
  return `All ${judged} checks passed.`
}

const escaped = (text: string) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign] ?? sign)

/** One file, without scripts and without external resources. */
export function htmlReport(report: Report): string {
  const { target, model, upstream, when, tool } = report
  const facts = [
    ['target', target],
    ['model', model],
    ['upstream', upstream === null ? 'its own, not scripted' : `scripted, ${upstream}`],
    ['when', when],
    ['judged by', tool],
  ]
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Conformance of ${escaped(target)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escaped(verdict(report))}</h1>
<dl>${facts.map(([name = '', value = '']) => `<div><dt>${name}</dt><dd>${escaped(value)}</dd></div>`).join('')}</dl>
${htmlTable(report)}
${Object.entries(groupedBy(report.results))
  .map(([door, results]) => htmlDoor(door, results))
  .join('\n')}
</main>
</body>
</html>
`
}

function groupedBy(results: readonly Result[]): Record<string, Result[]> {
  const groups: Record<string, Result[]> = {}
  for (const result of results) {
    const group = groups[result.door] ?? []
    group.push(result)
    groups[result.door] = group
  }
  return groups
}

function htmlTable({ doors, counts }: Report): string {
  const rows: [string, Counts][] = [...Object.entries(doors), ['all', counts]]
  const cells = ([name, row]: [string, Counts]) =>
    `<tr><th scope="row">${name}</th>${columns.map((column) => `<td>${row[column]}</td>`).join('')}</tr>`
  const head = ['door', ...columns].map((name) => `<th scope="col">${name}</th>`).join('')
  return `<table><caption>Checks by door</caption><thead><tr>${head}</tr></thead><tbody>${rows.map(cells).join('')}</tbody></table>`
}

const htmlDoor = (door: string, results: readonly Result[]) =>
  `<section><h2>${door}</h2><ul>${results.map(htmlResult).join('')}</ul></section>`

function htmlResult(result: Result): string {
  const { outcome, id, form, title } = result
  const mark = `<span class="mark ${outcome.replace(' ', '-')}">${outcome}</span>`
  const head = `${mark} <b>${id}</b> <span class="form">${form}</span> ${escaped(title)}`
  const facts: [string, string | undefined][] = [
    ['why it matters', result.why],
    ['noticed by', result.noticedBy && noticedText(result.noticedBy)],
    ['credit', result.credits?.join(', ')],
    ['reason', result.reason],
    ['expected', result.expected],
    ['came', result.came],
  ]
  const rows = facts.flatMap(([name, value]) =>
    value === undefined ? [] : [`<dt>${name}</dt><dd>${escaped(value)}</dd>`],
  )
  const link =
    result.link === undefined
      ? ''
      : `<dt>seen at</dt><dd><a href="${escaped(result.link)}">${escaped(result.link)}</a></dd>`
  const curl = result.curl === undefined ? '' : `<pre>${escaped(result.curl)}</pre>`
  return `<li><details${outcome === 'fail' ? ' open' : ''}><summary>${head}</summary><dl>${rows.join('')}${link}</dl>${curl}</details></li>`
}

const style = `
:root{color-scheme:light dark;--ground:#fff;--text:#1b1f24;--dim:#57606a;--line:#d8dee4;--pass:#116329;--fail:#a40e26;--skip:#6e5600}
@media(prefers-color-scheme:dark){:root{--ground:#0d1117;--text:#e6edf3;--dim:#9198a1;--line:#30363d;--pass:#56d364;--fail:#ff7b72;--skip:#e3b341}}
body{margin:0;background:var(--ground);color:var(--text);font:16px/1.5 system-ui,sans-serif}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem}
h1{font-size:1.5rem;margin:0 0 1rem}
h2{font-size:1.2rem;border-bottom:1px solid var(--line)}
dl{margin:0 0 1rem;overflow-wrap:anywhere}
dl>div{display:flex;gap:1rem}
dt{color:var(--dim);min-width:7rem}
dd{margin:0 0 .3rem}
table{border-collapse:collapse;margin:1rem 0}
caption{text-align:left;color:var(--dim)}
th,td{padding:.2rem .45rem;border-bottom:1px solid var(--line);text-align:right}
th:first-child{text-align:left}
ul{list-style:none;padding:0}
li{border-bottom:1px solid var(--line)}
summary{padding:.3rem 0;cursor:pointer}
.mark{display:inline-block;min-width:2.6rem;font-weight:600}
.pass{color:var(--pass)}.fail{color:var(--fail)}.skip,.not-offered{color:var(--skip)}
.form{color:var(--dim)}
pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid var(--line);padding:.5rem;font-size:.85rem}
a{color:inherit}
`

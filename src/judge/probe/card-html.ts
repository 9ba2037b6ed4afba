// The score card as one HTML file: no scripts, no external resources, light and dark.

import { duration, grouped, money } from './card-text.ts'
import type { FailureReport, GroupReport, Report, TaskReport } from './report.ts'

export function cardHtml(report: Report): string {
  const { model, score, state, stopped, total, planned, startedAt, dragoman } = report
  const partial =
    state === 'partial'
      ? `<p class="partial">Partial: ${total} of ${planned} were run${stopped === undefined ? '' : `; ${plain(stopped)}`}.</p>`
      : ''
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="color-scheme" content="light dark">
<title>Probe of ${plain(model)}: ${score}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${plain(model)}</h1>
<p class="score"><strong>${score}</strong> of 100${state === 'partial' ? ', of what was run' : ''}</p>
${partial}
<dl>${facts(report)}</dl>
<h2>Groups</h2>
${table('Groups', ['Group', 'Passed', 'Score', 'What it is'], report.groups.map(groupRow))}
<h2>Failures</h2>
${report.failures.length === 0 ? '<p>None.</p>' : report.failures.map(failure).join('\n')}
<h2>Tasks</h2>
${table('Tasks', ['Task', 'Passed', 'Weight', 'Tokens out', 'What it is'], report.tasks.map(taskRow))}
<footer>dragoman ${plain(dragoman)}, ${plain(startedAt)}. A small sample: docs/probe.md says what the score is worth.</footer>
</main>
</body>
</html>
`
}

function facts({
  door,
  stream,
  passed,
  total,
  requests,
  inputTokens,
  outputTokens,
  cost,
  firstTokenMs,
  milliseconds,
  blame,
}: Report): string {
  const blamed = Object.entries(blame).map(([who, times]) => `${who} ${times}`)
  const rows: [string, string][] = [
    ['Passed', `${passed} of ${total}`],
    ['Failures by', blamed.join(', ')],
    ['Door', `${door}${stream ? '' : ', not streamed'}`],
    ['Tokens', `${grouped(inputTokens)} in, ${grouped(outputTokens)} out, in ${requests} requests`],
    ...(cost === undefined ? [] : [['Cost', money(cost)] as [string, string]]),
    ...(firstTokenMs === undefined
      ? []
      : [['First token, p50', `${grouped(firstTokenMs)} ms`] as [string, string]]),
    ['Time', duration(milliseconds / 1000)],
  ]
  return rows.map(([name, value]) => `<div><dt>${name}</dt><dd>${plain(value)}</dd></div>`).join('')
}

/** Wide tables scroll, by keyboard too. */
const table = (
  name: string,
  columns: readonly string[],
  rows: readonly string[],
): string => `<div class="wide" role="region" aria-label="${name}" tabindex="0"><table>
<thead><tr>${columns.map((column) => `<th scope="col">${column}</th>`).join('')}</tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table></div>`

function row(
  name: string,
  { passed, total }: { passed: number; total: number },
  cells: readonly string[],
): string {
  const good = passed === total
  const all = [`${mark(passed, total)} ${passed} of ${total}`, ...cells]
  return `<tr class="${good ? 'good' : 'bad'}"><th scope="row">${plain(name)}</th>${all.map((cell) => `<td>${cell}</td>`).join('')}</tr>`
}

const groupRow = (group: GroupReport): string =>
  row(group.group, group, [
    `<meter min="0" max="100" value="${group.score}" aria-label="score">${group.score}</meter> ${group.score}`,
    plain(group.title),
  ])

const taskRow = (task: TaskReport): string =>
  row(task.task, task, [String(task.weight), grouped(task.outputTokens), plain(task.title)])

/** A sign, for readers who do not see the colour. */
const mark = (passed: number, total: number): string => (passed === total ? '✓' : '✗')

function failure(report: FailureReport): string {
  const { task, attempt, title, blame, code, expected, came, notes, tapes, turns = [] } = report
  const rows = [
    ['To blame', `${blame}${code === undefined ? '' : ` (${code})`}`],
    ['Expected', expected],
    ['Came', came],
    ...notes.map((note) => ['Note', note]),
    ...tapes.map((tape) => ['Tape', tape]),
    ...turns.map((turn) => ['Turn', turn]),
  ] as [string, string][]
  return `<section><h3>${plain(task)}${attempt > 1 ? `, run ${attempt}` : ''}: ${plain(title)}</h3><dl class="failure">${rows
    .map(([name, value]) => `<dt>${name}</dt><dd>${plain(value)}</dd>`)
    .join('')}</dl></section>`
}

/** Text of models and services is escaped. */
const plain = (text: string): string => text.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)

const style = `
:root { --ink: #1c2430; --paper: #fbfaf7; --line: #d9d5cb; --soft: #5c6673; --good: #1d6b3c; --bad: #a3261d; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8e6e1; --paper: #14181e; --line: #333b46; --soft: #a3adba; --good: #7fd3a0; --bad: #ff9a8f; }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem 1rem 3rem }
h1 { margin: 0; overflow-wrap: anywhere }
h2 { margin-top: 2rem; border-bottom: 1px solid var(--line) }
.score { margin: .25rem 0; color: var(--soft) } .score strong { font-size: 3rem; color: var(--ink) }
.partial { border-left: 4px solid var(--bad); padding-left: .75rem }
dl { display: flex; flex-wrap: wrap; gap: .75rem 2rem; margin: 1rem 0 }
dt { color: var(--soft); font-size: .85rem } dd { margin: 0; overflow-wrap: anywhere }
dl.failure { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem }
dl.failure dd { font-family: ui-monospace, monospace; font-size: .9rem; white-space: pre-wrap }
.wide { overflow-x: auto }
table { width: 100%; border-collapse: collapse }
th, td { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top }
th[scope=row], td:not(:last-child) { white-space: nowrap } th[scope=row] { font-weight: 600 }
tr.bad th { color: var(--bad) } tr.good th { color: var(--good) }
footer { margin-top: 2rem; color: var(--soft); font-size: .85rem }
`

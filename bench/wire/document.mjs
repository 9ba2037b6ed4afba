// The report of a run as the figures of docs/performance.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../../scripts/prepare.mjs'

const begin = '<!-- figures: written by `npm run bench -- --docs` -->'
const end = '<!-- end of the figures -->'

/** The document with the report between its two marks; headings are a level lower there. */
export function withReport(document, report) {
  const [from, to] = [document.indexOf(begin), document.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`docs/performance.md lacks "${begin}" or "${end}"`)
  const lowered = report.replaceAll(/^## /gm, '### ')
  return `${document.slice(0, from + begin.length)}\n\n${lowered}\n\n${document.slice(to)}`
}

export function writeDocument(report, picture) {
  const file = join(root, 'docs', 'performance.md')
  writeFileSync(file, withReport(readFileSync(file, 'utf8'), report))
  writeFileSync(join(root, 'docs', 'performance.svg'), picture)
}

// Sets variables in a file of `NAME=value` lines, and keeps all other text byte for byte.

import { CannotEdit } from './plan.ts'

/** A line that sets a variable: what stands before the value, and the value. */
const assignment = /^([ \t]*(?:export[ \t]+)?([A-Za-z_]\w*)[ \t]*=)([^\n]*)$/

/** A quoted value that ends on its line, and a comment. */
const closed = /^(?:"[^"]*"|'[^']*'|`[^`]*`)[ \t]*(?:#.*)?$/

/** Quoted where the value could be read as something else. None of these readers can escape a quote in every case. */
function inEnv(name: string, value: string): string {
  if (/^[\w./:@%+-]*$/.test(value)) return value
  if (/["\\\r\n$`]/.test(value)) throw new CannotEdit(`"${name}" cannot be written as one line there`)
  return `"${value}"`
}

/** Existing lines are changed in place, others are added at the end. */
export function editEnv(text: string, values: Readonly<Record<string, string>>): string {
  const lines = text.split('\n')
  const added: string[] = []
  for (const [name, value] of Object.entries(values)) {
    const written = inEnv(name, value)
    const found = lines.flatMap((line, at) => (assignment.exec(line)?.[2] === name ? [at] : []))
    // The last one counts.
    const at = found.at(-1)
    if (at === undefined) added.push(`${name}=${written}`)
    else lines[at] = setLine(lines[at] ?? '', name, written)
  }
  const kept = lines.join('\n')
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = kept === '' || kept.endsWith('\n') ? '' : eol
  return added.length === 0 ? kept : `${kept}${gap}${added.join(eol)}${eol}`
}

function setLine(line: string, name: string, written: string): string {
  const [, lead = '', , there = ''] = assignment.exec(line) ?? []
  const end = there.endsWith('\r') ? '\r' : ''
  const value = there.trim()
  // A quote that is not closed on its line goes on in the next.
  if (/^["'`]/.test(value) && !closed.test(value)) throw new CannotEdit(`"${name}" is no plain value there`)
  return `${lead}${written}${end}`
}

// Adds an item to a top-level list of a YAML text. It understands only what the beginnings of lines show, and refuses everything
// else: the user then adds the item by hand.

import { linesOf } from './line-diff.ts'
import { CannotEdit } from './plan.ts'

/** A text, a list of texts, or numbers by name. */
export type YamlFields = readonly (readonly [
  string,
  string | readonly string[] | Readonly<Record<string, number>>,
])[]

/** Adds these fields as the first item of a top-level list. The first field identifies the item. */
export function addYamlItem(text: string, list: string, fields: YamlFields): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const whole = linesOf(text)
  const lines = whole.map((line) => line.replace(/\r?\n$/, ''))
  checkLines(lines)
  const at = lines.findIndex((line) => line === `${list}:` || new RegExp(`^${list}:[ ]+#`).test(line))
  const notAList = () => new CannotEdit(`"${list}" is not a list with an item on each line there`)
  if (at < 0) {
    if (lines.some((line) => line.startsWith(`${list}:`))) throw notAList()
    return insertLines(whole, whole.length, { lines: [`${list}:`, ...itemLines(fields, '  ')], eol })
  }
  const end = endOfBlock(lines, at + 1)
  const first = lines.slice(at + 1, end).find((line) => !isBlank(line))
  const indent = first === undefined ? '  ' : /^( *)- /.exec(first)?.[1]
  if (indent === undefined) throw notAList()
  const item = itemLines(fields, indent)
  const [name] = item as [string]
  const same = lines.findIndex((line, index) => index > at && index < end && line.trimEnd() === name)
  if (same >= 0) {
    if (item.every((line, index) => lines[same + index]?.trimEnd() === line)) return text
    throw new CannotEdit(`${name.trim().slice(2)} is there already, with other settings`)
  }
  return insertLines(whole, at + 1, { lines: item, eol })
}

/** Uses the file's own line ends. */
function insertLines(
  whole: readonly string[],
  at: number,
  { lines, eol }: { lines: string[]; eol: string },
): string {
  const before = whole.slice(0, at).join('')
  const gap = before === '' || before.endsWith('\n') ? '' : eol
  return `${before}${gap}${lines.map((line) => line + eol).join('')}${whole.slice(at).join('')}`
}

const isBlank = (line: string) => /^\s*(?:#.*)?$/.test(line)

/** A line without indentation is a key, an item or a comment; all other lines belong to the one above. */
function checkLines(lines: readonly string[]): void {
  const seen = new Set<string>()
  for (const [index, line] of lines.entries()) {
    const odd = () => new CannotEdit(`line ${index + 1} is not YAML as it is known here`)
    // Empty lines after a block scalar that keeps them are part of it.
    if (/[|>]\d*\+/.test(line)) throw odd()
    if (line.includes('\t') || line.startsWith('\uFEFF') || line.includes('\r')) throw odd()
    if (isBlank(line)) continue
    if (staysOpen(line)) throw odd()
    if (line.startsWith(' ') || line.startsWith('- ')) continue
    const key = /^([A-Za-z_][\w-]*):(?: |$)/.exec(line)?.[1]
    if (key === undefined || seen.has(key)) throw odd()
    seen.add(key)
  }
}

/** A flow list or object that ends on another line: its lines cannot be interpreted one by one. */
function staysOpen(line: string): boolean {
  const flow = /(?:^|[:-]) *([[{][\s\S]*)$/.exec(line)?.[1] ?? ''
  return (flow.match(/[[{]/g)?.length ?? 0) > (flow.match(/[\]}]/g)?.length ?? 0)
}

/** The position after the key's last line; blank lines after it stay. */
function endOfBlock(lines: readonly string[], start: number): number {
  let end = start
  for (let at = start; at < lines.length; at++) {
    const line = lines[at] ?? ''
    // An indented # may be text of the item above; an unindented one is a comment.
    if (/^(?:#.*|\s*)$/.test(line)) continue
    if (!line.startsWith(' ') && !line.startsWith('- ')) break
    end = at + 1
  }
  return end
}

const isList = (value: unknown): value is readonly string[] => Array.isArray(value)

function itemLines(fields: YamlFields, indent: string): string[] {
  return fields.flatMap(([name, value], index) => {
    const lead = `${indent}${index === 0 ? '- ' : '  '}${name}:`
    if (typeof value === 'string') return [`${lead} ${scalar(value)}`]
    const inner = isList(value)
      ? value.map((one) => `- ${scalar(one)}`)
      : Object.entries(value).map(([key, number]) => `${key}: ${number}`)
    return [lead, ...inner.map((line) => `${indent}    ${line}`)]
  })
}

/** Unquoted if every YAML version reads it back as the same text, else as JSON, which is valid YAML. */
const scalar = (text: string) =>
  /^[A-Za-z][\w./-]*$/.test(text) && !/^(?:true|false|null|yes|no|on|off|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)

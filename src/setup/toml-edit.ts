// Sets keys in TOML and keeps all other text byte for byte.

import { CannotEdit } from './plan.ts'
import { scanToml, type TomlStatement } from './toml-scan.ts'

type TomlValue = string | number | readonly string[]

export interface TomlTable {
  path: string[]
  values: Record<string, TomlValue>
}

/** A basic string accepts JSON's escapes, except for one character that JSON leaves unescaped. */
const inToml = (value: TomlValue): string =>
  typeof value === 'object'
    ? `[${value.map(inToml).join(', ')}]`
    : JSON.stringify(value).replaceAll('\u007F', '\\u007F')

const nameInToml = (path: readonly string[]) =>
  path.map((part) => (/^[\w-]+$/.test(part) ? part : inToml(part))).join('.')

const isPath = (one: readonly string[], other: readonly string[]) =>
  one.length === other.length && one.every((part, at) => part === other[at])

/** Keys before the first table, then tables. Existing keys are changed in place, others are added. */
export function editToml(text: string, tables: readonly TomlTable[]): string {
  let now = text
  for (const { path, values } of tables) {
    checkPlace(scanToml(now), path)
    for (const [key, value] of Object.entries(values)) now = setValue(now, path, { key, value })
  }
  return now
}

/** The source text of a value. */
export function tomlValue(text: string, path: readonly string[]): string | undefined {
  const pair = scanToml(text).find((found) => found.kind === 'pair' && isPath(found.path, path))
  return pair && text.slice(pair.valueStart, pair.valueEnd)
}

/** A table can be written without a header; then a header cannot extend it. */
function checkPlace(found: readonly TomlStatement[], path: readonly string[]): void {
  for (const length of path.keys()) {
    const way = path.slice(0, length + 1)
    const otherwise = found.find(({ kind, path: other, table }) =>
      kind === 'pair'
        ? startsWith(other, way) && !startsWith(table, way)
        : kind === 'array-table' && isPath(other, way),
    )
    if (otherwise)
      throw new CannotEdit(
        `"${otherwise.path.join('.')}" is written there in a way that leaves no room beside it`,
      )
  }
}

function setValue(text: string, table: string[], { key, value }: { key: string; value: TomlValue }): string {
  const found = scanToml(text)
  const path = [...table, key]
  const [old, ...more] = found.filter((statement) => startsWith(statement.path, path))
  if (!old) return addPair(text, found, { table, line: `${nameInToml([key])} = ${inToml(value)}` })
  const there = text.slice(old.valueStart, old.valueEnd)
  const plain = old.kind === 'pair' && isPath(old.path, path) && isPath(old.table, table)
  if (!plain || more.length > 0 || !isLike(there, value))
    throw new CannotEdit(`"${path.join('.')}" is no plain value there`)
  return text.slice(0, old.valueStart) + inToml(value) + text.slice(old.valueEnd)
}

/** A one-line value of the same type can be replaced without losing comments. */
function isLike(there: string, value: TomlValue): boolean {
  const kinds = { string: /^["'](?!["']{2})/, number: /^[\d+-]/, object: /^\[[^#]*$/ }
  return !there.includes('\n') && kinds[typeof value as 'string' | 'number' | 'object'].test(there)
}

const startsWith = (path: readonly string[], start: readonly string[]) =>
  isPath(path.slice(0, start.length), start)

function addPair(
  text: string,
  found: readonly TomlStatement[],
  { table, line }: { table: string[]; line: string },
): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const header = found.find(({ kind, path }) => kind === 'table' && isPath(path, table))
  if (table.length > 0 && !header) {
    const gap = text === '' || text === '\uFEFF' ? '' : text.endsWith('\n') ? eol : eol + eol
    return `${text}${gap}[${nameInToml(table)}]${eol}${line}${eol}`
  }
  const last = found.filter(({ kind, table: at }) => kind === 'pair' && isPath(at, table)).at(-1) ?? header
  if (last) {
    const before = text.slice(0, last.end)
    return `${before}${before.endsWith('\n') ? '' : eol}${line}${eol}${text.slice(last.end)}`
  }
  const start = text.startsWith('\uFEFF') ? 1 : 0
  const rest = text.slice(start)
  return `${text.slice(0, start)}${line}${eol}${rest === '' || /^\r?\n/.test(rest) ? '' : eol}${rest}`
}

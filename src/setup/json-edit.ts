// Sets values in JSON with comments and keeps all other text byte for byte.

import { isDeepStrictEqual } from 'node:util'
import { findNodeAtLocation, type JSONPath, type Node } from 'jsonc-parser'
import { isObject } from '../base/json.ts'
import {
  byteOrderMark,
  type Entries,
  endOfComma,
  endOfRemark,
  entriesOf,
  indentAt,
  inOneLine,
  plain,
  rootOf,
  type Style,
  styleOf,
  walk,
  withValue,
} from './json-tree.ts'
import { CannotEdit } from './plan.ts'

export interface JsonChange {
  path: (string | number)[]
  value: unknown
  /** The path names a list; the value becomes its last item. */
  append?: boolean
  /** Write the value on one line. */
  oneLine?: boolean
}

export function editJson(text: string, changes: readonly JsonChange[]): string {
  if (text.trim() === '' || text === byteOrderMark) return newText(changes)
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  let now = text.slice(mark.length)
  for (const change of changes) now = applyChange(now, change)
  return mark + now
}

/** The value at a path; undefined if any part of the path is missing. */
export function jsonValue(text: string, path: readonly (string | number)[]): unknown {
  if (text.trim() === '') return undefined
  const node = findNodeAtLocation(rootOf(text.replace(byteOrderMark, '')), [...path])
  return node && plain(node)
}

/** Every value with its path; items of a list share one path. */
export function jsonLeaves(text: string): string[] {
  const leaves = (tree: Entries, way: string[]): string[] => {
    if ('items' in tree && tree.items.length > 0)
      return tree.items.flatMap((item) => leaves(item, [...way, '']))
    if ('entries' in tree && tree.entries.length > 0)
      return tree.entries.flatMap(([name, inner]) => leaves(inner, [...way, `.${name}`]))
    return [JSON.stringify([way, tree])]
  }
  return text.trim() === '' ? [] : leaves(entriesOf(rootOf(text.replace(byteOrderMark, ''))), [])
}

function newText(changes: readonly JsonChange[]): string {
  let text = '{}'
  for (const change of changes) text = applyChange(text, change)
  return `${text}\n`
}

function applyChange(text: string, { path, value, append, oneLine = false }: JsonChange): string {
  const root = rootOf(text)
  const list = append ? findNodeAtLocation(root, path) : undefined
  // Items on one line each, in a list that has several.
  if (append && oneLine && !list)
    return applyChange(applyChange(text, { path, value: [] }), { path, value, append, oneLine })
  if (list && list.type !== 'array') throw new CannotEdit(`"${path.join('.')}" is not a list there`)
  const way = list ? [...path, list.children?.length ?? 0] : path
  const wanted = append && !list ? [value] : value
  const next = setValue(text, root, { way, value: wanted, oneLine })
  // The result must parse to the old content plus this one change.
  if (!isDeepStrictEqual(entriesOf(rootOf(next)), withValue(entriesOf(root), way, wanted)))
    throw new CannotEdit('it is written in a way that cannot be changed safely')
  return next
}

interface Setting {
  way: JSONPath
  value: unknown
  oneLine: boolean
}

function setValue(text: string, root: Node, { way, value, oneLine }: Setting): string {
  const { node, rest } = walk(root, way)
  const style = styleOf(text)
  if (rest.length === 0) {
    if (isDeepStrictEqual(plain(node), value)) return text
    if (node.type !== typeof value) throw new CannotEdit(`"${way.join('.')}" is not a ${typeof value} there`)
    return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(node.offset + node.length)
  }
  const [name, ...below] = rest
  const whole = below.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value)
  const lead = typeof name === 'number' ? '' : `${JSON.stringify(name)}: `
  return insertLast(text, node, {
    lines: (indent) => lead + inLines(whole, { value, oneLine, indent, style }),
    line: () => lead + inOneLine(whole),
    style,
  })
}

interface Insertion {
  /** The member's text on several lines with this indentation, or on one line. */
  lines(indent: string): string
  line(): string
  style: Style
}

/** Appends a member to an object or list. Existing layout and comments stay in place. */
function insertLast(text: string, { offset, length, children = [] }: Node, insertion: Insertion): string {
  const { style, lines, line } = insertion
  const close = offset + length - 1
  const outer = indentAt(text, offset)
  const last = children.at(-1)
  if (!last) {
    const inner = text.slice(offset + 1, close).trimEnd()
    const at = offset + 1 + inner.length
    const left = inner === '' ? '' : text.slice(at, close)
    const end = left.includes('\n') ? left : `${style.eol}${outer}`
    return `${text.slice(0, at)}${style.eol}${outer}${style.unit}${lines(outer + style.unit)}${end}${text.slice(close)}`
  }
  const end = last.offset + last.length
  const comma = endOfComma(text, end)
  const behind = endOfRemark(text, comma ?? end)
  const before = text.slice(0, end) + (comma === undefined ? ',' : '') + text.slice(end, behind)
  if (!text.slice(offset, close).includes('\n')) return `${before} ${line()}${text.slice(behind)}`
  const own = indentAt(text, last.offset)
  const indent = text.slice(0, last.offset).endsWith(`\n${own}`) ? own : outer + style.unit
  return `${before}${style.eol}${indent}${lines(indent)}${comma === undefined ? '' : ','}${text.slice(behind)}`
}

function inLines(
  whole: unknown,
  { value, oneLine, indent, style }: { value: unknown; oneLine: boolean; indent: string; style: Style },
): string {
  if (oneLine && whole === value) return inOneLine(value)
  if (!oneLine || !isObject(whole))
    return JSON.stringify(whole, undefined, style.unit).replaceAll('\n', style.eol + indent)
  const deeper = indent + style.unit
  const members = Object.entries(whole).map(
    ([name, inner]) =>
      `${style.eol}${deeper}${JSON.stringify(name)}: ${inLines(inner, { value, oneLine, indent: deeper, style })}`,
  )
  return `{${members.join(',')}${style.eol}${indent}}`
}

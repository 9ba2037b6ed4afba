// Sets values in JSON with comments and keeps all other text byte for byte.

import { isDeepStrictEqual } from 'node:util'
import {
  createScanner,
  findNodeAtLocation,
  type JSONPath,
  type Node,
  type ParseError,
  parseTree,
} from 'jsonc-parser'
import { isObject } from '../base/json.ts'
import { jsonProblem } from '../base/json-problem.ts'
import { CannotEdit } from './plan.ts'

export interface JsonChange {
  path: (string | number)[]
  value: unknown
  /** The path names a list; the value becomes its last item. */
  append?: boolean
  /** Write the value on one line. */
  oneLine?: boolean
}

const byteOrderMark = '\uFEFF'

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

/** Checks the existing part of a path: each step is an object or a list as expected, and no name occurs twice. */
function walk(root: Node, way: JSONPath): { node: Node; rest: JSONPath } {
  let node = root
  for (const [depth, name] of way.entries()) {
    const kind = typeof name === 'number' ? 'array' : 'object'
    if (node.type !== kind)
      throw new CannotEdit(
        `"${way.slice(0, depth).join('.')}" is not ${kind === 'array' ? 'a list' : 'an object'} there`,
      )
    const found =
      typeof name === 'number'
        ? [node.children?.[name]]
        : (node.children ?? [])
            .filter((property) => property.children?.[0]?.value === name)
            .map((property) => property.children?.[1])
    if (found.length > 1) throw new CannotEdit(`"${way.slice(0, depth + 1).join('.')}" stands there twice`)
    if (found[0] === undefined) return { node, rest: way.slice(depth) }
    node = found[0]
  }
  return { node, rest: [] }
}

interface Insertion {
  /** The member's text on several lines with this indentation, or on one line. */
  lines(indent: string): string
  line(): string
  style: Style
}

/** A trailing comment on a member's line. */
const remark = /(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y

function endOfRemark(text: string, at: number): number {
  remark.lastIndex = at
  return at + (remark.exec(text)?.[0].length ?? 0)
}

/** The position after the following comma, if any; commas inside comments do not count. */
function endOfComma(text: string, at: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(at)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getPosition() : undefined
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

const indentAt = (text: string, offset: number) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? ''

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

function inOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${inOneLine(inner)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

/** Parsing and walking are recursive: this bounds the depth. */
const deepest = 500

function checkDepth(text: string): void {
  const scanner = createScanner(text, true)
  let depth = 0
  do {
    scanner.scan()
    const sign = text[scanner.getTokenOffset()]
    if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    if (depth > deepest) throw new CannotEdit(`it is nested more than ${deepest} levels deep`)
  } while (scanner.getTokenOffset() < text.length)
}

function rootOf(text: string): Node {
  checkDepth(text)
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  const [first] = errors
  if (first) {
    const { line, what } = jsonProblem(text, first)
    throw new CannotEdit(`line ${line} is not valid JSON (${what})`)
  }
  if (root?.type !== 'object') throw new CannotEdit('it is not a JSON object')
  return root
}

/** Members as pairs: keeps their order, and is safe from names such as `__proto__`. */
type Entries = { entries: [string, Entries][] } | { items: Entries[] } | { value: unknown }

function entriesOf(node: Node): Entries {
  const children = node.children ?? []
  if (node.type === 'array') return { items: children.map(entriesOf) }
  if (node.type !== 'object') return { value: node.value }
  return {
    entries: children.map((property) => {
      const [name, value] = property.children ?? []
      return [String(name?.value), value ? entriesOf(value) : { value: undefined }]
    }),
  }
}

function withValue(tree: Entries | undefined, [name, ...rest]: JSONPath, value: unknown): Entries {
  if (name === undefined) return entriesOf(rootNode(value))
  if (typeof name === 'number') {
    const items = tree && 'items' in tree ? [...tree.items] : []
    items[name] = withValue(items[name], rest, value)
    return { items }
  }
  const entries = tree && 'entries' in tree ? tree.entries : []
  const inner = entries.find(([key]) => key === name)
  const next = withValue(inner?.[1], rest, value)
  if (!inner) return { entries: [...entries, [name, next]] }
  return { entries: entries.map((entry) => (entry === inner ? [name, next] : entry)) }
}

const rootNode = (value: unknown) => parseTree(JSON.stringify(value)) as Node

const plain = (node: Node): unknown => {
  const tree = entriesOf(node)
  const unfold = (part: Entries): unknown => {
    if ('items' in part) return part.items.map(unfold)
    if ('entries' in part) return Object.fromEntries(part.entries.map(([key, value]) => [key, unfold(value)]))
    return part.value
  }
  return unfold(tree)
}

interface Style {
  /** One step of indentation. */
  unit: string
  eol: string
}

const styleOf = (text: string): Style => ({
  unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ',
  eol: text.includes('\r\n') ? '\r\n' : '\n',
})

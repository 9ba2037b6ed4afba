// JSON with comments as a tree, and where its members stand in the text.

import { createScanner, type JSONPath, type Node, type ParseError, parseTree } from 'jsonc-parser'
import { isObject } from '../base/json.ts'
import { jsonProblem } from '../base/json-problem.ts'
import { CannotEdit } from './plan.ts'

export const byteOrderMark = '\uFEFF'

/** Checks the existing part of a path: each step is an object or a list as expected, and no name occurs twice. */
export function walk(root: Node, way: JSONPath): { node: Node; rest: JSONPath } {
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

export function rootOf(text: string): Node {
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
export type Entries = { entries: [string, Entries][] } | { items: Entries[] } | { value: unknown }

export function entriesOf(node: Node): Entries {
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

export function withValue(tree: Entries | undefined, [name, ...rest]: JSONPath, value: unknown): Entries {
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

export const plain = (node: Node): unknown => {
  const tree = entriesOf(node)
  const unfold = (part: Entries): unknown => {
    if ('items' in part) return part.items.map(unfold)
    if ('entries' in part) return Object.fromEntries(part.entries.map(([key, value]) => [key, unfold(value)]))
    return part.value
  }
  return unfold(tree)
}

/** A trailing comment on a member's line. */
const remark = /(?:[ \t]*\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:[ \t]*\/\/[^\r\n]*)?/y

export function endOfRemark(text: string, at: number): number {
  remark.lastIndex = at
  return at + (remark.exec(text)?.[0].length ?? 0)
}

/** The position after the following comma, if any; commas inside comments do not count. */
export function endOfComma(text: string, at: number): number | undefined {
  const scanner = createScanner(text, true)
  scanner.setPosition(at)
  scanner.scan()
  return text[scanner.getTokenOffset()] === ',' ? scanner.getPosition() : undefined
}

export const indentAt = (text: string, offset: number) =>
  /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))?.[0] ?? ''

export function inOneLine(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inOneLine).join(', ')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const members = Object.entries(value).map(([name, inner]) => `${JSON.stringify(name)}: ${inOneLine(inner)}`)
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

export interface Style {
  /** One step of indentation. */
  unit: string
  eol: string
}

export const styleOf = (text: string): Style => ({
  unit: /\n([ \t]+)\S/.exec(text)?.[1] ?? '  ',
  eol: text.includes('\r\n') ? '\r\n' : '\n',
})

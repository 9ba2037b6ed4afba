// Two more edits of JSON with comments: insert a member as the first of its object, and remove a member. All other text stays byte for
// byte. A removed member with lines of its own takes the comment on its last line with it.

import { isDeepStrictEqual } from 'node:util'
import type { JSONPath, Node } from 'jsonc-parser'
import {
  byteOrderMark,
  type Entries,
  endOfComma,
  endOfRemark,
  entriesOf,
  indentAt,
  rootOf,
  styleOf,
  walk,
} from './json-tree.ts'
import { CannotEdit } from './plan.ts'

/** The member must not exist yet. Its object must exist and have members. */
export function insertFirst(text: string, path: readonly string[], value: unknown): string {
  return edited(text, (plain, root) => {
    const { node, rest } = walk(root, [...path])
    const [first] = node.children ?? []
    const [name] = rest
    if (rest.length !== 1 || first === undefined)
      throw new CannotEdit(`"${path.slice(0, -1).join('.')}" has no members there`)
    const member = `${JSON.stringify(name)}: ${JSON.stringify(value)},`
    const own = indentAt(plain, first.offset)
    const isOnOwnLine = plain.slice(0, first.offset).endsWith(`\n${own}`)
    const next = isOnOwnLine
      ? `${plain.slice(0, node.offset + 1)}${styleOf(plain).eol}${own}${member}${plain.slice(node.offset + 1)}`
      : `${plain.slice(0, first.offset)}${member} ${plain.slice(first.offset)}`
    return {
      next,
      expected: withFirst(entriesOf(root), [...path], entriesOf(rootOf(`{"v":${JSON.stringify(value)}}`))),
    }
  })
}

/** A missing member is no error. */
export function removeMember(text: string, path: readonly string[]): string {
  return edited(text, (plain, root) => {
    const { node, rest } = walk(root, [...path])
    const property = node.parent
    if (rest.length > 0 || property?.type !== 'property' || property.parent === undefined)
      return { next: plain, expected: entriesOf(root) }
    return {
      next: withoutProperty(plain, property, property.parent),
      expected: without(entriesOf(root), [...path]),
    }
  })
}

interface Edited {
  next: string
  expected: Entries
}

function edited(text: string, edit: (plain: string, root: Node) => Edited): string {
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : ''
  const plain = text.slice(mark.length)
  const { next, expected } = edit(plain, rootOf(plain))
  if (!isDeepStrictEqual(entriesOf(rootOf(next)), expected))
    throw new CannotEdit('it is written in a way that cannot be changed safely')
  return mark + next
}

function withoutProperty(text: string, property: Node, object: Node): string {
  const members = object.children ?? []
  const at = members.indexOf(property)
  const end = property.offset + property.length
  const comma = endOfComma(text, end)
  const before = at > 0 ? members[at - 1] : undefined
  const isLast = at === members.length - 1
  // Without the last member, the comma before it would be a trailing one. It is removed too, unless the last member had its own.
  const spare =
    isLast && comma === undefined && before ? endOfComma(text, before.offset + before.length) : undefined
  const rest = cutOut(text, property.offset, comma ?? end)
  return spare === undefined ? rest : rest.slice(0, spare - 1) + rest.slice(spare)
}

/** Removes whole lines if nothing else is on them. */
function cutOut(text: string, from: number, to: number): string {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1
  const behind = endOfRemark(text, to)
  const lineEnd = /^[ \t]*\r?\n/.exec(text.slice(behind, behind + 200))?.[0].length
  const isAlone = text.slice(lineStart, from).trim() === '' && lineEnd !== undefined
  if (isAlone) return text.slice(0, lineStart) + text.slice(behind + lineEnd)
  const space = /[ \t]/.test(text[from - 1] ?? '') && /[ \t]/.test(text[to] ?? '') ? 1 : 0
  return text.slice(0, from) + text.slice(to + space)
}

function without(tree: Entries, [name, ...rest]: JSONPath): Entries {
  if (!('entries' in tree)) return tree
  return {
    entries: tree.entries.flatMap(([key, inner]) => {
      if (key !== name) return [[key, inner] as [string, Entries]]
      return rest.length === 0 ? [] : [[key, without(inner, rest)] as [string, Entries]]
    }),
  }
}

/** `value`: an object around the new value. */
function withFirst(tree: Entries, [name, ...rest]: JSONPath, value: Entries): Entries {
  const entries = 'entries' in tree ? tree.entries : []
  const [, own] = 'entries' in value ? (value.entries[0] ?? []) : []
  if (rest.length === 0 && own) return { entries: [[String(name), own], ...entries] }
  return {
    entries: entries.map(([key, inner]) => [key, key === name ? withFirst(inner, rest, value) : inner]),
  }
}

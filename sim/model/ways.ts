// The ways to grant a wish, best first: with the client's tools for it, else by its shell. A way may need to know the file's text.

import { buildCall, type Parts } from './build-call.ts'
import type { Tool, ToolCall } from './conversation.ts'
import { addPatch, updatePatch } from './patch-text.ts'
import { toCommand } from './shell-command.ts'
import { findTool, ROLES, type RoleName } from './tool-roles.ts'
import type { Wish, WishKind } from './wish.ts'

interface Way {
  readonly role: RoleName
  /** Undefined where this way does not lead there. `known`: the file's text, without its last line break. */
  readonly parts: (wish: Wish, known: string | undefined) => Parts | undefined
}

/** More than this is not worth quoting in a call. */
const LONGEST_QUOTE = 4000

const same = (wish: Wish): Parts => ({ ...wish })
const byShell: Way = { role: 'run', parts: (wish) => ({ command: toCommand(wish) }) }

const change =
  (after: (known: string, wish: Wish) => string): Way['parts'] =>
  (wish, known) =>
    known === undefined || known === '' || known.length > LONGEST_QUOTE || !('path' in wish)
      ? undefined
      : { path: wish.path, old: known, text: after(known, wish) }

const rewrite =
  (after: (known: string, wish: Wish) => string): Way['parts'] =>
  (wish, known) =>
    known === undefined || !('path' in wish)
      ? undefined
      : { path: wish.path, text: `${after(known, wish)}\n` }

const patch =
  (after: (known: string, wish: Wish) => string): Way['parts'] =>
  (wish, known) =>
    known === undefined || !('path' in wish)
      ? undefined
      : { patch: updatePatch(wish.path, known, after(known, wish)) }

const written = (_known: string, wish: Wish) => (wish.kind === 'write' ? wish.text.replace(/\n$/, '') : '')
const appended = (known: string, wish: Wish) =>
  wish.kind === 'append' ? [known, wish.text].filter(Boolean).join('\n') : ''
const replaced = (known: string, wish: Wish) =>
  wish.kind === 'replace' ? known.split(wish.old).join(wish.text) : ''

const isNew: Way['parts'] = (wish, known) => (known === undefined ? same(wish) : undefined)
const asNewPatch: Way['parts'] = (wish, known) =>
  known === undefined && wish.kind === 'write' ? { patch: addPatch(wish.path, wish.text) } : undefined

const WAYS: Readonly<Record<WishKind, readonly Way[]>> = {
  read: [{ role: 'read', parts: same }, byShell],
  list: [{ role: 'list', parts: same }, byShell],
  run: [{ role: 'run', parts: same }],
  search: [{ role: 'search', parts: same }, byShell],
  write: [
    { role: 'write', parts: same },
    { role: 'create', parts: isNew },
    { role: 'edit', parts: change(written) },
    { role: 'patch', parts: patch(written) },
    { role: 'patch', parts: asNewPatch },
    byShell,
  ],
  append: [
    { role: 'edit', parts: change(appended) },
    { role: 'append', parts: (wish) => ({ ...wish, text: wish.kind === 'append' ? `${wish.text}\n` : '' }) },
    { role: 'write', parts: rewrite(appended) },
    { role: 'patch', parts: patch(appended) },
    byShell,
  ],
  replace: [
    { role: 'edit', parts: same },
    { role: 'write', parts: rewrite(replaced) },
    { role: 'patch', parts: patch(replaced) },
    byShell,
  ],
}

export interface Workplace {
  readonly tools: readonly Tool[]
  readonly directory: string | undefined
}

/** The calls that could grant a wish, best first; none where no tool can. */
export function waysTo(wish: Wish, { tools, directory }: Workplace, known: string | undefined): ToolCall[] {
  const calls: ToolCall[] = []
  for (const { role, parts: partsOf } of WAYS[wish.kind]) {
    const tool = findTool(role, tools)
    const parts = tool && partsOf(wish, known)
    if (tool === undefined || parts === undefined) continue
    const call = buildCall({ tool, role: ROLES[role], parts, label: describeWish(wish), directory })
    calls.push(call)
  }
  return calls
}

/** A look at the file that a wish is about. */
export function lookAt(path: string, workplace: Workplace): ToolCall | undefined {
  return waysTo({ kind: 'read', path }, workplace, undefined)[0]
}

export function describeWish(wish: Wish): string {
  switch (wish.kind) {
    case 'read':
      return `Read ${wish.path}`
    case 'list':
      return `List the files in ${wish.path}`
    case 'run':
      return `Run ${wish.command}`
    case 'search':
      return `Search for ${wish.pattern}`
    case 'write':
      return `Write ${wish.path}`
    case 'append':
      return `Add to ${wish.path}`
    case 'replace':
      return `Change ${wish.path}`
  }
}

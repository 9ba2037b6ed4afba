// Walks all files below a folder in order, each folder through the descriptor of its parent. Links are not followed.

import type { ConfinedRoot } from '../files/confined-root.ts'
import { entriesOf } from '../files/entries.ts'
import { Held } from '../files/held.ts'
import { type FileLimits, TimeSlice } from '../files/limits.ts'
import { codeOf } from '../files/refusal.ts'
import { isForeignMount, maxDepth } from '../files/walk-path.ts'

interface TreeFile {
  /** From the root. */
  path: string
  /** From the start of the walk. */
  below: string
  /** Undefined if it can no longer be read. The caller closes it. */
  hold(): Held | undefined
}

export interface TreeWalk {
  root: ConfinedRoot
  start: Held
  names: readonly string[]
  /** Names of skipped folders. */
  skipped: ReadonlySet<string>
}

const maxVisited = 500_000

const rarelyMeant = ['.git', 'node_modules']

/** A folder that the pattern names is not skipped. */
export const skippedFor = (pattern = '') =>
  new Set(rarelyMeant.filter((name) => !pattern.split('/').includes(name)))

/** Stops when `found` has seen enough. Resolves to true if files were left out. */
export async function eachFile(
  search: TreeWalk,
  limits: FileLimits,
  found: (file: TreeFile) => 'enough' | undefined,
): Promise<boolean> {
  const slice = new TimeSlice(limits)
  const walk = walkTree(search)
  try {
    for (let step = walk.next(); ; step = walk.next()) {
      if (step.done) return step.value
      if (step.value !== undefined && found(step.value) === 'enough') return false
      await slice.pauseIfDue()
    }
  } finally {
    walk.return(false)
  }
}

/** Yields `undefined` for each folder: many may have no file. Returns true if something was left out. */
function* walkTree({ root, start, names, skipped }: TreeWalk): Generator<TreeFile | undefined, boolean> {
  let visited = 0
  let truncated = false

  function* visit(folder: Held, at: readonly string[]): Generator<TreeFile | undefined> {
    yield undefined
    const found = readable(folder)
    truncated ||= found.truncated
    for (const { name, kind } of found.entries) {
      if (++visited > maxVisited) truncated = true
      if (visited > maxVisited) return
      const path = [...at, name]
      if (root.isHidden(path)) continue
      if (kind === 'file')
        yield {
          path: path.join('/'),
          below: path.slice(names.length).join('/'),
          hold: () => holdIn(root, folder, path),
        }
      if (kind !== 'folder' || skipped.has(name)) continue
      if (at.length >= maxDepth) {
        truncated = true
        continue
      }
      const inner = holdIn(root, folder, path)
      try {
        if (inner?.stat.isDirectory()) yield* visit(inner, path)
      } finally {
        inner?.close()
      }
    }
  }

  yield* visit(start, names)
  return truncated
}

/** Unreadable folders are skipped, as in every search. */
function readable(folder: Held): ReturnType<typeof entriesOf> {
  try {
    return entriesOf(folder)
  } catch (error) {
    if (codeOf(error) === 'EACCES' || codeOf(error) === 'ENOENT') return { entries: [], truncated: false }
    throw error
  }
}

/** Walks down from the root; undefined for a link or a missing name on the way. The caller closes it. */
export function holdAlong(root: ConfinedRoot, names: readonly string[]): Held | undefined {
  let held: Held | undefined = root.held
  for (const [index] of names.entries()) {
    const folder: Held = held
    held = folder.stat.isDirectory() ? holdIn(root, folder, names.slice(0, index + 1)) : undefined
    if (folder !== root.held) folder.close()
    if (held === undefined) return undefined
  }
  return held
}

function holdIn(root: ConfinedRoot, folder: Held, path: readonly string[]): Held | undefined {
  const held = heldIfPermitted(folder, path.at(-1) as string)
  if (held === undefined) return undefined
  let kept = false
  try {
    kept = !held.stat.isSymbolicLink() && !root.isHidden(path, held) && !isForeignMount(folder, held)
  } finally {
    if (!kept) held.close()
  }
  return kept ? held : undefined
}

function heldIfPermitted(folder: Held, name: string): Held | undefined {
  try {
    return Held.in(folder, name)
  } catch (error) {
    if (codeOf(error) === 'EACCES') return undefined
    throw error
  }
}

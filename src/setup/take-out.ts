// Removes what setup added from a file that has changed since. It merges lines, then parses the result: it must have the meaning
// of both changes.

import { jsonLeaves } from './json-edit.ts'
import { merge } from './line-diff.ts'
import { CannotEdit } from './plan.ts'
import { takeOutValues } from './take-out-values.ts'
import { scanToml } from './toml-scan.ts'

interface Versions {
  before: string
  /** The text that setup wrote. */
  written: string
  now: string
}

/** Undefined if the two changes cannot be separated. */
export function takeOut(path: string, versions: Versions): string | undefined {
  const byLines = takeOutLines(path, versions)
  if (byLines !== undefined || !path.endsWith('.json')) return byLines
  return isRewritten(versions) ? takeOutValues(versions) : undefined
}

/** Some programs write their whole file anew, with all its values in another layout. */
function isRewritten({ written, now }: Versions): boolean {
  const lines = new Set(now.split('\n'))
  return written.split('\n').some((line) => !lines.has(line))
}

function takeOutLines(path: string, { before, written, now }: Versions): string | undefined {
  const read = readerFor(path)
  const without = merge(written, before, now, { mayTouch: read !== undefined })
  if (without === undefined || read === undefined) return without
  try {
    const [was, made, there, left] = [before, written, now, without].map((text) => new Set(read(text))) as [
      ...[Set<string>, Set<string>, Set<string>, Set<string>],
    ]
    const isMadeUp = [...left].some((value) => !there.has(value) && !was.has(value))
    const isLost = [...there].some((value) => !left.has(value) && (!made.has(value) || was.has(value)))
    return isMadeUp || isLost ? undefined : without
  } catch (error) {
    if (error instanceof CannotEdit || error instanceof RangeError) return undefined
    throw error
  }
}

type Reader = (text: string) => string[]

/** Every value with its path. */
function readerFor(path: string): Reader | undefined {
  if (/\.jsonc?$/.test(path)) return jsonLeaves
  if (path.endsWith('.toml')) return tomlLeaves
  return undefined
}

const tomlLeaves: Reader = (text) =>
  scanToml(text).map(({ kind, path, valueStart, valueEnd }) =>
    JSON.stringify([kind, path, text.slice(valueStart, valueEnd)]),
  )

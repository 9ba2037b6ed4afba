// Removes what setup added from a JSON file that its program has written anew since, in another layout: by values, not by lines.

import { isDeepStrictEqual } from 'node:util'
import { applyEdits, modify, type ParseError, parse } from 'jsonc-parser'
import { isObject } from '../base/json.ts'

type Path = (string | number)[]
interface Removal {
  path: Path
  /** Undefined: the value goes. */
  value: unknown
}
interface Versions {
  before: unknown
  written: unknown
  now: unknown
}

/** Undefined if one of the texts is not plain JSON. A value that was changed since stays, unless setup made the entry it is in. */
export function takeOutValues(texts: { before: string; written: string; now: string }): string | undefined {
  const [before, written, now] = [texts.before, texts.written, texts.now].map(valueIn)
  if (!isObject(before) || !isObject(written) || !isObject(now)) return undefined
  const removals = differences({ before, written, now }, [], false)
  let text = texts.now
  // From the end: the places of earlier items of a list stay right.
  for (const { path, value } of removals.reverse())
    text = applyEdits(text, modify(text, path, value, { formattingOptions: formatting }))
  return isDeepStrictEqual(valueIn(text), {}) && texts.before.trim() === '' ? '' : text
}

const formatting = { insertSpaces: true, tabSize: 2 }

function valueIn(text: string): unknown {
  if (text.trim() === '') return {}
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, { allowTrailingComma: true, disallowComments: false })
  return errors.length > 0 ? undefined : value
}

/** `isOurs`: setup made what this is in. */
function differences({ before, written, now }: Versions, path: Path, isOurs: boolean): Removal[] {
  if (Array.isArray(written) && Array.isArray(now)) return addedItems({ before, written, now }, path)
  if (!isObject(written) || !isObject(now)) return []
  const was = isObject(before) ? before : {}
  return Object.keys(written).flatMap((key): Removal[] => {
    if (!Object.hasOwn(now, key)) return []
    const versions = { before: ownValue(was, key), written: written[key], now: now[key] }
    const at = [...path, key]
    if (isDeepStrictEqual(versions.before, versions.written)) return []
    if (isDeepStrictEqual(versions.now, versions.written)) return [{ path: at, value: versions.before }]
    const isNew = !Object.hasOwn(was, key)
    const inside = differences(versions, at, isNew)
    if (isNew && isEmptied(versions.now, inside, at)) return [{ path: at, value: undefined }]
    if (inside.length > 0 || isObject(versions.now) || Array.isArray(versions.now)) return inside
    return isOurs && isNew ? [{ path: at, value: undefined }] : []
  })
}

/** The items that setup added, wherever they are now. */
function addedItems(
  { before, written, now }: { before: unknown; written: unknown[]; now: unknown[] },
  path: Path,
) {
  const old = Array.isArray(before) ? before : []
  const has = (list: readonly unknown[], item: unknown) => list.some((one) => isDeepStrictEqual(one, item))
  return now.flatMap((item, at): Removal[] =>
    has(written, item) && !has(old, item) ? [{ path: [...path, at], value: undefined }] : [],
  )
}

/** Whether nothing is left of it: each of its own members goes. */
function isEmptied(value: unknown, inside: readonly Removal[], path: Path): boolean {
  if (!isObject(value) && !Array.isArray(value)) return false
  const gone = inside.filter((one) => one.path.length === path.length + 1 && one.value === undefined)
  return gone.length === (Array.isArray(value) ? value.length : Object.keys(value).length)
}

const ownValue = (object: Record<string, unknown>, key: string) =>
  Object.hasOwn(object, key) ? object[key] : undefined

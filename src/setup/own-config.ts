// Edits the gateway's own configuration file: settings of one backend. Comments and layout stay.

import { editJson, jsonValue } from './json-edit.ts'
import { insertFirst, removeMember } from './json-members.ts'

/** A setting by its path inside the backend. Without a value it is removed. */
export interface BackendChange {
  path: readonly string[]
  value?: unknown
  /** It is a row of a table of which the first fitting row counts: it goes before all others. */
  isFirst?: true
}

export function editBackend(text: string, backend: string, changes: readonly BackendChange[]): string {
  return changes.reduce((now, { path, value, isFirst }) => {
    const whole = ['backends', backend, ...path]
    if (value === undefined) return removeMember(now, whole)
    return isFirst ? withFirstRow(now, whole, value) : editJson(now, [{ path: whole, value }])
  }, text)
}

function withFirstRow(text: string, path: readonly string[], value: unknown): string {
  const table = jsonValue(text, path.slice(0, -1)) ?? {}
  const [first] = Object.keys(table)
  const isAlone = first === undefined || first === path.at(-1)
  if (isAlone) return editJson(text, [{ path: [...path], value }])
  return insertFirst(removeMember(text, path), path, value)
}

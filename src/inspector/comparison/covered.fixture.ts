// Whether each leaf of a body is covered by one row.

import { at, type Row } from './row.ts'

/** The places of each value that has nothing inside: its own, and those of all that contain it. */
function leavesOf(value: unknown, places: readonly string[] = ['']): (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [places]
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((inner, place) => [place, inner])
    : Object.entries(value)
  if (entries.length === 0) return [places]
  return entries.flatMap(([name, inner]) => leavesOf(inner, [at(places[0] ?? '', name), ...places]))
}

/** Leaves that no row covers, and those that several do. */
export function uncovered(rows: readonly Row[], side: 'client' | 'upstream', body: unknown): string[] {
  const covering = new Map<string, number>()
  for (const row of rows)
    for (const path of row[side]?.paths ?? []) covering.set(path, (covering.get(path) ?? 0) + 1)
  return leavesOf(body)
    .filter((places) => places.reduce((sum, place) => sum + (covering.get(place) ?? 0), 0) !== 1)
    .map(([place = '']) => place)
}

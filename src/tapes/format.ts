// Formats durations, sizes, one-line texts, tables and the titles of frames for terminal output.

import { visibleLine } from '../base/visible-text.ts'
import type { Frame } from './frame.ts'

export function duration(milliseconds: number): string {
  // A value that would round up to the next unit is printed in that unit.
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_950) return `${(milliseconds / 1_000).toFixed(1)} s`
  const seconds = Math.round(milliseconds / 1_000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

export function size(bytes: number): string {
  if (bytes < 1_024) return `${bytes} B`
  return bytes < 1_048_576 ? `${(bytes / 1_024).toFixed(1)} KiB` : `${(bytes / 1_048_576).toFixed(1)} MiB`
}

export const time = (milliseconds: number) => `${(milliseconds / 1_000).toFixed(3).padStart(9)} s`

/** One line, with control characters made visible. */
export function inLine(text: string, longest: number): string {
  const line = visibleLine(text.replace(/\s+/g, ' '))
  return line.length > longest ? `${line.slice(0, longest)}…` : line
}

export function table(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .map((line) => `${line}\n`)
    .join('')
}

export const plural = (count: number, one: string, many = `${one}s`) => `${count} ${count === 1 ? one : many}`

/** Such as `client request` and `upstream #1 data`. */
export const frameTitle = (frame: Frame): string =>
  `${frame.side}${'exchange' in frame ? ` #${frame.exchange}` : ''} ${frame.do}`

// Bars for a terminal, one line each.

import type { Span } from '../base/painted.ts'

const mostBars = 62
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A terminal that does not say UTF-8 gets ASCII. */
export function drawsBlocks(variable: (name: string) => string | undefined): boolean {
  const locale = variable('LC_ALL') || variable('LC_CTYPE') || variable('LANG') || ''
  return /utf-?8/i.test(locale) && variable('TERM') !== 'dumb'
}

interface PlotOptions {
  /** Of the terminal. */
  columns: number
  hasBlocks: boolean
}

/** The latest bars, if there are too many. */
export function bars(
  values: readonly (readonly [name: string, value: number])[],
  { columns, hasBlocks }: PlotOptions,
): Span[][] {
  const shown = values.slice(-mostBars)
  const most = Math.max(0, ...shown.map(([, value]) => value))
  const widest = Math.max(0, ...shown.map(([name]) => name.length))
  const room = Math.max(10, Math.min(columns, 100) - widest - shortNumber(most).length - 5)
  return shown.map(([name, value]): Span[] => {
    if (value === 0) return [name]
    return [
      `${name.padEnd(widest)}  `,
      ['cyan', bar((value / most) * room, hasBlocks)],
      ` ${shortNumber(value)}`,
    ]
  })
}

/** Anything above zero is visible. */
function bar(length: number, hasBlocks: boolean): string {
  if (!hasBlocks) return '#'.repeat(Math.max(1, Math.round(length)))
  const parts = Math.max(1, Math.round(length * 8))
  return '█'.repeat(Math.floor(parts / 8)) + (eighths[parts % 8] ?? '')
}

/** `950`, `12.3k`, `4.1M`. */
export function shortNumber(value: number): string {
  if (value < 1_000) return String(value)
  const units = ['k', 'M', 'G', 'T']
  let scaled = value / 1_000
  let unit = 0
  // A value that would round up to the next unit is printed in that unit.
  for (; scaled >= 999.5 && unit < units.length - 1; unit++) scaled /= 1_000
  return `${scaled < 99.95 ? scaled.toFixed(1) : Math.round(scaled)}${units[unit]}`
}

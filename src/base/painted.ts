// Coloured text for terminals. A line is a list of spans: what a span holds is made visible before it is coloured, so text from
// outside brings no escape sequences of its own.

import { visibleLine } from './visible-text.ts'

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

export type Span = string | readonly [style: Style, text: string]

const codes: Record<Style, readonly [on: number, off: number]> = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
}

/** One line, without its end. */
export function painted(spans: readonly Span[], isColoured: boolean): string {
  return spans
    .map((span) => {
      const [style, text] = typeof span === 'string' ? [undefined, span] : span
      const shown = visibleLine(text)
      if (style === undefined || !isColoured || shown === '') return shown
      const [on, off] = codes[style]
      return `\x1b[${on}m${shown}\x1b[${off}m`
    })
    .join('')
}

/** As Node itself reads the two variables: `FORCE_COLOR` goes first, and 0 means no colours. */
export function wantsColours(
  stream: { readonly isTTY?: boolean },
  variable: (name: string) => string | undefined,
): boolean {
  const forced = variable('FORCE_COLOR')
  if (forced !== undefined && forced !== '') return forced !== '0' && forced !== 'false'
  if (variable('NO_COLOR')) return false
  return stream.isTTY === true && variable('TERM') !== 'dumb'
}

const textOf = (cell: Span) => visibleLine(typeof cell === 'string' ? cell : cell[1])

/** Rows with their columns at the same width. `right`: columns whose cells end together, as numbers do. */
export function aligned(rows: readonly (readonly Span[])[], right: readonly number[] = []): Span[][] {
  const widths: number[] = []
  for (const row of rows)
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, textOf(cell).length)
  return rows.map((row) => {
    const last = row.findLastIndex((cell) => textOf(cell) !== '')
    return row.slice(0, last + 1).flatMap((cell, at): Span[] => {
      const gap = ' '.repeat((widths[at] ?? 0) - textOf(cell).length)
      const space = at === 0 ? '' : '  '
      if (right.includes(at)) return [space + gap, cell]
      return at === last ? [space, cell] : [space, cell, gap]
    })
  })
}

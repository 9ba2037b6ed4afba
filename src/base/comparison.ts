// A comparison with a whole number, as settings state it: `>180000`, `<= 8000`.

const pattern = /^(>=|<=|>|<) ?(\d{1,12})$/

const operators: Record<string, (value: number, limit: number) => boolean> = {
  '>': (value, limit) => value > limit,
  '>=': (value, limit) => value >= limit,
  '<': (value, limit) => value < limit,
  '<=': (value, limit) => value <= limit,
}

export interface Comparison {
  readonly text: string
  readonly limit: number
  holds(value: number): boolean
}

/** Undefined if the text is no comparison. */
export function readComparison(text: string): Comparison | undefined {
  const [, operator = '', digits = ''] = pattern.exec(text) ?? []
  const holds = operators[operator]
  const limit = Number(digits)
  return holds && { text: operator + digits, limit, holds: (value) => holds(value, limit) }
}

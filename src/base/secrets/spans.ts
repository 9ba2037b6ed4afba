// Positions of secrets in a text.

export interface Span {
  start: number
  end: number
}

/** Sorted, with overlapping spans merged. */
export function apart<Kind extends Span>(spans: Kind[]): Kind[] {
  spans.sort((one, other) => one.start - other.start || other.end - one.end)
  const merged: Kind[] = []
  for (const span of spans) {
    const last = merged.at(-1)
    if (last && span.start < last.end) last.end = Math.max(last.end, span.end)
    else merged.push(span)
  }
  return merged
}

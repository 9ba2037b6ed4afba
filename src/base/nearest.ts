// "Did you mean": the candidates closest to a mistyped word.

/** Longer words are not typing errors, and a comparison takes the product of both lengths. */
const longestWord = 200

export function nearest(word: string, candidates: Iterable<string>, most = 3): string[] {
  if (word.length > longestWord) return []
  const limit = Math.max(2, Math.floor(word.length / 3))
  return [...candidates]
    .filter((candidate) => candidate.length <= longestWord)
    .map((candidate) => ({
      candidate,
      distance: distanceBetween(word.toLowerCase(), candidate.toLowerCase(), limit),
    }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ candidate }) => candidate)
}

/** Levenshtein distance; a word contained in the other counts as close. */
function distanceBetween(a: string, b: string, limit: number): number {
  if (a.length >= 4 && b.includes(a)) return 1
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}

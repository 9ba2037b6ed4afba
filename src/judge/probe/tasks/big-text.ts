// Reproducible texts of any size in which no line can be guessed from the one before.

const words = [
  'anchor', 'barge', 'cable', 'dock', 'engine', 'ferry', 'gauge', 'hull', 'island', 'jetty', 'keel', 'ladder',
  'mast', 'north', 'oar', 'pier', 'quay', 'rudder', 'sail', 'tide', 'urchin', 'vessel', 'wharf', 'yard',
] // biome-ignore format: a list to be read as one

/** Pseudo-random numbers from 0 to 1, reproducible by seed. */
function numbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Numbered lines of words and numbers, about `size` characters in total. */
export function bigText(size: number, seed: number): string[] {
  const next = numbers(seed)
  const word = () => words[Math.floor(next() * words.length)] as string
  const lines: string[] = []
  for (let length = 0; length < size; ) {
    const line = `${String(lines.length + 1).padStart(4, '0')} ${word()} ${word()} ${Math.floor(next() * 9_000) + 1_000} ${word()}`
    lines.push(line)
    length += line.length + 1
  }
  return lines
}

// The stem of an English word: endings that grammar adds are removed, so that "converting", "converts" and "converted" are one word.
// The result is a key, not a word. Words of other languages pass almost unchanged.

const vowel = /[aeiouy]/

/** Longest first: the first that fits is replaced if enough of the word stays. */
const derived: readonly (readonly [ending: string, instead: string])[] = [
  ['ization', 'ize'],
  ['isation', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['iveness', 'ive'],
  ['ation', 'ate'],
  ['ility', 'le'],
  ['ator', 'ate'],
  ['ally', 'al'],
  ['ment', ''],
  ['ness', ''],
  ['tion', 't'],
  ['sion', 's'],
  ['ance', ''],
  ['ence', ''],
  ['able', ''],
  ['ible', ''],
  ['ise', 'ize'],
  ['ful', ''],
  ['ity', ''],
  ['ive', ''],
  ['ous', ''],
  ['al', ''],
  ['ly', ''],
]

const shortest = 3

export function stem(word: string): string {
  if (word.length <= shortest || !/^[a-z]+$/.test(word)) return word
  return withoutLastVowel(withoutDerivation(withoutTense(singular(word))))
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4 && word !== 'movies') return `${word.slice(0, -3)}y`
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2)
  if (word.endsWith('s') && !/(?:ss|us|is)$/.test(word)) return word.slice(0, -1)
  return word
}

function withoutTense(word: string): string {
  for (const ending of ['ing', 'ed']) {
    if (!word.endsWith(ending)) continue
    const rest = word.slice(0, -ending.length)
    if (rest.length < shortest || !vowel.test(rest)) return word
    // "plotting" is of "plot", "calling" of "call".
    return /([b-df-hj-km-np-rtv-y])\1$/.test(rest) ? rest.slice(0, -1) : rest
  }
  return word
}

function withoutDerivation(word: string): string {
  for (const [ending, instead] of derived)
    if (word.endsWith(ending)) {
      const rest = word.slice(0, -ending.length)
      return rest.length > shortest ? rest + instead : word
    }
  return word
}

/** "calculate" and "calculat", "query" and "queri" are the same. */
function withoutLastVowel(word: string): string {
  if (word.length <= shortest) return word
  return word.endsWith('e') || word.endsWith('y') ? word.slice(0, -1) : word
}

// A text in slices for a tokenizer. A tokenizer first divides a text into pieces (words, runs of marks, runs of space), and the time
// for one piece grows with the square of its length: 64,000 equal characters take half a minute. So long runs are cut. A cut
// costs a token at most.

/** The longest run that can be one piece. */
const longestRun = 128
/** A slice ends before the next space after this many characters, */
const usual = 2_048
/** and here in any case. */
const longest = 4_096

const letter = 1
const digit = 2
const space = 3
const mark = 4

const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code)
  if (/[a-z]/i.test(character)) return letter
  if (/\d/.test(character)) return digit
  return /\s/.test(character) ? space : mark
})

const lineFeed = 10
const carriageReturn = 13
const slash = 47

export function* textSlices(text: string): Generator<string> {
  let start = 0
  let run = 0
  let kind = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const next = continues(code, kind) ? kind : (classes[code] ?? kind)
    const isNew = next !== kind && kind !== 0
    kind = next
    run = isNew ? 1 : run + 1
    const length = at - start
    const isDue = length >= longest || (isNew && kind === space && length >= usual)
    if (length > 0 && (run > longestRun || isDue) && !isSecondHalf(code)) {
      yield text.slice(start, at)
      start = at
      run = 1
    }
  }
  if (start < text.length) yield text.slice(start)
}

/** What is not ASCII may be a letter, a mark or a space: it may be of the same piece. Marks take line ends and slashes along. */
const continues = (code: number, kind: number) =>
  code >= 128 || (kind === mark && (code === lineFeed || code === carriageReturn || code === slash))

/** Of a pair of surrogates: a cut would make two wrong characters of one. */
const isSecondHalf = (code: number) => code >= 0xdc_00 && code <= 0xdf_ff

// Words as the demo model compares them: without their endings, and without those that say nothing.

const STOP_WORDS = new Set(
  `a about after again all also am an and any are as at be been before both but by can could did do does done each else every for from
  get gets give gives go goes had has have he her here him his how i if in into is it its just let like many may me might more most much
  must my no not now of off on one only or other our out over please same shall she should so some still tell than that the their them
  then there these they this those to too two three up us use very was we were what when where which while who whose why will with would
  you your`.split(/\s+/),
)

/** Verbs that stand in the names of all kinds of tools: they say less than the noun beside them. */
const COMMON_VERBS = new Set(
  `add call change check create delete do fetch find get list look make open put query read remove run search send set show start update
  use view write`
    .split(/\s+/)
    .map(stem),
)

export function stem(word: string): string {
  const low = word.toLowerCase().replace(/['’]s$/, '')
  if (low.length > 4 && low.endsWith('ies')) return `${low.slice(0, -3)}y`
  const bare = low
    .replace(/(?<=...)ing$/, '')
    .replace(/(?<=...)ed$/, '')
    .replace(/(?<=(?:s|x|ch|sh))es$/, '')
    .replace(/(?<=[^s]..?)s$/, '')
  return bare.length > 3 ? bare.replace(/e$/, '') : bare
}

const isStop = (word: string) => STOP_WORDS.has(word.toLowerCase())

export const isCommonVerb = (stemmed: string) => COMMON_VERBS.has(stemmed)

/** The stems of the words that say something, in order. */
export function contentStems(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !isStop(word)).map(stem)
}

/** The words of a tool's or parameter's name. */
export const nameWords = (name: string): string[] =>
  name.split(/[_\W]+|(?<=[a-z0-9])(?=[A-Z])/).filter((word) => word !== '')

const ONES =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen'.split(
    ' ',
  )
const TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split(' ')
const ORDINALS = 'first second third fourth fifth sixth seventh eighth ninth tenth'.split(' ')

/** "twelve", "twenty-five"; undefined for any other word. */
export function numberOfWord(word: string): number | undefined {
  const [first = '', second] = word.toLowerCase().split('-')
  const one = ONES.indexOf(first)
  const ten = TENS.indexOf(first)
  if (second === undefined) return one >= 0 ? one : ten >= 0 ? (ten + 2) * 10 : undefined
  const unit = ONES.indexOf(second)
  return ten >= 0 && unit > 0 && unit < 10 ? (ten + 2) * 10 + unit : undefined
}

/** "first" is 1; undefined for any other word. */
export function ordinalOfWord(word: string): number | undefined {
  const at = ORDINALS.indexOf(word.toLowerCase())
  return at < 0 ? undefined : at + 1
}

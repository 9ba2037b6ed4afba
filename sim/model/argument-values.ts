// The values that a text has for a parameter, by its name, its description and its type: a table of rules, the first that finds
// something counts. More than one value means that each is asked for.

import type { Json } from '../shape.ts'
import type { Mention, Mentions } from './mentions.ts'
import { typeOf } from './sample-value.ts'
import { contentStems, nameWords, ordinalOfWord, stem } from './words.ts'

export interface Parameter {
  readonly name: string
  /** Resolved. */
  readonly schema: Json
}

const wordsOf = ({ name, schema }: Parameter) => `${nameWords(name).join(' ')} ${schema.description ?? ''}`

/** Values of any type; none if the text has none. */
export function valuesFor(parameter: Parameter, mentions: Mentions): unknown[] {
  const { schema } = parameter
  if (Array.isArray(schema.enum)) return enumValues(parameter, schema.enum, mentions)
  switch (typeOf(schema)) {
    case 'boolean':
      return booleanValue(parameter, mentions)
    case 'integer':
    case 'number':
      return numberValue(parameter, mentions)
    case 'string':
      return textValues(parameter, mentions)
    default:
      return []
  }
}

/** All items of a list of numbers or texts. */
export function itemsFor(parameter: Parameter, items: Json, mentions: Mentions): unknown[] {
  const type = typeOf(items)
  if (Array.isArray(items.enum)) return enumValues(parameter, items.enum, mentions)
  if (type === 'integer' || type === 'number') return mentions.numbers.map(({ value }) => value)
  return type === 'string' ? wordList(parameter, mentions) : []
}

/** Values that are named in the text, in the order of the text; or by their number, as "the first quarter". */
function enumValues({ name }: Parameter, values: readonly unknown[], { text }: Mentions): unknown[] {
  const stems = (text.match(/[\p{L}\p{N}]+/gu) ?? []).map(stem)
  const named = values
    .map((value) => ({ value, at: stems.indexOf(stem(String(value))) }))
    .filter(({ at }) => at >= 0)
    .sort((one, other) => one.at - other.at)
  if (named.length > 0) return named.map(({ value }) => value)
  const noun = stem(nameWords(name).at(-1) ?? '')
  const at = stems.findIndex((word, index) => word === noun && ordinalOf(text, index - 1) !== undefined)
  const ordinal = at < 0 ? undefined : ordinalOf(text, at - 1)
  const found = values.find((value) => /(?<!\d)\d+$/.exec(String(value))?.[0] === String(ordinal))
  return ordinal === undefined ? [] : [found ?? values[ordinal - 1]].filter((value) => value !== undefined)
}

const ordinalOf = (text: string, index: number) =>
  ordinalOfWord((text.match(/[\p{L}\p{N}]+/gu) ?? [])[index] ?? '')

/** True if its words are in the text and not denied; false if they are denied. */
function booleanValue(parameter: Parameter, { text }: Mentions): boolean[] {
  const own = new Set(contentStems(wordsOf(parameter).replace(/\bwhether\b/gi, '')))
  const words = text.match(/[\p{L}\p{N}']+/gu) ?? []
  const at = words.findIndex((word) => own.has(stem(word)))
  if (at < 0) return []
  return [
    !words.slice(Math.max(0, at - 2), at).some((word) => /^(?:not|no|without|never|n't|don't)$/i.test(word)),
  ]
}

function numberValue(parameter: Parameter, mentions: Mentions): number[] {
  const { numbers, text } = mentions
  const own = new Set(contentStems(wordsOf(parameter)))
  const beside = numbers.find(({ at }) => own.has(lastStem(text.slice(0, at))))
  const measured = numbers.find(({ unit }) => unit !== '' && own.has(stem(unit)))
  const paid = /\b(?:amount|price|money|cost|bid)\b/i.test(wordsOf(parameter))
    ? numbers.find(({ end, at }) => mentions.currencies.some((one) => one.at >= at && one.at <= end + 12))
    : undefined
  const found = beside ?? measured ?? paid ?? (numbers.length === 1 ? numbers[0] : undefined)
  return found === undefined ? [] : [found.value]
}

const lastStem = (text: string) =>
  stem(/(?<![\p{L}\p{N}])([\p{L}\p{N}]+)[\s:#]{0,3}$/u.exec(text.slice(-60))?.[1] ?? '')

interface TextRule {
  /** Of the parameter's name and description. */
  readonly about: RegExp
  readonly read: (mentions: Mentions, parameter: Parameter) => string | readonly string[]
}

const textsOf = (mentions: readonly Mention[]) => mentions.map(({ text }) => text)

const TEXT_RULES: readonly TextRule[] = [
  { about: /\bYYYY-MM-DD\b|\bdate\b/i, read: ({ dates }) => textsOf(dates).slice(0, 1) },
  { about: /\bHH:MM\b|\btime\b/i, read: ({ times }) => textsOf(times).slice(0, 1) },
  { about: /\bISO code\b|\bcurrency\b/i, read: currencyValue },
  { about: /\bpost ?code\b|\bzip\b/i, read: ({ text }) => place(text)?.postcode ?? [] },
  { about: /\bcity\b|\btown\b/i, read: ({ text }) => place(text)?.city ?? [] },
  {
    about: /\bstreet\b/i,
    read: ({ text }) => /(?<=\s)(\p{Lu}\p{L}+ \d{1,5}[a-z]?)\b/u.exec(text)?.[1] ?? [],
  },
  {
    about: /\bletter and (?:a )?digit\b/i,
    read: ({ codes }) => textsOf(codes).filter((code) => /^[A-Z]\d$/.test(code)),
  },
  {
    about: /\bthree capital letters\b|\bsymbol\b|\bticker\b/i,
    read: ({ capitals }) => textsOf(capitals).filter((word) => word.length === 3),
  },
  { about: /\barticle\b|\bsku\b|\bcode\b/i, read: ({ codes }) => textsOf(codes).slice(0, 1) },
  { about: /./, read: namedValues },
  {
    about: /\b(?:text|content|query|what|message|word|phrase|value)\b/i,
    read: ({ quotes }) => textsOf(quotes),
  },
  {
    about: /\b(?:name|city|town|place|person|country)\b/i,
    read: ({ names, text }) => textsOf(joined(text, names)),
  },
  { about: /\b(?:title|subject|topic)\b/i, read: objectPhrase },
  {
    about: /\b(?:id|number)\b/i,
    read: ({ numbers, codes }) => [...textsOf(codes), ...textsOf(numbers)].slice(0, 1),
  },
]

/** The name says more than the description: "Without the postcode" is about a city. */
function textValues(parameter: Parameter, mentions: Mentions): string[] {
  for (const words of [nameWords(parameter.name).join(' '), wordsOf(parameter)]) {
    for (const { about, read } of TEXT_RULES) {
      if (!about.test(words)) continue
      const found = [read(mentions, parameter)].flat()
      if (found.length > 0) return [...new Set(found)]
    }
  }
  return []
}

/** A value right behind a word of the parameter: "vessel B", "record 88", "our customer Marlow". */
function namedValues(mentions: Mentions, parameter: Parameter): string[] {
  const own = new Set(contentStems(wordsOf(parameter)))
  const { text, names, codes, capitals, numbers } = mentions
  const all = [...names, ...codes, ...capitals, ...numbers]
    .filter(({ at }, index, some) => some.findIndex((other) => other.at === at) === index)
    .sort((one, other) => one.at - other.at)
  const first = all.findIndex(({ at }) => own.has(lastStem(text.slice(0, at))))
  return first < 0 ? [] : textsOf(joined(text, all.slice(first)))
}

const BETWEEN = new Set(['', ',', 'and', 'or', ', and', ', or', '&'])

/** The first mentions of a list: "A, B and C". */
function joined(text: string, mentions: readonly Mention[]): Mention[] {
  const isNext = ({ at }: Mention, before: Mention | undefined) =>
    before !== undefined && BETWEEN.has(text.slice(before.end, at).trim())
  const end = mentions.findIndex((mention, index) => index > 0 && !isNext(mention, mentions[index - 1]))
  return mentions.slice(0, end < 0 ? mentions.length : end)
}

function currencyValue({ currencies, text }: Mentions, { name }: Parameter): string[] {
  const behind = (words: RegExp) =>
    currencies.find(({ at }) => words.test(text.slice(Math.max(0, at - 20), at)))
  if (/^(?:from|source|base)/i.test(name))
    return textsOf([behind(/\bfrom\s+$/i) ?? currencies[0] ?? []].flat())
  if (/^(?:to|target|into)/i.test(name))
    return textsOf([behind(/\b(?:to|into)\s+$/i) ?? currencies.at(-1) ?? []].flat())
  return textsOf(currencies).slice(0, 1)
}

/** "00743 Halden" */
function place(text: string): { postcode: string; city: string } | undefined {
  const [, postcode, city] = /\b(\d{4,5}) (\p{Lu}\p{L}+)/u.exec(text) ?? []
  return postcode !== undefined && city !== undefined ? { postcode, city } : undefined
}

/** What is to be done something with: "Put a dentist appointment into …". */
function objectPhrase({ text }: Mentions): string[] {
  const found =
    /^(?:please\s+)?\p{L}+\s+(?:an?\s+|the\s+|my\s+)?((?:[\p{L}-]+\s+){1,6}?)(?:into|in|to|on|for|at)\s/iu.exec(
      text.slice(0, 200),
    )
  return found?.[1] === undefined ? [] : [found[1].trim()]
}

/** The words behind "tags", "words" or "names": each alone between commas and "and". */
function wordList(parameter: Parameter, { text }: Mentions): string[] {
  const noun = stem(nameWords(parameter.name).at(-1) ?? '')
  const cues = [...text.matchAll(/[\p{L}]+/gu)].filter(
    ({ 0: word }) => stem(word) === noun || /^(?:words|tags|names|labels)$/i.test(word),
  )
  for (const { 0: word, index } of cues.reverse()) {
    const parts = text.slice(index + word.length).split(/, ?(?:and )?| and |[.;:]/)
    const end = parts.findIndex((part) => !/^\s*[\p{L}\p{N}_-]+\s*$/u.test(part))
    const words = parts.slice(0, end < 0 ? parts.length : end).map((part) => part.trim())
    if (words.length > 0) return words
  }
  return []
}

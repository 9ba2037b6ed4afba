// What a text mentions: numbers, dates, times, codes, names, quotes, money. Each with its place, so that the words beside it count.

import { numberOfWord } from './words.ts'

export interface Mention {
  readonly text: string
  readonly at: number
  readonly end: number
}

interface NumberMention extends Mention {
  readonly value: number
  /** The word behind it, as "euros". */
  readonly unit: string
}

export interface Mentions {
  readonly text: string
  readonly quotes: readonly Mention[]
  readonly dates: readonly Mention[]
  /** As HH:MM. */
  readonly times: readonly Mention[]
  /** Letters and digits together: LMP-20, A7. */
  readonly codes: readonly Mention[]
  /** ABX, NOK. */
  readonly capitals: readonly Mention[]
  readonly numbers: readonly NumberMention[]
  /** As ISO codes. */
  readonly currencies: readonly Mention[]
  /** Words with a capital letter, adjacent ones together, not those that begin a sentence. */
  readonly names: readonly Mention[]
}

/** A longer text is a document, not a request. */
const LONGEST_READ = 4000

export function readMentions(whole: string): Mentions {
  const text = whole.slice(0, LONGEST_READ)
  const quotes = find(text, /"([^"\n]{1,400})"|“([^“”\n]{1,400})”|`([^`\n]{1,400})`/g)
  const open = blank(text, quotes)
  const dates = find(open, /\b(\d{4}-\d{2}-\d{2})\b/g)
  const times = find(open, /\b(\d{1,2}:\d{2})\b/g).map((time) => withHours(time, open))
  const rest = blank(open, [...dates, ...times])
  const codes = find(rest, /\b([A-Z]{1,8}-?\d{1,8}(?:-\w{1,8})?)\b/g)
  const uncoded = blank(rest, codes)
  return {
    text,
    quotes,
    dates,
    times,
    codes,
    capitals: find(uncoded, /\b([A-Z]{2,5})\b/g),
    numbers: numbersIn(uncoded),
    currencies: currenciesIn(uncoded),
    names: namesIn(uncoded),
  }
}

function find(text: string, pattern: RegExp): Mention[] {
  return [...text.matchAll(pattern)].map((found) => ({
    text: found.slice(1).find((group) => group !== undefined) ?? '',
    at: found.index,
    end: found.index + found[0].length,
  }))
}

/** Mentions are read once: what is a date is no number. */
function blank(text: string, mentions: readonly Mention[]): string {
  return mentions.reduce(
    (rest, { at, end }) => rest.slice(0, at) + ' '.repeat(end - at) + rest.slice(end),
    text,
  )
}

function withHours(time: Mention, text: string): Mention {
  const [hours = 0, minutes = '00'] = time.text.split(':').map((part, at) => (at === 0 ? Number(part) : part))
  const isLate = /^\s*(?:p\.?m|in the (?:afternoon|evening)|at night)/i.test(
    text.slice(time.end, time.end + 24),
  )
  const hour = isLate && Number(hours) < 12 ? Number(hours) + 12 : Number(hours)
  return { ...time, text: `${String(hour).padStart(2, '0')}:${minutes}` }
}

function numbersIn(text: string): NumberMention[] {
  const plain = [
    ...text.matchAll(/(?<![\w.])(-?\d{1,15}(?:\.\d{1,9})?)(?![\w.]*\d)|\b([a-z]+(?:-[a-z]+)?)\b/gi),
  ].flatMap(({ 0: whole, 1: digits, 2: word, index }): NumberMention[] => {
    const value = digits === undefined ? numberOfWord(word ?? '') : Number(digits)
    if (value === undefined) return []
    const end = index + whole.length
    const unit = /^\s+([a-z]+)/i.exec(text.slice(end, end + 40))?.[1] ?? ''
    return [{ text: whole, at: index, end, value, unit }]
  })
  return plain.flatMap((number, at): NumberMention[] => {
    const [before, next] = [plain[at - 1], plain[at + 1]]
    // "twelve euros and fifty cents" is one amount.
    if (before && isCents(number) && isAmount(before) && isJoined(text, before, number)) return []
    if (next && isCents(next) && isAmount(number) && isJoined(text, number, next))
      return [{ ...number, end: next.end, value: number.value + next.value / 100 }]
    return [number]
  })
}

const isCents = ({ unit }: NumberMention) => /^(?:cents?|pence)$/i.test(unit)
const isAmount = ({ unit }: NumberMention) => currencyOf(unit) !== undefined
const isJoined = (text: string, one: NumberMention, other: NumberMention) =>
  /^\s+\w+\s+and\s+$/.test(text.slice(one.end, other.at))

const CURRENCIES: readonly (readonly [code: string, words: RegExp])[] = [
  ['EUR', /^euros?$/i],
  ['USD', /^(?:us )?dollars?$/i],
  ['JPY', /^(?:japanese )?yen$/i],
  ['GBP', /^(?:british )?pounds?(?: sterling)?$/i],
  ['CHF', /^(?:swiss )?francs?$/i],
  ['CNY', /^(?:chinese )?yuan$/i],
  ['INR', /^(?:indian )?rupees?$/i],
  ['NOK', /^norwegian (?:krone|kroner|crowns?)$/i],
  ['SEK', /^swedish (?:krona|kronor|crowns?)$/i],
  ['DKK', /^danish (?:krone|kroner|crowns?)$/i],
  ['PLN', /^(?:polish )?(?:zloty|zlotys)$/i],
  ['BRL', /^(?:brazilian )?(?:real|reais)$/i],
]
const ISO_CODES = new Set([
  ...CURRENCIES.map(([code]) => code),
  'AUD',
  'CAD',
  'CZK',
  'HUF',
  'KRW',
  'MXN',
  'ZAR',
])

const currencyOf = (words: string) => CURRENCIES.find(([, pattern]) => pattern.test(words))?.[0]

function currenciesIn(text: string): Mention[] {
  const words = [...text.matchAll(/\b[A-Za-z]+\b/g)]
  return words.flatMap(({ 0: word, index }, at): Mention[] => {
    const end = index + word.length
    if (ISO_CODES.has(word)) return [{ text: word, at: index, end }]
    const before = words[at - 1]
    const code = currencyOf(`${before?.[0] ?? ''} ${word}`) ?? currencyOf(word)
    return code === undefined ? [] : [{ text: code, at: index, end }]
  })
}

function namesIn(text: string): Mention[] {
  const found = find(text, /(?<=[^.!?:\s]\s)(\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*){0,3})/gu)
  return found.filter((name) => !/^(?:I|I'm|I’m)$/.test(name.text))
}

// Values in a question, as words for what they are: tools name the kind of a value (`date`), questions the value itself (`2026-04-13`).

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'
const near = '(?:this|next|last|coming|upcoming)'

export const dateForm = new RegExp(
  [
    String.raw`\b\d{4}[-./]\d{1,2}[-./]\d{1,2}\b`,
    String.raw`\b\d{1,2}\/\d{1,2}\/\d{2,4}\b`,
    String.raw`\b(?:${months})[a-z]{0,6}\.? \d{1,2}\b`,
    String.raw`\b\d{1,2}(?:st|nd|rd|th)\b`,
    String.raw`\b(?:today|tonight|tomorrow|yesterday)\b`,
    String.raw`\b(?:${near} )?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b`,
    String.raw`\b${near} (?:week|weekend|month|year)\b`,
  ].join('|'),
  'i',
)

/** All dates of a text. */
export const dates = new RegExp(dateForm, 'gi')

export const timeForm = /\b\d{1,2}:\d{2}\b|\b\d{1,2} ?[ap]\.?m\b/i

const kinds: readonly { form: RegExp; words: readonly string[] }[] = [
  { form: dateForm, words: ['date'] },
  { form: timeForm, words: ['time'] },
  { form: /[^\s@]@[^\s@]/, words: ['email'] },
  { form: /\bhttps?:\/\//i, words: ['url'] },
  { form: /[$€£] ?\d|\d ?(?:dollars|euros|USD|EUR)\b/i, words: ['price'] },
  { form: /\b[A-Z][a-z]{1,20}, [A-Z]/, words: ['city'] },
  { form: /\d\.\d{2,16}°? ?[NSEW]?, ?-?\d{1,3}\.\d/, words: ['coordinates', 'latitude', 'longitude'] },
  { form: /\d ?[*×] ?\d|\d (?:times|multiplied by) \d/i, words: ['multiply', 'product'] },
  // A program with its options, or the path of a drive.
  { form: /\s--[a-z]|\b[a-z]:[\\/]|\b[a-z] drive\b|\w\.(?:exe|bat|lnk|sh)\b| && /i, words: ['command'] },
]

/** The kinds of the values that a question contains. */
export const valueKinds = (question: string): string[] => [
  ...new Set(kinds.flatMap(({ form, words }) => (form.test(question) ? words : []))),
]

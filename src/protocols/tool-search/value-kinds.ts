// Values in a question, as words for what they are: tools name the kind of a value (`date`), questions the value itself (`2026-04-13`).

const months = 'jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec'

const kinds: readonly { form: RegExp; word: string }[] = [
  { form: /\b\d{4}[-./]\d{1,2}[-./]\d{1,2}\b|\b\d{1,2}\/\d{1,2}\/\d{2,4}\b/, word: 'date' },
  { form: new RegExp(String.raw`\b(?:${months})[a-z]{0,6}\.? \d{1,2}\b`, 'i'), word: 'date' },
  { form: /\b\d{1,2}(?:st|nd|rd|th)\b/, word: 'date' },
  { form: /\b(?:today|tomorrow|yesterday)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b/i, word: 'date' },
  { form: /\b\d{1,2}:\d{2}\b|\b\d{1,2} ?[ap]\.?m\b/i, word: 'time' },
  { form: /[^\s@]@[^\s@]/, word: 'email' },
  { form: /\bhttps?:\/\//i, word: 'url' },
  { form: /[$€£] ?\d|\d ?(?:dollars|euros|USD|EUR)\b/i, word: 'price' },
  { form: /\b[A-Z][a-z]{1,20}, [A-Z]/, word: 'city' },
]

/** The kinds of the values that a question contains. */
export const valueKinds = (question: string): string[] => [
  ...new Set(kinds.flatMap(({ form, word }) => (form.test(question) ? [word] : []))),
]

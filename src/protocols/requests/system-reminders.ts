// System reminders: text that clients add to the user's message for the model, and remove once the message is old.

const opening = '<system-reminder>'
const closing = '</system-reminder>'

/** Not a regular expression: searching for the end from every beginning takes quadratic time if there is no end. */
export function splitReminders(text: string): { words: string; reminders: string[] } {
  const words: string[] = []
  const reminders: string[] = []
  let at = 0
  for (;;) {
    const from = text.indexOf(opening, at)
    const to = from < 0 ? -1 : text.indexOf(closing, from)
    if (to < 0) break
    words.push(text.slice(at, from))
    reminders.push(text.slice(from + opening.length, to).trim())
    at = to + closing.length
  }
  return { words: [...words, text.slice(at)].join(''), reminders }
}

// What clients put beside the user's words for the model, and leave out when the message is an old one.

const opening = '<system-reminder>'
const closing = '</system-reminder>'

/** No pattern: one that looks for the end anew from every beginning takes for ever where there is no end. */
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

// System reminders: text that clients add to the user's message for the model, and move or remove once the message is old.

/** Claude Code and others, also inside the results of tools. */
export const reminderTag = 'system-reminder'
/**
 * Also of Goose: the time, the folder and a list of tasks. In 1.37 it is `info-msg`, in front of the last answer of every request;
 * in 1.50 and later `turn-context`, at the end of the user's message.
 */
const tagsOfUsers = [reminderTag, 'info-msg', 'turn-context']

/** Not a regular expression: searching for the end from every beginning takes quadratic time if there is no end. */
export function splitReminders(
  text: string,
  tags: readonly string[] = tagsOfUsers,
): { words: string; reminders: string[] } {
  const words: string[] = []
  const reminders: string[] = []
  const blocks = tags.map((tag) => new Blocks(text, tag))
  let at = 0
  for (;;) {
    for (const block of blocks) block.skipTo(at)
    const [first] = blocks.filter(({ isOver }) => !isOver).sort((one, other) => one.from - other.from)
    if (first === undefined) break
    words.push(text.slice(at, first.from))
    reminders.push(first.inside.trim())
    at = first.end
  }
  return { words: [...words, text.slice(at)].join(''), reminders }
}

/** The complete blocks of one tag, one after the other. */
class Blocks {
  readonly #text: string
  readonly #opening: string
  readonly #closing: string
  from = -1
  end = 0
  isOver = false

  constructor(text: string, tag: string) {
    this.#text = text
    this.#opening = `<${tag}>`
    this.#closing = `</${tag}>`
  }

  /** The next block that begins at `at` or later. */
  skipTo(at: number): void {
    if (this.isOver || this.from >= at) return
    this.from = this.#text.indexOf(this.#opening, at)
    const to = this.from < 0 ? -1 : this.#text.indexOf(this.#closing, this.from)
    this.isOver = to < 0
    this.end = to + this.#closing.length
  }

  get inside(): string {
    return this.#text.slice(this.from + this.#opening.length, this.end - this.#closing.length)
  }
}

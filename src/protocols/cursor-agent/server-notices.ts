// Notices of the service itself in the stream of an answer: they become notes, not text of the answer.

/** Far longer than any known notice. */
const longest = 1_000

export class ServerNotices {
  #text = ''

  add(text: string): void {
    this.#text = (this.#text + text).slice(0, longest)
  }

  /** The notice is complete. */
  tell(note: (text: string) => void): void {
    if (this.#text.trim() !== '') note(`Cursor says: ${this.#text.trim()}`)
    this.#text = ''
  }
}

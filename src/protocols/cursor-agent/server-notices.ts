// What the service itself says in the stream of an answer: no word of the model's, and no part of the answer.

/** Far more than any notice has. */
const longest = 1_000

export class ServerNotices {
  #text = ''

  add(text: string): void {
    this.#text = (this.#text + text).slice(0, longest)
  }

  /** It has said all of it. */
  tell(note: (text: string) => void): void {
    if (this.#text.trim() !== '') note(`Cursor says: ${this.#text.trim()}`)
    this.#text = ''
  }
}

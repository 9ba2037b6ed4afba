// Notes: every change of a request or an answer, in words for the person at the client. Notes from before the response header go into
// `x-dragoman-notes`, later ones into a comment at the end of the stream, and all into the log.

/** Notes are limited in number and length, because some quote input. */
const most = 100
const longest = 2_000
const left = 'more notes were left out'

export class Notes {
  readonly #all = new Set<string>()
  #taken = 0

  add(note: string): void {
    if (this.#all.size < most) this.#all.add(note.slice(0, longest))
    else this.#all.add(left)
  }

  /** The notes since the last call. */
  take(): string[] {
    const fresh = [...this.#all].slice(this.#taken)
    this.#taken = this.#all.size
    return fresh
  }

  /** Removes a note that turned out wrong, unless it was taken already. */
  withdraw(note: string): void {
    if (this.all.indexOf(note) >= this.#taken) this.#all.delete(note)
  }

  /** Removes all notes after the first `count`: they are about a failed attempt. */
  rewind(count: number): void {
    for (const note of this.all.slice(count)) this.#all.delete(note)
    this.#taken = Math.min(this.#taken, count)
  }

  get isEmpty(): boolean {
    return this.#all.size === 0
  }

  get all(): string[] {
    return [...this.#all]
  }
}

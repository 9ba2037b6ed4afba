// What was changed on the way, in words for the person at the client. Nothing is changed silently: notes made before
// the headers leave go into `x-dragoman-notes`, later ones into a comment at the end of the stream, all into the log.

/** Some name what came from outside, and that can be anything. */
const most = 100
const longest = 2_000
const left = 'there were more notes than are kept'

export class Notes {
  readonly #all = new Set<string>()
  #taken = 0

  add(note: string): void {
    if (this.#all.size < most) this.#all.add(note.slice(0, longest))
    else this.#all.add(left)
  }

  /** The notes that came since the last call. */
  take(): string[] {
    const fresh = [...this.#all].slice(this.#taken)
    this.#taken = this.#all.size
    return fresh
  }

  /** It turned out not to be so, before anybody was told. */
  withdraw(note: string): void {
    if (this.all.indexOf(note) >= this.#taken) this.#all.delete(note)
  }

  /** Forgets the notes that came after the first `count`: they were about an attempt that is not the answer. */
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

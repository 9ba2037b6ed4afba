// Texts that come in pieces. A list that is joined once: adding to a long string at each piece would copy it again and again.

export class Pieces {
  readonly #texts = new Map<string, string[]>()

  add(name: string, text: string): void {
    const known = this.#texts.get(name)
    if (known) known.push(text)
    else this.#texts.set(name, [text])
  }

  get all(): [string, string][] {
    return [...this.#texts].map(([name, pieces]) => [name, pieces.join('')])
  }

  of(name: string): string | undefined {
    return this.#texts.get(name)?.join('')
  }
}

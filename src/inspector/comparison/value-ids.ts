// Numbers for JSON values: equal values have equal numbers, whatever the order of their members. Takes linear time, and compares
// subtrees of any size in one step.

export class ValueIds {
  readonly #ids = new Map<string, number>()
  readonly #known = new WeakMap<object, number>()

  of(value: unknown): number {
    if (typeof value !== 'object' || value === null) return this.#id(scalar(value))
    const known = this.#known.get(value)
    if (known !== undefined) return known
    const id = this.#id(Array.isArray(value) ? this.#list(value) : this.#members(value))
    this.#known.set(value, id)
    return id
  }

  #list(values: readonly unknown[]): string {
    return `[${values.map((value) => this.of(value)).join()}`
  }

  #members(value: object): string {
    const names = Object.keys(value).sort()
    return `{${names.map((name) => `${JSON.stringify(name)}:${this.of((value as Record<string, unknown>)[name])}`).join()}`
  }

  #id(text: string): number {
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    this.#ids.set(text, this.#ids.size)
    return this.#ids.size - 1
  }
}

/** The first character tells the type: the text "1" is not the number 1. */
const scalar = (value: unknown) => (typeof value === 'string' ? `"${value}` : `=${String(value)}`)

// Recognises a server at an unknown address by its list of models. A client that names its model never lists any, so the gateway asks
// for the list once, beside the first turn that would profit. The turn does not wait for it, and a failure is not tried again.

const timeoutMs = 10_000

export class Recognition {
  readonly #list: (signal: AbortSignal) => Promise<unknown>
  readonly #leaving = new AbortController()
  #isOver = false

  constructor(list: (signal: AbortSignal) => Promise<unknown>) {
    this.#list = list
  }

  /** Nothing more is asked: the list was read or asked for, or the backend is closed. */
  get isOver(): boolean {
    return this.#isOver
  }

  begin(): void {
    if (this.#isOver) return
    this.#isOver = true
    const signal = AbortSignal.any([this.#leaving.signal, AbortSignal.timeout(timeoutMs)])
    this.#list(signal).catch(() => undefined)
  }

  /** Somebody else has read the list. */
  onListed(): void {
    this.#isOver = true
  }

  close(): void {
    this.#isOver = true
    this.#leaving.abort()
  }
}

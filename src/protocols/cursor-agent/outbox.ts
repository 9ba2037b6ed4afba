// Messages to the server that wait to be sent on the current stream.

export class Outbox {
  #messages: Uint8Array[] = []
  /** Results of calls whose answer is still being collected: what the server makes of them is no part of that answer. */
  #early: Uint8Array[] = []
  #handedOut = 0
  #isServerGone = false

  get isEmpty(): boolean {
    return this.#messages.length === 0
  }

  /** How many messages precede the next one on the current stream. */
  get sent(): number {
    return this.#handedOut + this.#messages.length
  }

  /** The server no longer reads this stream. */
  get isServerGone(): boolean {
    return this.#isServerGone
  }

  add(message: Uint8Array): void {
    this.#messages.push(message)
  }

  addAll(messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#messages.push(message)
  }

  holdEarly(messages: readonly Uint8Array[]): void {
    for (const message of messages) this.#early.push(message)
  }

  releaseEarly(): void {
    this.addAll(this.#early)
    this.#early = []
  }

  onServerGone(): void {
    this.#isServerGone = true
  }

  onStreamLost(): void {
    this.#messages = []
  }

  /** `opening` is the first message of another stream. */
  reopen(opening: Uint8Array): void {
    this.#messages = [opening]
    this.#handedOut = 0
    this.#isServerGone = false
  }

  take(): Uint8Array[] {
    const messages = this.#messages
    this.#handedOut += messages.length
    this.#messages = []
    return messages
  }
}

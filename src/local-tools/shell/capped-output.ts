// The output of a command as text, within a budget that its two streams share. The beginning is kept; more is read and dropped
// for a while, so that a verbose build can finish. Beyond that it is a flood, and the command is ended.

export type StreamName = 'stdout' | 'stderr'

interface OutputBudget {
  keepBytes: number
  /** The limit for kept and dropped output together. */
  floodBytes: number
  onText(text: string, stream: StreamName): void
  onFlood(): void
}

export class CappedOutput {
  readonly #budget: OutputBudget
  readonly #text = { stdout: '', stderr: '' }
  readonly #decoders = { stdout: decoder(), stderr: decoder() }
  #seen = 0
  #flooded = false

  constructor(budget: OutputBudget) {
    this.#budget = budget
  }

  get truncated(): boolean {
    return this.#seen > this.#budget.keepBytes
  }

  write(chunk: Uint8Array, stream: StreamName): void {
    const { keepBytes, floodBytes, onFlood } = this.#budget
    const left = keepBytes - this.#seen
    this.#seen += chunk.byteLength
    if (left >= 0) {
      // A character at the cut is left out.
      this.#add(this.#decoders[stream].decode(chunk.subarray(0, left), { stream: true }), stream)
      if (this.truncated) this.remark(`the output is cut here: ${keepBytes} bytes are the limit`, stream)
    }
    if (this.#flooded || this.#seen <= floodBytes) return
    this.#flooded = true
    onFlood()
  }

  /** A remark of the gateway, outside the budget. */
  remark(text: string, stream: StreamName): void {
    const soFar = this.#text[stream]
    this.#add(`${soFar === '' || soFar.endsWith('\n') ? '' : '\n'}[dragoman: ${text}]\n`, stream)
  }

  /** Call it once: an incomplete character at the end becomes U+FFFD. */
  end(): { stdout: string; stderr: string } {
    if (!this.truncated)
      for (const stream of ['stdout', 'stderr'] as const) this.#add(this.#decoders[stream].decode(), stream)
    return this.#text
  }

  #add(text: string, stream: StreamName): void {
    if (text === '') return
    this.#text[stream] += text
    this.#budget.onText(text, stream)
  }
}

const decoder = () => new TextDecoder('utf-8', { ignoreBOM: true })

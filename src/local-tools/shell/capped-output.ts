// What a command writes, as text, within a budget that its two streams share. The beginning is kept. What comes after is read
// and dropped for a while, so that a talkative build may come to its end; then it is a flood, and not worth a busy core.

export type StreamName = 'stdout' | 'stderr'

export interface OutputBudget {
  keepBytes: number
  /** More than this, kept and dropped together, is a flood. */
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
      // A character that the cut goes through is left out with what follows it.
      this.#add(this.#decoders[stream].decode(chunk.subarray(0, left), { stream: true }), stream)
      if (this.truncated) this.remark(`the output is cut here: ${keepBytes} bytes are the limit`, stream)
    }
    if (this.#flooded || this.#seen <= floodBytes) return
    this.#flooded = true
    onFlood()
  }

  /** Whatever the command does, this is shown. */
  remark(text: string, stream: StreamName): void {
    const soFar = this.#text[stream]
    this.#add(`${soFar === '' || soFar.endsWith('\n') ? '' : '\n'}[dragoman: ${text}]\n`, stream)
  }

  /** Call it once: a character that was begun and never finished is shown as such. */
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

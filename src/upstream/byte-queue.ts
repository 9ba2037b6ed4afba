// Bytes that have come and were not read yet. Small pieces are put together: each by itself would cost more than it holds,
// and would keep the whole of the network read that it was a part of.

const blockBytes = 16 * 1024
const smallBytes = 4 * 1024

export class ByteQueue {
  #chunks: Buffer[] = []
  /** The last chunk, where it is one of ours with room behind it. */
  #block: Buffer | undefined
  #used = 0
  length = 0

  get isEmpty(): boolean {
    return this.length === 0
  }

  push(chunk: Buffer): void {
    this.length += chunk.length
    // Mostly somebody waits for it, and takes it as it is.
    if (this.#chunks.length === 0 || chunk.length >= smallBytes) {
      this.#seal()
      this.#chunks.push(chunk)
      return
    }
    if (this.#block === undefined || this.#used + chunk.length > this.#block.length) {
      this.#seal()
      this.#block = Buffer.allocUnsafeSlow(blockBytes)
    }
    chunk.copy(this.#block, this.#used)
    this.#used += chunk.length
  }

  /** All of it. */
  take(): Buffer {
    this.#seal()
    const chunks = this.#chunks
    this.clear()
    return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)
  }

  clear(): void {
    this.#chunks = []
    this.#block = undefined
    this.#used = 0
    this.length = 0
  }

  #seal(): void {
    if (this.#block !== undefined) this.#chunks.push(this.#block.subarray(0, this.#used))
    this.#block = undefined
    this.#used = 0
  }
}

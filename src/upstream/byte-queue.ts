// Bytes that have come and were not read yet. Small pieces are put together: each by itself would cost more than it holds,
// and would keep the whole of the network read that it was a part of.

const blockBytes = 16 * 1024
const smallBytes = 4 * 1024

export class ByteQueue {
  /** The first, which mostly is all there is. */
  #only: Buffer | undefined
  /** What came behind it. */
  #chunks: Buffer[] = []
  /** The last chunk, where it is one of ours with room behind it. */
  #block: Buffer | undefined
  #used = 0
  length = 0

  get isEmpty(): boolean {
    return this.length === 0
  }

  push(chunk: Buffer): void {
    // Mostly somebody waits for it, and takes it as it is.
    if (this.length === 0) {
      this.#only = chunk
      this.length = chunk.length
      return
    }
    this.length += chunk.length
    if (chunk.length >= smallBytes) {
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
    const only = this.#only as Buffer
    const isOnly = this.length === only.length
    if (!isOnly) this.#seal()
    const bytes = isOnly ? only : Buffer.concat([only, ...this.#chunks])
    this.clear()
    return bytes
  }

  clear(): void {
    this.#only = undefined
    if (this.#chunks.length > 0) this.#chunks = []
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

// ByteQueue: received bytes that were not read yet. Small chunks are copied together: a chunk alone costs more than its bytes, and keeps
// the whole network read in memory that it is a part of.

const blockBytes = 16 * 1024
const smallBytes = 4 * 1024

export class ByteQueue {
  /** The first chunk, which usually is the only one. */
  #only: Buffer | undefined
  /** The chunks after it. */
  #chunks: Buffer[] = []
  /** The last chunk, if it is a block with free space. */
  #block: Buffer | undefined
  #used = 0
  length = 0

  get isEmpty(): boolean {
    return this.length === 0
  }

  push(chunk: Buffer): void {
    // Usually a reader waits and takes the chunk without a copy.
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

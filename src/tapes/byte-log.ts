// Many small pieces of bytes and text, one behind the other in a few blocks. As objects of their own, thousands of them would keep
// the garbage collector busier than all the rest of their way.

const blockBytes = 4 * 1024
const slabBytes = 256 * 1024

/** Blocks of all logs are parts of a few large ones: memory outside of the heap makes V8 collect garbage by itself. */
let slab = Buffer.alloc(0)
let slabUsed = 0

function newBlock(): Buffer {
  if (slabUsed + blockBytes > slab.length) {
    slab = Buffer.allocUnsafeSlow(slabBytes)
    slabUsed = 0
  }
  slabUsed += blockBytes
  return slab.subarray(slabUsed - blockBytes, slabUsed)
}

const headBytes = 10

/** What is longer has a place of its own. */
export const longestPiece = 1_024

export class ByteLog {
  readonly #blocks: Buffer[] = []
  #last: Buffer = Buffer.alloc(0)
  #used = 0

  /** Adds a piece; gives the number of its bytes. */
  add(piece: Uint8Array | string): number {
    // A character takes three bytes at most.
    const most = typeof piece === 'string' ? piece.length * 3 : piece.length
    const block = this.room(most)
    const start = this.#used
    if (typeof piece === 'string') this.#used += block.write(piece, start)
    else {
      block.set(piece, start)
      this.#used += piece.length
    }
    return this.#used - start
  }

  /** The block that has room for so many bytes. */
  room(most: number): Buffer {
    if (this.#used + most > this.#last.length) this.#grow()
    return this.#last
  }

  /** Where they go there. */
  take(length: number): number {
    this.#used += length
    return this.#used - length
  }

  #grow(): void {
    // What is behind the last piece of a block is never read: pieces say how long they are.
    if (this.#blocks.length > 0) this.#blocks[this.#blocks.length - 1] = this.#last.subarray(0, this.#used)
    this.#last = newBlock()
    this.#blocks.push(this.#last)
    this.#used = 0
  }

  /** Reads the pieces in their order, each by its length. */
  reader(): (length: number) => Buffer {
    let at = 0
    let from = 0
    return (length) => {
      while (from >= this.#endOf(at) && at < this.#blocks.length - 1) {
        at++
        from = 0
      }
      from += length
      return this.#blocks[at]?.subarray(from - length, from) ?? Buffer.alloc(0)
    }
  }

  #endOf(at: number): number {
    return at === this.#blocks.length - 1 ? this.#used : (this.#blocks[at]?.length ?? 0)
  }
}

/** Pieces of plain ASCII, each with its time, in as few bytes: of an answer of thousands. */
export class PieceLog {
  readonly #log = new ByteLog()

  add(at: number, text: string): void {
    const length = headBytes + text.length
    const block = this.#log.room(length)
    const start = this.#log.take(length)
    block.writeDoubleLE(at, start)
    block.writeUInt16LE(text.length, start + 8)
    block.write(text, start + headBytes, 'latin1')
  }

  reader(): () => { at: number; text: string } {
    const read = this.#log.reader()
    return () => {
      const head = read(headBytes)
      const [at, length] = [head.readDoubleLE(0), head.readUInt16LE(8)]
      return { at, text: read(length).toString('latin1') }
    }
  }
}

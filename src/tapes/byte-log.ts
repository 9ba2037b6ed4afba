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

/** What is longer has a place of its own. */
export const longestPiece = 1_024

/** Of a piece with its time: that, and its length. */
const headBytes = 6
/** What is shorter is faster written character by character than by asking somebody else to do it. */
const shortText = 64
const nothing = Buffer.alloc(0)

export class ByteLog {
  readonly #blocks: Buffer[] = []
  #last: Buffer = nothing
  #used = 0

  /** Adds a piece; gives the number of its bytes. */
  add(piece: Uint8Array | string): number {
    // A character takes three bytes at most.
    this.#makeRoom(typeof piece === 'string' ? piece.length * 3 : piece.length)
    const start = this.#used
    if (typeof piece === 'string') this.#used += this.#last.write(piece, start)
    else {
      this.#last.set(piece, start)
      this.#used += piece.length
    }
    return this.#used - start
  }

  /** Adds plain ASCII and a whole number, which is its time. */
  addTimed(time: number, text: string): void {
    const { length } = text
    this.#makeRoom(headBytes + length)
    const block = this.#last
    const start = this.#used
    block[start] = time & 0xff
    block[start + 1] = (time >>> 8) & 0xff
    block[start + 2] = (time >>> 16) & 0xff
    block[start + 3] = time >>> 24
    block[start + 4] = length & 0xff
    block[start + 5] = length >>> 8
    const to = start + headBytes
    if (length > shortText) block.write(text, to, 'latin1')
    else for (let at = 0; at < length; at++) block[to + at] = text.charCodeAt(at)
    this.#used = to + length
  }

  #makeRoom(most: number): void {
    if (this.#used + most <= this.#last.length) return
    // What is behind the last piece of a block is never read: pieces say how long they are.
    if (this.#blocks.length > 0) this.#blocks[this.#blocks.length - 1] = this.#last.subarray(0, this.#used)
    this.#last = newBlock()
    this.#blocks.push(this.#last)
    this.#used = 0
  }

  /** Reads the pieces in their order. */
  reader(): LogReader {
    let at = 0
    let from = 0
    const piece = (length: number) => {
      while (from >= this.#endOf(at) && at < this.#blocks.length - 1) {
        at++
        from = 0
      }
      from += length
      return this.#blocks[at]?.subarray(from - length, from) ?? nothing
    }
    const timed = () => {
      const head = piece(headBytes)
      return { time: head.readUInt32LE(0), text: piece(head.readUInt16LE(4)).toString('latin1') }
    }
    return { piece, timed }
  }

  #endOf(at: number): number {
    return at === this.#blocks.length - 1 ? this.#used : (this.#blocks[at]?.length ?? 0)
  }
}

export interface LogReader {
  /** By its length. */
  piece(length: number): Buffer
  timed(): { time: number; text: string }
}

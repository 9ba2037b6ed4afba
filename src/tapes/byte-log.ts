// A log of many small pieces of bytes and text in a few blocks. As single objects, thousands of pieces would cost more in garbage
// collection than in everything else.

const blockBytes = 4 * 1024
const slabBytes = 256 * 1024

/** The blocks of all logs are parts of large slabs: external memory triggers V8's garbage collection. */
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

/** Longer pieces are stored elsewhere. */
export const longestPiece = 1_024

/** The head of a timed piece: its time and its length. */
const headBytes = 6
/** Up to this length, writing character by character is faster than a native call. */
const shortText = 64
const nothing = Buffer.alloc(0)

export class ByteLog {
  readonly #blocks: Buffer[] = []
  #last: Buffer = nothing
  #used = 0

  /** Adds a piece; returns its number of bytes. */
  add(piece: Uint8Array | string): number {
    // A UTF-16 unit takes at most three bytes.
    this.#makeRoom(typeof piece === 'string' ? piece.length * 3 : piece.length)
    const start = this.#used
    if (typeof piece === 'string') this.#used += this.#last.write(piece, start)
    else {
      this.#last.set(piece, start)
      this.#used += piece.length
    }
    return this.#used - start
  }

  /** Adds ASCII text with its time, an integer. */
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
    // The rest of a block is never read: each piece has its length.
    if (this.#blocks.length > 0) this.#blocks[this.#blocks.length - 1] = this.#last.subarray(0, this.#used)
    this.#last = newBlock()
    this.#blocks.push(this.#last)
    this.#used = 0
  }

  /** Reads the pieces in order. */
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
  /** Reads a piece of known length. */
  piece(length: number): Buffer
  timed(): { time: number; text: string }
}

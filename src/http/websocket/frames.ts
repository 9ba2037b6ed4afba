// WebSocket frames as a server reads and writes them (RFC 6455), without extensions: nothing is compressed.

import { createHash } from 'node:crypto'

const handshakeId = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The answer to `Sec-WebSocket-Key`. */
export const acceptKey = (key: string) => createHash('sha1').update(`${key}${handshakeId}`).digest('base64')

export const closeCodes = {
  normal: 1000,
  goingAway: 1001,
  protocol: 1002,
  unsupported: 1003,
  invalidText: 1007,
  policy: 1008,
  tooBig: 1009,
  internal: 1011,
  tryLater: 1013,
} as const

const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 }
/** Of a control frame. */
const longestControl = 125

function frame(opcode: number, payload: Buffer): Buffer {
  const { length } = payload
  const extra = length < 126 ? 0 : length < 65_536 ? 2 : 8
  const head = Buffer.allocUnsafe(2 + extra)
  head[0] = 0x80 | opcode
  head[1] = extra === 0 ? length : extra === 2 ? 126 : 127
  if (extra === 2) head.writeUInt16BE(length, 2)
  if (extra === 8) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, payload])
}

export const textFrame = (text: string) => frame(opcodes.text, Buffer.from(text))
export const pingFrame = () => frame(opcodes.ping, Buffer.alloc(0))
export const pongFrame = (payload: Buffer) => frame(opcodes.pong, payload)

export function closeFrame(code: number, reason = ''): Buffer {
  const payload = Buffer.from(`  ${reason}`).subarray(0, longestControl)
  payload.writeUInt16BE(code, 0)
  return frame(opcodes.close, payload)
}

/** A frame that ends the connection; `code` says why. */
export class FrameError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

interface FrameEvents {
  /** A piece of the current text message. May throw a `FrameError`. */
  onPiece(piece: Buffer): void
  /** The current text message is complete. */
  onMessage(): void
  onPing(payload: Buffer): void
  onPong(): void
  onClose(): void
}

interface Head {
  fin: boolean
  opcode: number
  length: number
  size: number
}

/** Reads the frames of a client, in pieces of any size. Payloads are passed on as they arrive, unmasked. */
export class FrameReader {
  readonly #events: FrameEvents
  /** Bytes of a head, or of a control frame, that is not complete yet. */
  #held: Buffer = Buffer.alloc(0)
  /** The data frame whose payload is arriving. */
  #left = 0
  #fin = true
  #mask: Buffer = Buffer.alloc(4)
  #maskAt = 0
  #inMessage = false
  #closed = false

  constructor(events: FrameEvents) {
    this.#events = events
  }

  /** Throws a `FrameError` where the client breaks the protocol. */
  push(bytes: Buffer): void {
    let rest = this.#held.length > 0 ? Buffer.concat([this.#held, bytes]) : bytes
    this.#held = Buffer.alloc(0)
    while (rest.length > 0 && !this.#closed) {
      if (this.#left > 0) {
        rest = this.#takePayload(rest)
        continue
      }
      const head = readHead(rest)
      const needed = head === undefined ? Number.POSITIVE_INFINITY : head.size
      if (head === undefined || (isControl(head.opcode) && rest.length < needed + head.length)) {
        this.#held = Buffer.from(rest)
        return
      }
      rest = this.#takeHead(head, rest)
    }
  }

  #takeHead(head: Head, bytes: Buffer): Buffer {
    const mask = bytes.subarray(head.size - 4, head.size)
    const rest = bytes.subarray(head.size)
    if (isControl(head.opcode)) {
      this.#onControl(head.opcode, unmasked(rest.subarray(0, head.length), mask, 0))
      return rest.subarray(head.length)
    }
    if (head.opcode === opcodes.binary) throw new FrameError(closeCodes.unsupported, 'Send text frames.')
    if ((head.opcode === opcodes.continuation) !== this.#inMessage)
      throw new FrameError(
        closeCodes.protocol,
        'A message is continued that was not begun, or begun in another.',
      )
    this.#mask = Buffer.from(mask)
    this.#maskAt = 0
    this.#left = head.length
    this.#fin = head.fin
    this.#inMessage = true
    if (head.length === 0) this.#endFrame()
    return rest
  }

  #takePayload(bytes: Buffer): Buffer {
    const piece = bytes.subarray(0, this.#left)
    this.#left -= piece.length
    this.#events.onPiece(unmasked(piece, this.#mask, this.#maskAt))
    this.#maskAt = (this.#maskAt + piece.length) % 4
    if (this.#left === 0) this.#endFrame()
    return bytes.subarray(piece.length)
  }

  #endFrame(): void {
    if (!this.#fin) return
    this.#inMessage = false
    this.#events.onMessage()
  }

  #onControl(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.ping) return this.#events.onPing(payload)
    if (opcode === opcodes.pong) return this.#events.onPong()
    this.#closed = true
    this.#events.onClose()
  }
}

const isControl = (opcode: number) => opcode >= opcodes.close
const known = new Set(Object.values(opcodes))

/** Undefined as long as the head is not complete. */
function readHead(bytes: Buffer): Head | undefined {
  const [first, second] = bytes
  if (first === undefined || second === undefined) return undefined
  const opcode = first & 0x0f
  const short = second & 0x7f
  if ((first & 0x70) !== 0 || !known.has(opcode))
    throw new FrameError(
      closeCodes.protocol,
      'A frame of an unknown kind, or of an extension that was not agreed.',
    )
  if ((second & 0x80) === 0) throw new FrameError(closeCodes.protocol, 'A client must mask its frames.')
  const fin = (first & 0x80) !== 0
  if (isControl(opcode) && (!fin || short > longestControl))
    throw new FrameError(closeCodes.protocol, 'A control frame is too long or in parts.')
  const extra = short === 126 ? 2 : short === 127 ? 8 : 0
  const size = 2 + extra + 4
  if (bytes.length < size) return undefined
  const length = extra === 0 ? short : extra === 2 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2))
  if (!Number.isSafeInteger(length)) throw new FrameError(closeCodes.tooBig, 'A frame is too long.')
  return { fin, opcode, length, size }
}

function unmasked(bytes: Buffer, mask: Buffer, from: number): Buffer {
  const out = Buffer.allocUnsafe(bytes.length)
  for (let at = 0; at < bytes.length; at++)
    out[at] = (bytes[at] as number) ^ (mask[(from + at) & 3] as number)
  return out
}

// Writes frames of AWS's event stream, in the simulator's own code.

import { crc32 } from 'node:zlib'

export function encodeFrame(headers: Readonly<Record<string, string>>, payload: Buffer | string): Buffer {
  const head = Buffer.concat(
    Object.entries(headers).map(([name, value]) => {
      const [key, text] = [Buffer.from(name), Buffer.from(value)]
      const length = Buffer.alloc(2)
      length.writeUInt16BE(text.length)
      return Buffer.concat([Buffer.from([key.length]), key, Buffer.from([7]), length, text])
    }),
  )
  const body = Buffer.from(payload)
  const total = 12 + head.length + body.length + 4
  const frame = Buffer.concat([Buffer.alloc(12), head, body, Buffer.alloc(4)], total)
  frame.writeUInt32BE(total, 0)
  frame.writeUInt32BE(head.length, 4)
  frame.writeUInt32BE(crc32(frame.subarray(0, 8)), 8)
  frame.writeUInt32BE(crc32(frame.subarray(0, total - 4)), total - 4)
  return frame
}

/** One Messages event as Bedrock sends it: base64 inside JSON, with padding that hides its length. */
export function encodeChunk(json: string): Buffer {
  const p = 'abcdefghijklmnopqrstuvwxyz'.slice(0, 1 + (json.length % 26))
  return encodeFrame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(json).toString('base64'), p }),
  )
}

export function encodeException(type: string, message: string): Buffer {
  return encodeFrame(
    { ':exception-type': type, ':content-type': 'application/json', ':message-type': 'exception' },
    JSON.stringify({ message }),
  )
}

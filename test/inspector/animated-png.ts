// Joins PNG pictures of one size and kind into an animated PNG, which browsers play and other programs show as its first picture.

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

interface Chunk {
  type: string
  data: Buffer
}

export interface Scene {
  png: Buffer
  /** How long it is shown. */
  milliseconds: number
}

export function animatedPng(scenes: readonly Scene[]): Buffer {
  const [first] = scenes
  if (!first) throw new Error('an animation needs a picture')
  const header = chunksOf(first.png).find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(0)
  const out: Chunk[] = [
    { type: 'IHDR', data: header },
    { type: 'acTL', data: numbers(scenes.length, 0) },
  ]
  let sequence = 0
  for (const [at, { png, milliseconds }] of scenes.entries()) {
    const chunks = chunksOf(png)
    if (!chunks.some(({ type, data }) => type === 'IHDR' && data.equals(header)))
      throw new Error('the pictures differ in size or kind')
    const times = Buffer.alloc(6)
    times.writeUInt16BE(milliseconds, 0)
    times.writeUInt16BE(1_000, 2)
    const place = Buffer.concat([numbers(sequence++), header.subarray(0, 8), numbers(0, 0), times])
    out.push({ type: 'fcTL', data: place })
    for (const { type, data } of chunks)
      if (type === 'IDAT')
        out.push(
          at === 0 ? { type, data } : { type: 'fdAT', data: Buffer.concat([numbers(sequence++), data]) },
        )
  }
  out.push({ type: 'IEND', data: Buffer.alloc(0) })
  return Buffer.concat([signature, ...out.map(written)])
}

function chunksOf(png: Buffer): Chunk[] {
  const chunks: Chunk[] = []
  for (let at = signature.length; at < png.length; ) {
    const length = png.readUInt32BE(at)
    chunks.push({
      type: png.toString('latin1', at + 4, at + 8),
      data: png.subarray(at + 8, at + 8 + length),
    })
    at += length + 12
  }
  return chunks
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [at, value] of values.entries()) bytes.writeUInt32BE(value, 4 * at)
  return bytes
}

function written({ type, data }: Chunk): Buffer {
  const content = Buffer.concat([Buffer.from(type, 'latin1'), data])
  return Buffer.concat([numbers(data.length), content, numbers(checksum(content))])
}

/** CRC-32 of PNG; `zlib.crc32` is missing in the oldest supported Node. */
function checksum(bytes: Uint8Array): number {
  let sum = 0xffffffff
  for (const byte of bytes) {
    sum ^= byte
    for (let bit = 0; bit < 8; bit++) sum = sum & 1 ? (sum >>> 1) ^ 0xedb88320 : sum >>> 1
  }
  return (sum ^ 0xffffffff) >>> 0
}

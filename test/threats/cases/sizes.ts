// Upstreams that send too much, or less than they announce.

import { crc32, gzipSync } from 'node:zlib'
import { encodeChunk, encodeFrame } from '../../../sim/clouds/event-stream.ts'
import { encodeEnvelope } from '../../../src/protocols/connect/envelope.ts'

const MiB = 1024 * 1024

/** A frame's head that promises more than comes. */
function promising(length: number, flags = 0): Buffer {
  const head = Buffer.alloc(5)
  head[0] = flags
  head.writeUInt32BE(length, 1)
  return head
}

const zeros = (bytes: number) => gzipSync(Buffer.alloc(bytes), { level: 9 })
const random = Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 251))

/** Frames of a Connect stream, and the expected message. */
export const hostileFrames: readonly { name: string; bytes: Buffer; says: RegExp }[] = [
  { name: '33 MiB in a small frame', bytes: encodeEnvelope(zeros(33 * MiB), 1), says: /unfolds to more than/ },
  { name: '5 MiB at a ratio of a thousand', bytes: encodeEnvelope(zeros(5 * MiB), 1), says: /unfolds to more than/ },
  { name: 'the same as the last frame', bytes: encodeEnvelope(zeros(5 * MiB), 3), says: /unfolds to more than/ },
  { name: 'what is not gzip', bytes: encodeEnvelope(random, 1), says: /not the gzip it claims/ },
  { name: 'half a gzip', bytes: encodeEnvelope(zeros(MiB).subarray(0, 500), 1), says: /not the gzip it claims/ },
  { name: 'a frame of 16 MiB and one byte', bytes: promising(16 * MiB + 1), says: /more than 16777216 are not taken/ },
  { name: 'a frame of 4 GiB', bytes: promising(0xffffffff), says: /more than 16777216 are not taken/ },
  { name: 'a frame of 2 GiB, compressed', bytes: promising(0x80000000, 1), says: /more than 16777216 are not taken/ },
  { name: 'flags that there are not', bytes: promising(4, 0x80), says: /unknown flags/ },
  { name: 'all flags', bytes: promising(4, 0xff), says: /unknown flags/ },
] // biome-ignore format: a table, one frame a line

/** The lengths of a frame of AWS's event stream, with their checksum, and nothing of what they promise. */
function announcing(total: number, headers: number): Buffer {
  const prelude = Buffer.alloc(12)
  prelude.writeUInt32BE(total, 0)
  prelude.writeUInt32BE(headers, 4)
  prelude.writeUInt32BE(crc32(prelude.subarray(0, 8)), 8)
  return prelude
}

const wide = (members: string) => `{"type":"message_start","message":${members}}`
const event = { ':message-type': 'event' }

/** The same of Bedrock's streams. */
export const eventFrames: readonly { name: string; bytes(): Buffer; says: RegExp }[] = [
  { name: 'a frame of 16 MiB and one byte', bytes: () => announcing(16 * MiB + 1, 0), says: /frame of 16777217 bytes/ },
  { name: 'a frame of 4 GiB', bytes: () => announcing(0xffffffff, 0), says: /frame of 4294967295 bytes/ },
  { name: 'headers of 128 KiB and one byte', bytes: () => announcing(MiB, 128 * 1024 + 1), says: /more than the format allows/ },
  { name: 'lengths under a wrong checksum', bytes: () => announcing(MiB, 0).fill(0, 8), says: /wrong checksum of its lengths/ },
  { name: 'an event of 9 MiB', bytes: () => encodeChunk(wide(`"${'x'.repeat(9 * MiB)}"`)), says: /single event of more than 8 MiB/ },
  { name: 'half a million values in an event', bytes: () => encodeChunk(wide(`[${'{},'.repeat(500_000)}{}]`)), says: /200000 JSON values/ },
  { name: 'half a million values beside it', bytes: () => encodeFrame(event, `[${'{},'.repeat(500_000)}{}]`), says: /content is not JSON/ },
] // biome-ignore format: a table, one frame a line

const endless = 'x'.repeat(64 * 1024)

export interface Flood {
  name: string
  status: number
  headers: Readonly<Record<string, string>>
  /** Sent repeatedly until the connection closes, at most this many bytes. */
  piece: string | Buffer
  mostBytes: number
  /** The most that may be sent: what the gateway may read, and what sockets hold, some 36 MiB where the kernel allows one 32. */
  takenBytes: number
  stream?: boolean
}

const json = { 'content-type': 'application/json' }
const eventStream = { 'content-type': 'application/vnd.amazon.eventstream' }
const sse = { 'content-type': 'text/event-stream' }

export const floods: readonly Flood[] = [
  { name: 'an error without end', status: 500, headers: json, piece: endless, mostBytes: 96 * MiB, takenBytes: 40 * MiB },
  { name: 'a redirect without end', status: 302, headers: { ...json, location: '/' }, piece: endless, mostBytes: 96 * MiB, takenBytes: 40 * MiB },
  { name: 'an answer without end', status: 200, headers: json, piece: endless, mostBytes: 160 * MiB, takenBytes: 80 * MiB },
  { name: 'an event without end', status: 200, headers: sse, piece: `data: ${endless}`, mostBytes: 96 * MiB, takenBytes: 48 * MiB, stream: true },
  { name: 'a comment without end', status: 200, headers: sse, piece: `: ${endless}`, mostBytes: 96 * MiB, takenBytes: 48 * MiB, stream: true },
  { name: 'an event of lines without end', status: 200, headers: sse, piece: `data: ${endless}\n`, mostBytes: 96 * MiB, takenBytes: 48 * MiB, stream: true },
  { name: 'a frame without end', status: 200, headers: eventStream, piece: Buffer.concat([announcing(16 * MiB, 0), Buffer.alloc(64 * 1024)]), mostBytes: 96 * MiB, takenBytes: 48 * MiB, stream: true },
] // biome-ignore format: a table, one flood a line

/** Answer headers that together exceed the limit. */
export const headerFloods: readonly { name: string; lines: readonly string[] }[] = [
  { name: 'one of 20 KB', lines: [`x-long: ${'x'.repeat(20_000)}`] },
  {
    name: 'a thousand of 40 bytes',
    lines: Array.from({ length: 1_000 }, (_, at) => `x-${at}: ${'x'.repeat(30)}`),
  },
  { name: 'a name of 20 KB', lines: [`${'x'.repeat(20_000)}: y`] },
]

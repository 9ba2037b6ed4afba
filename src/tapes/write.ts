// A tape as text: JSON lines, scrubbed by value. A secret may have come in two pieces, so pieces that follow each other on one
// wire are looked at together; a message of a run is bytes, and keeps its length.

import type { Scrubber } from '../observe/scrub.ts'
import type { Content, Frame } from './frame.ts'
import type { Tape } from './tape.ts'

export function tapeText(tape: Pick<Tape, 'head' | 'frames'>, scrubber: Scrubber): string {
  const frames = scrubbedFrames(tape.frames, scrubber)
  const lines = frames.map(({ at, turn, ...body }) => ({ at, turn, ...body }))
  return [tape.head, ...lines].map((line) => `${JSON.stringify(line)}\n`).join('')
}

export function scrubbedFrames(frames: readonly Frame[], scrubber: Scrubber): Frame[] {
  const clean = frames.map((frame) => scrubbed(frame, scrubber))
  const wires = new Map<string, number[]>()
  for (const [at, frame] of frames.entries()) {
    if (frame.do !== 'write' && frame.do !== 'data') continue
    const wire = frame.side === 'client' ? 'client' : `upstream ${frame.exchange}`
    const known = wires.get(wire)
    if (known) known.push(at)
    else wires.set(wire, [at])
  }
  for (const places of wires.values()) {
    const texts = places.filter((at) => 'text' in (frames[at] as Frame))
    scrubTogether(clean, texts, (pieces) => scrubber.scrubPieces(pieces), 'utf8')
    // A piece that ends within a character is bytes, and its neighbours are text.
    if (texts.length < places.length)
      scrubTogether(clean, places, (pieces) => scrubber.scrubPieces(pieces), 'latin1')
  }
  return clean
}

/** `latin1`: a character for each byte. */
function scrubTogether(
  frames: Frame[],
  places: readonly number[],
  scrub: (pieces: string[]) => string[],
  encoding: 'utf8' | 'latin1',
): void {
  const contents = places.map((at) => frames[at] as Frame & Content)
  const isPlain = encoding === 'utf8'
  const pieces = contents.map((content) => {
    if ('base64' in content) return Buffer.from(content.base64, 'base64').toString(encoding)
    return isPlain ? content.text : Buffer.from(content.text).toString(encoding)
  })
  const texts = scrub(pieces)
  for (const [nth, at] of places.entries()) {
    const text = texts[nth] as string
    if (text === pieces[nth] && !isPlain) continue
    const bytes = () => Buffer.from(text, encoding)
    const content = contents[nth] as Content
    const changed =
      'base64' in content
        ? { base64: bytes().toString('base64') }
        : { text: isPlain ? text : bytes().toString() }
    frames[at] = { ...(frames[at] as Frame), ...changed } as Frame
  }
}

/** Every text in it but the pieces of a wire, which are looked at together. */
function scrubbed(frame: Frame, scrubber: Scrubber): Frame {
  return Object.fromEntries(
    Object.entries(frame).map(([name, value]) => {
      if (name === 'text' && frame.side !== 'gateway') return [name, value]
      if (name === 'base64') return [name, scrubbedBytes(String(value), scrubber)]
      return [name, cleanValue(value, scrubber)]
    }),
  ) as Frame
}

function scrubbedBytes(base64: string, scrubber: Scrubber): string {
  const bytes = Buffer.from(base64, 'base64')
  return scrubber.scrubBytes(bytes) ? bytes.toString('base64') : base64
}

function cleanValue(value: unknown, scrubber: Scrubber): unknown {
  if (typeof value === 'string') return scrubber.scrub(value)
  if (Array.isArray(value)) return value.map((one) => cleanValue(one, scrubber))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleanValue(one, scrubber)]))
}

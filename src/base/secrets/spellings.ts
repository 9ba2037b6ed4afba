// Spellings of a secret that is known by value. Encodings that views decode (JSON, percent, colours) are not needed here.

import { viewsOf } from './views.ts'

export const shortestSecret = 6

/** The value itself; as views decode it, if it holds escapes; and its bytes read as Latin-1. */
export function spellings(value: string): string[] {
  const decoded = [...viewsOf(value), ...viewsOf(value.replaceAll('\\', '\\\\'))].flatMap(
    (view) => view?.text ?? [],
  )
  return decoded
    .flatMap((text) => [text, Buffer.from(text).toString('latin1')])
    .filter((text) => text.length >= shortestSecret)
}

/** Base64 at each of its three alignments, and hex. */
export function encodings(value: string): string[] {
  const bytes = Buffer.from(value)
  const hex = bytes.toString('hex')
  return [...[0, 1, 2].flatMap((before) => inBase64(bytes, before)), hex, hex.toUpperCase()]
}

/** The base64 characters that depend on the secret alone, if `before` bytes precede it. */
function inBase64(bytes: Buffer, before: number): string[] {
  const text = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
  const own = text.slice(Math.ceil((before * 8) / 6), Math.floor(((before + bytes.length) * 8) / 6))
  return [own, own.replaceAll('+', '-').replaceAll('/', '_')]
}

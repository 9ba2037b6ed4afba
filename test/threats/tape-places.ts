// The places of text on a tape, and a check that a secret is gone.

import { expect } from 'vitest'
import type { Frame, FrameBody } from '../../src/tapes/frame.ts'
import type { Writing } from './cases/secret-forms.ts'

const event = (delta: unknown) => `data: ${JSON.stringify({ choices: [{ index: 1, delta }] })}\n\n`
const deltasOf = (stream: string) =>
  stream
    .split('\n')
    .filter((line) => line.startsWith('data: '))
    .map((line) => JSON.parse(line.slice(6)).choices[0].delta)

/** How a text gets there, in pieces, and how it is read from there. */
export interface Place {
  name: string
  put(pieces: readonly string[]): FrameBody[]
  take(frames: readonly Frame[]): string
}

export const places: readonly Place[] = [
  {
    name: 'a request',
    put: (pieces) => [request({}, JSON.stringify({ content: pieces.join('') }))],
    take: (frames) => JSON.parse(requestOf(frames).body).content,
  },
  {
    name: 'the name of a header',
    put: (pieces) => [request({ [pieces.join('')]: 'x' }, '{}')],
    take: (frames) => Object.keys(requestOf(frames).headers).join(),
  },
  {
    name: 'a header',
    put: (pieces) => [request({ 'x-note': pieces.join('') }, '{}')],
    take: (frames) => requestOf(frames).headers['x-note'] ?? '',
  },
  {
    name: 'a name in JSON',
    put: (pieces) => [request({}, JSON.stringify({ [pieces.join('')]: 1 }))],
    take: (frames) => Object.keys(JSON.parse(requestOf(frames).body)).join(),
  },
  {
    name: 'writes',
    put: (pieces) => pieces.map((text) => ({ side: 'client', do: 'write', text })),
    take: textOf,
  },
  {
    name: 'deltas',
    put: (pieces) => pieces.map((content) => ({ side: 'client', do: 'write', text: event({ content }) })),
    take: (frames) =>
      deltasOf(textOf(frames))
        .map(({ content }) => content)
        .join(''),
  },
  {
    name: 'streamed arguments',
    put: (pieces) => {
      const whole = JSON.stringify({ input: pieces.join('') })
      const size = Math.max(1, Math.ceil(whole.length / pieces.length))
      const cut = pieces.map((_, at) => whole.slice(at * size, (at + 1) * size))
      const call = (text: string) => ({ tool_calls: [{ index: 0, function: { arguments: text } }] })
      return cut.map((text) => ({ side: 'client', do: 'write', text: event(call(text)) }))
    },
    take: (frames) => {
      const deltas = deltasOf(textOf(frames)).map(({ tool_calls: [call] }) => call.function.arguments)
      return JSON.parse(deltas.join('')).input
    },
  },
]

const request = (headers: Record<string, string>, body: string): FrameBody => ({
  ...{ side: 'client', do: 'request', method: 'POST', path: '/x', headers, body },
})
const requestOf = (frames: readonly Frame[]) => {
  const found = frames.findLast((frame) => frame.side === 'client' && frame.do === 'request')
  return found as Extract<FrameBody, { do: 'request'; side: 'client' }>
}
export function textOf(frames: readonly Frame[]): string {
  const writes = frames.flatMap((frame) => (frame.do === 'write' ? [frame.text] : []))
  return writes.slice(1).join('')
}

export function cutBy(text: string, sizes: readonly number[]): string[] {
  const pieces: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = at + (sizes[pieces.length % sizes.length] ?? 1)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

/** Half of it is as bad. */
const halves = (secret: string) => [
  secret.slice(0, Math.ceil(secret.length / 2)),
  secret.slice(Math.floor(secret.length / 2)),
]

export function expectGone(frames: readonly Frame[], place: Place, { read }: Writing, secret: string) {
  const taken = place.take(frames)
  const shown = [taken, readOrNothing(read, taken)]
  for (const half of halves(secret)) expect(shown.filter((text) => text.includes(half))).toEqual([])
}

/** The filler may have replaced parts that made it readable. */
function readOrNothing(read: (text: string) => string, text: string): string {
  try {
    return read(text)
  } catch {
    return ''
  }
}

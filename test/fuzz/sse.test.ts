// Events are read one at a time where they come so: whatever came, and however it was cut, the result is that of the library.

import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createSseReader, type SseMessage } from '../../src/protocols/streams/sse.ts'
import { fuzz } from './settings.ts'

const value = fc.constantFrom('', ' ', '{"a":1}', 'x\ry', ' two', '[DONE]', 'é😀', 'a:b')
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom('data: ', 'data:', 'data:  '), value).map((two) => two.join('')),
  },
  {
    weight: 3,
    arbitrary: fc.constantFrom('event: delta', 'event:delta', 'event: other', 'event: ', 'event'),
  },
  fc.constantFrom(': comment', 'id: 1', 'retry: 5', 'retry: x', 'data', 'database: 1', '\ufeffdata: y'),
)
const event = fc
  .tuple(fc.array(line, { maxLength: 3 }), fc.constantFrom('\n', '\n', '\n', '\r\n', '\r'))
  .map(([lines, end]) => `${lines.map((one) => one + end).join('')}${end}`)
const usual = fc
  .tuple(fc.constantFrom('', 'event: delta\n'), value)
  .map(([name, data]) => `${name}data: ${data}\n\n`)
const stream = fc.array(fc.oneof(event, { weight: 3, arbitrary: usual }), { minLength: 1, maxLength: 8 })

/** Whole events to a chunk, or cuts anywhere. */
const chunks = fc.oneof(
  stream,
  fc.tuple(stream, fc.array(fc.nat(60), { maxLength: 8 })).map(([events, lengths]) => {
    const all = events.join('')
    const cut: string[] = []
    let at = 0
    for (const length of lengths) {
      cut.push(all.slice(at, at + length))
      at += length
    }
    return [...cut, all.slice(at)]
  }),
)

function byLibrary(text: string): SseMessage[] {
  const messages: SseMessage[] = []
  const parser = createParser({ onEvent: ({ event: name, data }) => messages.push({ event: name, data }) })
  parser.feed(new TextDecoder().decode(Buffer.from(text)))
  parser.feed('\n\n')
  return messages
}

it('reads what the library reads', () => {
  fc.assert(
    fc.property(chunks, (parts) => {
      const whole = parts.join('')
      const reader = createSseReader()
      const bytes = parts.map((part) => Buffer.from(part))
      // A character of two halves may have been cut between them.
      fc.pre(Buffer.concat(bytes).equals(Buffer.from(whole)))
      const read = [...bytes.flatMap((part) => reader.push(part)), ...reader.end()]
      expect(read.map(({ event: name, data }) => ({ event: name, data }))).toEqual(byLibrary(whole))
    }),
    fuzz,
  )
})

it('refuses an event of more than 8 MiB, however it comes', () => {
  const small = 'data: x\n\n'
  const large = `data: ${'x'.repeat(8 * 1024 * 1024 + 1)}\n\n`
  for (const parts of [
    [large],
    [small + large],
    [small, large],
    [small, large.slice(0, 9), large.slice(9)],
  ]) {
    const reader = createSseReader()
    expect(() => parts.map((part) => reader.push(Buffer.from(part)))).toThrow('more than 8 MiB')
  }
})

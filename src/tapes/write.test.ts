import { describe, expect, it } from 'vitest'
import { finish } from '../base/slices.ts'
import { Scrubber } from '../observe/scrub.ts'
import type { FrameBody } from './frame.ts'
import { Tape } from './tape.ts'
import { tapFor } from './turn-tap.ts'
import { tapeTextSteps } from './write.ts'

const secret = 'sk-canary-123456'
const scrubber = new Scrubber()
scrubber.add(secret, 'pässwörd-123')

function tapeOf(maxBytes = 1_000_000) {
  const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'recorded' } as const
  return new Tape({ head, turn: 'turn_a', maxBytes })
}

/** The text on the tape, with base64 decoded. */
const readable = (tape: Tape) =>
  finish(tapeTextSteps(tape, scrubber))
    .trimEnd()
    .split('\n')
    .slice(1)
    .map((line) => JSON.parse(line) as FrameBody)
    .map((frame) =>
      'base64' in frame ? Buffer.from(frame.base64, 'base64').toString() : 'text' in frame && frame.text,
    )
    .join('')

describe('the pieces of a wire', () => {
  it.each([secret, 'pässwörd-123'])('hold no secret, wherever they are cut: %s', (own) => {
    const whole = Buffer.from(`data: ä ${own} ö ${own}ü\n\n`)
    for (let first = 1; first < whole.length; first++)
      for (const length of [1, 5, 20]) {
        const tape = tapeOf()
        const exchange = tapFor(tape).exchange({
          ...{ backend: 'b', origin: 'http://b', path: '/', method: 'POST', headers: {}, body: '' },
        })
        exchange.data(whole.subarray(0, first), false)
        for (let at = first; at < whole.length; at += length)
          exchange.data(whole.subarray(at, at + length), false)
        const text = readable(tape)
        expect(text).not.toContain(own)
      }
  })

  it('stay unchanged without secrets', () => {
    const tape = tapeOf()
    const pieces = [Buffer.from('data: a'), Buffer.from([0xc3]), Buffer.from([0xa4]), Buffer.from(' b')]
    const exchange = tapFor(tape).exchange({
      ...{ backend: 'b', origin: 'http://b', path: '/', method: 'POST', headers: {}, body: '' },
    })
    for (const piece of pieces) exchange.data(piece, false)
    const [, , ...lines] = finish(tapeTextSteps(tape, scrubber)).trimEnd().split('\n')
    const contents = lines.map((line) => JSON.parse(line) as FrameBody)
    expect(contents).toMatchObject([
      { text: 'data: a' },
      { base64: 'ww==' },
      { base64: 'pA==' },
      { text: ' b' },
    ])
  })
})

describe('headers', () => {
  it('with secret names lose their values', () => {
    const tape = tapeOf()
    const secrets = [
      'Authorization',
      'api-key',
      'x-goog-api-key',
      'x-amz-security-token',
      'Cookie',
      'x-auth',
      'x-cursor-checksum',
    ]
    const others = ['content-type', 'anthropic-ratelimit-tokens-remaining', 'x-request-id', 'retry-after']
    const headers = Object.fromEntries([...secrets, ...others].map((name) => [name, 'abc']))
    tapFor(tape).exchange({ backend: 'b', origin: 'http://b', path: '/', method: 'POST', headers, body: '' })
    const [frame] = tape.frames
    expect(frame).toMatchObject({
      headers: Object.fromEntries([
        ...secrets.map((name) => [name, '[removed]']),
        ...others.map((name) => [name, 'abc']),
      ]),
    })
  })
})

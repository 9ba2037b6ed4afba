import { create, toBinary } from '@bufbuild/protobuf'
import { describe, expect, it } from 'vitest'
import { AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { findSecrets, withoutSecrets } from './find-secrets.ts'
import type { FrameBody } from './frame.ts'
import { madeTape } from './read.fixture.ts'
import type { ReadTape } from './read.ts'
import { slotsOf } from './slots.ts'
import { linesOf } from './tape-file.ts'

const tapeWith = (...more: FrameBody[]) => madeTape('turn_a', {}, more)
/** The first of the frames that were put in. */
const firstLine = 11

const lengthsOf = (tape: ReadTape) => slotsOf(tape).map((slot) => slot.read().length)

/** Found at these lines, and gone afterwards, while everything else stays in its place. */
function expectFound(tape: ReadTape, lines: readonly number[], secret: string): void {
  expect(findSecrets(tape).map(({ line }) => line)).toEqual(lines)
  expect(JSON.stringify(findSecrets(tape))).not.toContain(secret)
  const clean = withoutSecrets(tape)
  expect(findSecrets(clean)).toEqual([])
  expect(linesOf([clean])).not.toContain(secret)
  expect(lengthsOf(clean)).toEqual(lengthsOf(tape))
}

const secrets: [what: string, secret: string][] = [
  ['Anthropic', 'sk-ant-api03-AbCdEfGhIjKlMnOp'],
  ['API key', 'sk-proj-1234567890abcdefghij'],
  ['API key', 'sk-1234567890abcdefghijklmn'],
  ['Cursor', 'crsr_0123456789abcdef0123'],
  ['GitHub', 'ghp_0123456789abcdefghij0123'],
  ['GitHub', 'github_pat_0123456789abcdefghij'],
  ['AWS', 'AKIAIOSFODNN7EXAMPLE'],
  ['Google', `AIza${'a1'.repeat(17)}b`],
  ['Slack', 'xoxb-123456789012-abc'],
  ['JSON web token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVPmB92K'],
]

describe('a secret on a tape', () => {
  it.each(secrets)('%s: %s', (what, secret) => {
    const tape = tapeWith({ side: 'gateway', do: 'note', text: `the key is "${secret}", he said` })
    expectFound(tape, [firstLine], secret)
    expect(findSecrets(tape)[0]?.what).toContain(what)
  })

  it('a bearer token, and the lines of a private key', () => {
    const token = 'abcdef0123456789abcdef'
    expectFound(
      tapeWith({ side: 'client', do: 'write', text: `-H "Authorization: Bearer ${token}"` }),
      [firstLine],
      token,
    )
    const key =
      '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA7\nabcdefghijklmnop\n-----END RSA PRIVATE KEY-----'
    for (const text of [key, JSON.stringify({ content: key })])
      expectFound(tapeWith({ side: 'client', do: 'write', text }), [firstLine], 'MIIEowIBAAKCAQEA7')
  })

  it.each(['authorization', 'X-Api-Key', 'Cookie'])('the value of %s, whatever it looks like', (name) => {
    const response = (value: string): FrameBody => ({
      ...{ side: 'upstream', do: 'response', exchange: 1, status: 200 },
      headers: { [name]: value },
    })
    expectFound(tapeWith(response('open sesame')), [firstLine], 'open sesame')
    for (const value of ['[removed]', '[secret]', 'Bearer [secret]', 'Bearer [removed]', ''])
      expect(findSecrets(tapeWith(response(value)))).toEqual([])
  })

  it('in the settings of a backend, in a request, in the head', () => {
    const [, secret] = secrets[0] as [string, string]
    const target = { side: 'gateway', do: 'target', backend: 'b', kind: 'openai', model: 'm' } as const
    expectFound(tapeWith({ ...target, settings: { headers: { a: [secret] } } }), [firstLine], secret)
    expectFound(madeTape('turn_a', { title: secret }), [1], secret)
  })

  const [, secret] = secrets[0] as [string, string]
  const pieces = [...secret].map((char) => char)
  const written = (text: string): FrameBody => ({ side: 'client', do: 'write', text })
  const came = (text: string): FrameBody => ({ side: 'upstream', do: 'data', exchange: 1, text })

  it.each([
    ['writes', written],
    ['pieces of an answer', came],
  ])('cut into single characters, over %s', (_what, frame) => {
    expectFound(tapeWith(frame('my key: '), ...pieces.map(frame), frame('!')), [firstLine + 1], secret)
  })

  it.each([
    ['chat', (text: string) => ({ choices: [{ index: 0, delta: { content: text } }] })],
    [
      'chat arguments',
      (text: string) => ({
        choices: [{ delta: { tool_calls: [{ index: 1, function: { arguments: text } }] } }],
      }),
    ],
    [
      'messages',
      (text: string) => ({ type: 'content_block_delta', index: 2, delta: { type: 'text_delta', text } }),
    ],
    [
      'messages input',
      (text: string) => ({ type: 'content_block_delta', index: 2, delta: { partial_json: text } }),
    ],
    ['responses', (text: string) => ({ type: 'response.output_text.delta', delta: text })],
  ])('cut into events of %s', (_what, event) => {
    const events = ['say "', ...pieces, '"'].map((piece) => `data: ${JSON.stringify(event(piece))}\n\n`)
    const tape = tapeWith(...events.map(written))
    expectFound(tape, [firstLine + 1], secret)
    const text = withoutSecrets(tape).frames.flatMap((frame) => ('text' in frame ? [frame.text] : []))
    // Each is still an event.
    for (const line of text.join('').matchAll(/^data: (.*)$/gm))
      expect(() => JSON.parse(line[1] ?? '')).not.toThrow()
  })

  it('in the messages of a run, whole and in pieces', () => {
    const received = (text: string): FrameBody => {
      const value = { message: { case: 'textDelta' as const, value: { text } } }
      const message = create(AgentServerMessageSchema, { message: { case: 'interactionUpdate', value } })
      const base64 = Buffer.from(toBinary(AgentServerMessageSchema, message)).toString('base64')
      return { side: 'run', do: 'received', exchange: 1, base64 }
    }
    const all = ({ frames }: ReadTape) =>
      frames
        .map((frame) => ('base64' in frame ? Buffer.from(frame.base64, 'base64').toString('latin1') : ''))
        .join('')
    const whole = tapeWith(received(`é ${secret}`))
    expectFound(whole, [firstLine], secret)
    expect(all(withoutSecrets(whole))).not.toContain(secret)
    expectFound(tapeWith(received('key: '), ...pieces.map(received)), [firstLine + 1], secret)
  })
})

describe('what only sounds like a secret is left alone', () => {
  it.each([
    'sk-ant- is how they begin; use your sk-… key',
    'the task-scheduler-of-the-world-and-more, class sk-fading-circle-of-loading-dots',
    'Authorization: Bearer YOUR_KEY, Bearer authentication is used',
    'AKIA, ghp_, xoxb- and eyJ are prefixes',
    '-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A\n-----END PUBLIC KEY-----',
    'Bearer [secret] and sk-ant-[secret]',
    'call sess_0123456789ab__call_1, toolu_01A09q90qw90lq917835lq9, chatcmpl-abcdefghijklmnop',
    'c2stYW50LWFwaTAzLUFiQ2RFZkdoSWpLbE1uT3A=',
  ])('%s', (text) => {
    expect(findSecrets(tapeWith({ side: 'client', do: 'write', text }))).toEqual([])
  })
})

import { create, toBinary } from '@bufbuild/protobuf'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { fuzzShare } from '../../test/fuzz/settings.ts'
import { fillerOf } from '../base/secrets/taken-out.ts'
import { finish } from '../base/slices.ts'
import { findSecrets, withoutSecrets } from './find-secrets.ts'
import type { FrameBody } from './frame.ts'
import { madeTape } from './read.fixture.ts'
import type { ReadTape } from './read.ts'
import { linesOf } from './tape-file.ts'
import { slotsOf } from './text-slots.ts'

const tapeWith = (...more: FrameBody[]) => madeTape('turn_a', {}, more)
/** The line of the first additional frame. */
const firstLine = 11

const lengthsOf = (tape: ReadTape) => finish(slotsOf(tape)).all.map((slot) => slot.read().length)

/** Expects a finding at each of these lines, the secret masked, and everything else unchanged. */
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

  it('is found as a bearer token and as lines of a private key', () => {
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

  it.each(['authorization', 'X-Api-Key', 'Cookie'])('is any value of the header %s', (name) => {
    const response = (value: string): FrameBody => ({
      ...{ side: 'upstream', do: 'response', exchange: 1, status: 200 },
      headers: { [name]: value },
    })
    expectFound(tapeWith(response('open sesame')), [firstLine], 'open sesame')
    for (const value of ['[removed]', '[secret]', 'Bearer [secret]', 'Bearer [removed]', ''])
      expect(findSecrets(tapeWith(response(value)))).toEqual([])
  })

  it.each(['\n', '\t', '\u2028', '\ud800', '\\'])(
    'is found after %j, in JSON and in JSON inside JSON',
    (before) => {
      const [, secret] = secrets[1] as [string, string]
      const json = JSON.stringify({ content: `${before}${secret}${before}` })
      for (const text of [json, JSON.stringify({ arguments: json })])
        expectFound(tapeWith({ side: 'client', do: 'write', text }), [firstLine], secret)
    },
  )

  it('is found in backend settings, in a request and in the head', () => {
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
  ])('is found in single characters over %s', (_what, frame) => {
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
  ])('is found in events of %s', (_what, event) => {
    const events = ['say "', ...pieces, '"'].map((piece) => `data: ${JSON.stringify(event(piece))}\n\n`)
    const tape = tapeWith(...events.map(written))
    expectFound(tape, [firstLine + 1], secret)
    const text = withoutSecrets(tape).frames.flatMap((frame) => ('text' in frame ? [frame.text] : []))
    // Every event stays valid JSON.
    for (const line of text.join('').matchAll(/^data: (.*)$/gm))
      expect(() => JSON.parse(line[1] ?? '')).not.toThrow()
  })

  it('is found in the messages of a run, whole and in pieces', () => {
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

describe('is found wherever a stream is cut', () => {
  const [, secret] = secrets[0] as [string, string]
  const event = (text: string) => `data: ${JSON.stringify({ delta: { text } })}\n\n`
  const said = (stream: string) =>
    stream
      .split('\n')
      .filter((line) => line.startsWith('data: '))
      .map((line) => JSON.parse(line.slice('data: '.length)).delta.text)
      .join('')
  const words = fc.string({ unit: 'grapheme' })
  const cuts = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 40 })

  function cutBy(text: string, sizes: readonly number[]): string[] {
    const pieces: string[] = []
    for (let rest = text; rest !== ''; ) {
      const length = sizes[pieces.length % sizes.length] ?? 1
      pieces.push(rest.slice(0, length))
      rest = rest.slice(length)
    }
    return pieces
  }

  it.each([
    ['raw', (text: string) => text, (stream: string) => stream],
    ['in events', event, said],
  ])('%s: a secret is found and filled in, and nothing else is touched', (_how, write, read) => {
    fc.assert(
      fc.property(words, words, cuts, (before, behind, sizes) => {
        fc.pre(!/[A-Za-z0-9_-]$/.test(before) && !/^[A-Za-z0-9_-]/.test(behind))
        const pieces = cutBy(before + secret + behind, sizes)
        const tape = tapeWith(
          ...pieces.map((piece): FrameBody => ({ side: 'client', do: 'write', text: write(piece) })),
        )
        const writes = withoutSecrets(tape).frames.flatMap((frame) =>
          frame.do === 'write' ? [frame.text] : [],
        )
        const text = read(writes.slice(1).join(''))
        expect(text).toBe(before + fillerOf(secret.length) + behind)
      }),
      fuzzShare(0.3),
    )
  })
})

describe('is not confused with text that only resembles one', () => {
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

describe('the place of a secret', () => {
  const [, secret] = secrets[0] as [string, string]
  const request = (body: string, headers = {}): FrameBody => ({
    ...{ side: 'client', do: 'request', method: 'POST', path: '/v1/chat/completions', headers, body },
  })
  const placesOf = (...more: FrameBody[]) => findSecrets(tapeWith(...more)).map(({ place }) => place)
  const messages = ['"quoted" \\ {[', secret, { content: [1, { text: `a ${secret}` }] }]
  const event = (content: string) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`

  it.each<[string, FrameBody, string[]]>([
    [
      'a body',
      request(JSON.stringify({ model: 'm', messages })),
      ['client request, messages[1]', 'client request, messages[2].content[1].text'],
    ],
    [
      'a body that is cut',
      request(`{"messages":[{},{"content":"${secret}`),
      ['client request, messages[1].content'],
    ],
    ['a body that is no JSON', request(`key=${secret}`), ['client request']],
    ['a header', request('{}', { 'x-trace': secret }), ['client request, headers.x-trace']],
    [
      'an event of a stream',
      { side: 'upstream', do: 'data', exchange: 2, text: event('Hi') + event(secret) },
      ['upstream #2 data, choices[0].delta.content'],
    ],
    ['a note', { side: 'gateway', do: 'note', text: `x ${secret}` }, ['gateway note']],
    [
      'a list of a frame',
      {
        ...{ side: 'tool', do: 'offer', tools: ['a', secret], root: '/' },
        settings: { maxRuns: 1, progress: 'off', outputBytes: 1 },
      },
      ['tool offer, tools.1'],
    ],
  ])('is named: %s', (_case, frame, places) => {
    expect(placesOf(frame)).toEqual(places)
  })

  it('is short and holds no secret, whatever names the client sends', () => {
    const deep = `${'{"a long name":'.repeat(99)}"${secret}"`
    for (const body of [deep, JSON.stringify({ [secret]: { x: secret } }), `{"a\n\u001b[31m":"${secret}"}`])
      for (const place of placesOf(request(body))) {
        expect(place).not.toContain(secret)
        expect(place).toMatch(/^[^\p{Cc}\p{Cf}]{1,200}$/u)
      }
  })
})

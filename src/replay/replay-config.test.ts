import { describe, expect, it } from 'vitest'
import type { Frame } from '../tapes/frame.ts'
import type { ReadTape } from '../tapes/read.ts'
import { replay } from './replay.ts'
import { replayConfig } from './replay-config.ts'

const url = 'http://127.0.0.1:9'

function tapeWith(
  settings: Record<string, unknown>,
  { kind = 'openai', backend = 'box', method = 'POST' } = {},
) {
  const shared = { at: 0, turn: 'turn_a' }
  const frames: Frame[] = [
    {
      ...shared,
      ...{ side: 'gateway', do: 'begin', door: 'openai-chat', model: `${backend}/m` },
      ...{ stream: false, key: 'k', createdAt: 1 },
    },
    {
      ...shared,
      ...{ side: 'client', do: 'request', method, path: '/v1/chat/completions', headers: {}, body: '{}' },
    },
    { ...shared, side: 'gateway', do: 'target', backend, kind, model: 'm', settings },
  ]
  const head = { tape: 1, dragoman: '0', recordedAt: '', origin: 'made' } as const
  return { head, line: 1, turn: 'turn_a', frames, lines: [2, 3, 4] } satisfies ReadTape
}

describe('the backends of a tape', () => {
  it('behave as the tape says', () => {
    const { backends } = replayConfig([tapeWith({ kind: 'openai', tools: 'text' })])
    expect(backends.box).toMatchObject({ kind: 'openai', tools: 'text', baseUrl: url })
  })

  it.each([
    ['a proxy', 'openai', { connect: { proxy: 'http://203.0.113.1:8080' } }],
    ['a file', 'openai', { connect: { ca: '/etc/passwd' } }],
    ['headers', 'anthropic', { headers: { 'x-extra': 'yes' } }],
    ['another address', 'anthropic', { baseUrl: 'http://203.0.113.1' }],
    ['another login', 'cursor', { accessToken: 'other', apiKey: 'other', websiteUrl: 'http://203.0.113.1' }],
    ['what this machine is', 'cursor', { checksum: 'machine', workspace: '/etc' }],
  ])('are on this machine only, even if the tape names %s', (_what, kind, settings) => {
    const plain = replayConfig([tapeWith({}, { kind })])
    expect(replayConfig([tapeWith(settings, { kind })])).toEqual(plain)
  })

  it.each([
    ['a setting of a wrong kind', tapeWith({ tools: ['native'] })],
    ['an invalid name', tapeWith({}, { backend: '../box' })],
  ])('with %s are refused', (_what, tape) => {
    expect(() => replayConfig([tape])).toThrow('turn_a: cannot be replayed')
  })

  it('are refused if no client could have sent the request', async () => {
    await expect(replay([tapeWith({}, { method: 'CONNECT' })])).rejects.toThrow('turn_a: cannot be replayed')
  })
})

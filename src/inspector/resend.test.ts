import { describe, expect, it } from 'vitest'
import type { Frame } from '../tapes/frame.ts'
import { resentRequest } from './resend.ts'

const headers = {
  'user-agent': 'x/1',
  authorization: '[removed]',
  'x-session-id': 's',
  'anthropic-version': 'v',
}
const frames = (body: string, path = '/v1/messages'): Frame[] => [
  { at: 0, turn: 'turn_a', side: 'client', do: 'request', method: 'POST', path, headers, body },
]

describe('a request that is sent again', () => {
  it('has the bytes of the client, and its headers without credentials and sessions', () => {
    const body = '{"model": "a",  "temperature": 1.0}'
    expect(resentRequest(frames(body), undefined)).toEqual({
      path: '/v1/messages',
      headers: { 'content-type': 'application/json', 'user-agent': 'x/1', 'anthropic-version': 'v' },
      body,
    })
  })

  it('takes another model, in the body or in the path', () => {
    expect(resentRequest(frames('{"model":"a","n":1}'), 'b/c').body).toBe('{"model":"b/c","n":1}')
    const gemini = frames('{"contents":[]}', '/v1beta/models/a:streamGenerateContent?alt=sse')
    expect(resentRequest(gemini, 'b/c d')).toMatchObject({
      path: '/v1beta/models/b/c%20d:streamGenerateContent?alt=sse',
      body: '{"contents":[]}',
    })
  })

  it.each([
    ['was not kept', [], 409, 'not kept'],
    ['is no JSON', frames('no'), 409, 'no JSON object'],
    [
      'was refused for its size',
      [
        {
          ...{ at: 0, turn: 'turn_a', side: 'gateway', do: 'finish', outcome: 'payload-too-large', calls: 0 },
          ...{ inputTokens: 0, outputTokens: 0, error: { code: 'payload-too-large', message: '' } },
        } as Frame,
      ],
      413,
      'limits.bodyBytes',
    ],
  ] as [string, Frame[], number, string][])('is refused if it %s', (_name, of, status, words) => {
    expect(() => resentRequest(of, undefined)).toThrow(
      expect.objectContaining({ status, message: expect.stringContaining(words) }),
    )
  })
})

// A small hand-made tape.

import type { FrameBody, TapeHead } from './frame.ts'
import type { ReadTape } from './read.ts'

export function madeTape(
  turn = 'turn_a',
  head: Partial<TapeHead> = {},
  more: readonly FrameBody[] = [],
): ReadTape {
  const body = JSON.stringify({
    model: 'box/m',
    stream: true,
    messages: [{ role: 'user', content: 'Hello' }],
  })
  const event = 'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":null}]}\n\n'
  const bodies: FrameBody[] = [
    {
      ...{ side: 'gateway', do: 'begin', door: 'openai-chat', model: 'box/m', stream: true, key: 'me' },
      createdAt: 1_700_000_000,
    },
    { side: 'client', do: 'request', method: 'POST', path: '/v1/chat/completions', headers: {}, body },
    {
      side: 'gateway',
      do: 'target',
      backend: 'box',
      kind: 'openai',
      model: 'm',
      settings: { kind: 'openai' },
    },
    {
      ...{ side: 'upstream', do: 'request', exchange: 1, backend: 'box', origin: 'http://127.0.0.1:8000' },
      ...{ path: '/v1/chat/completions', headers: {}, method: 'POST', body },
    },
    {
      side: 'upstream',
      do: 'response',
      exchange: 1,
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
    },
    { side: 'upstream', do: 'data', exchange: 1, text: event },
    { side: 'client', do: 'response', status: 200, headers: { 'content-type': 'text/event-stream' } },
    { side: 'client', do: 'write', text: event },
    { side: 'upstream', do: 'end', exchange: 1 },
    ...more,
    { side: 'client', do: 'end' },
    { side: 'gateway', do: 'finish', outcome: 'stop', calls: 0, inputTokens: 1, outputTokens: 1 },
  ]
  return {
    head: { tape: 1, dragoman: '0.0.0', recordedAt: '2026-01-01T00:00:00.000Z', origin: 'made', ...head },
    line: 1,
    turn,
    frames: bodies.map((one, at) => ({ at, turn, ...one })),
    lines: bodies.map((_, at) => at + 2),
  }
}

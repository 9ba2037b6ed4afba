// T10 to T17: how answers of upstreams end, and how that must look to a client. docs/wire-cases.md explains each case.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { chat, readTool } from '../harness.ts'
import {
  bench,
  calls,
  finish,
  models,
  notesOf,
  stream,
  useAnswerBench,
  whole,
  wholeCalls,
} from './answer-bench.ts'
import {
  anthropicAnswer,
  anthropicFrame,
  blockDelta,
  blockStart,
  blockStop,
  callDelta,
  chatAnswer,
  chunk,
  done,
  messageEnd,
  messageStart,
  toolUse,
} from './frames.ts'

useAnswerBench()

describe('T10: calls, but the reason says stop', () => {
  it('stream: tool_calls', async () => {
    expect(
      (
        await stream('openai', [
          callDelta({ index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }),
          chunk({}, 'stop'),
          done,
        ])
      ).finishReason,
    ).toBe('tool_calls')
    expect(
      (await stream('anthropic', [{ call: { name: 'read', arguments: {} } }, { end: 'end_turn' }]))
        .finishReason,
    ).toBe('tool_calls')
  })

  it('non-stream: tool_calls', async () => {
    expect(
      finish(
        await whole('openai', [
          chatAnswer(
            { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }] },
            'stop',
          ),
        ]),
      ),
    ).toBe('tool_calls')
    expect(
      finish(
        await whole('anthropic', [
          anthropicAnswer([{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }], 'end_turn'),
        ]),
      ),
    ).toBe('tool_calls')
  })
})

describe('T11: finish reason tool_calls without calls', () => {
  it('stream: an error that can be retried, not an empty stop', async () => {
    const anthropic = await stream('anthropic', [messageStart, ...messageEnd('tool_use')])
    expect([anthropic.status, anthropic.error.code]).toEqual([502, 'upstream_protocol_error'])
    const openai = await stream('openai', [chunk({ role: 'assistant' }), chunk({}, 'tool_calls'), done])
    expect([openai.status, openai.error.code]).toEqual([502, 'upstream_protocol_error'])
  })

  it('non-stream: the same', async () => {
    expect((await whole('anthropic', [anthropicAnswer([], 'tool_use')])).status).toBe(502)
    expect((await whole('openai', [chatAnswer({ content: null }, 'tool_calls')])).status).toBe(502)
  })

  it('text that came all the same is not thrown away: stop, with a note', async () => {
    const answer = await stream('openai', [
      chunk({ content: 'I will read it.' }),
      chunk({}, 'tool_calls'),
      done,
    ])
    expect(answer.finishReason).toBe('stop')
    expect(notesOf(answer)).toContain('announced tool calls')
  })
})

describe('T12: cut off inside the arguments', () => {
  const whole1: Step = { call: { name: 'read', arguments: { path: 'a' }, id: 'toolu_1' } }
  const half: Step = { call: { name: 'write', arguments: '{"path":"b","content":"hal', id: 'toolu_2' } }

  it('stream: length, the complete call kept, the broken one never shown', async () => {
    for (const backend of ['anthropic', 'openai'] as const) {
      const answer = await stream(backend, [
        whole1,
        half,
        { end: backend === 'anthropic' ? 'max_tokens' : 'length' },
      ])
      expect(answer.finishReason).toBe('length')
      expect(calls(answer)).toEqual([['toolu_1', 'read', '{"path":"a"}']])
      expect(answer.raw).not.toContain('toolu_2')
      expect(notesOf(answer)).toContain('cut off')
    }
  })

  it('stream: a call truncated right after its name is not a call without arguments', async () => {
    const anthropic = await stream('anthropic', [
      messageStart,
      toolUse(0, 'toolu_1', 'read'),
      blockStop(0),
      ...messageEnd('max_tokens'),
    ])
    expect([anthropic.finishReason, anthropic.calls]).toEqual(['length', []])
    const openai = await stream('openai', [
      callDelta({ index: 0, id: 'c', type: 'function', function: { name: 'read', arguments: '' } }),
      chunk({}, 'length'),
      done,
    ])
    expect([openai.finishReason, openai.calls]).toEqual(['length', []])
  })

  it('non-stream: the same', async () => {
    const answer = await whole('openai', [
      chatAnswer(
        {
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } },
            {
              id: 'c2',
              type: 'function',
              function: { name: 'write', arguments: '{"path":"b","content":"hal' },
            },
          ],
        },
        'length',
      ),
    ])
    expect(finish(answer)).toBe('length')
    expect(wholeCalls(answer)).toEqual([['c1', 'read', '{"path":"a"}']])
    const anthropic = await whole('anthropic', [
      anthropicAnswer([{ type: 'tool_use', id: 'toolu_1', name: 'read', input: {} }], 'max_tokens'),
    ])
    expect([finish(anthropic), anthropic.json.choices[0].message.tool_calls]).toEqual(['length', undefined])
  })

  it('malformed arguments without a cut are an upstream error, never a call', async () => {
    for (const backend of ['anthropic', 'openai'] as const) {
      const answer = await stream(backend, [
        { call: { name: 'read', arguments: '{"path":', id: 'toolu_1' } },
        { end: backend === 'anthropic' ? 'tool_use' : 'tool_calls' },
      ])
      expect(answer.error.code).toBe('upstream_protocol_error')
    }
  })

  it('malformed arguments in the history are a 400 that names the message', async () => {
    for (const model of Object.values(models)) {
      const answer = await chat(bench.url, {
        model,
        tools: [readTool],
        messages: [
          { role: 'user', content: 'go' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'x' },
        ],
      })
      expect(answer.status).toBe(400)
      expect(answer.json.error.param).toBe('messages[1].tool_calls[0].function.arguments')
    }
  })
})

describe('T13: the upstream dies in mid-answer', () => {
  it.each(['reset', 'fin'] as const)(
    'stream: %s becomes an error and [DONE], never a clean stop',
    async (fault) => {
      for (const backend of ['anthropic', 'openai'] as const) {
        const answer = await stream(backend, [{ say: 'half an ans' }, { wait: 20 }, { fault }])
        expect(answer.text).toContain('half')
        expect(answer.finishReason).toBeUndefined()
        expect(answer.error.type).toBe('server_error')
      }
    },
  )

  it.each(['reset', 'fin'] as const)(
    'stream: %s before anything came is a true HTTP status',
    async (fault) => {
      for (const backend of ['anthropic', 'openai'] as const) {
        const answer = await stream(backend, [{ fault }])
        expect(answer.status).toBe(502)
      }
    },
  )

  it('non-stream: a 502', async () => {
    for (const backend of ['anthropic', 'openai'] as const) {
      expect((await whole(backend, [{ fault: 'reset' }])).status).toBe(502)
    }
  })

  it('Anthropic: message_delta without message_stop is not an end', async () => {
    const [delta] = messageEnd('end_turn')
    const answer = await stream('anthropic', [
      messageStart,
      blockStart(0, { type: 'text', text: '' }),
      blockDelta(0, { type: 'text_delta', text: 'hi' }),
      blockStop(0),
      delta as Step,
      { fault: 'fin' },
    ])
    expect(answer.error.code).toBe('upstream_protocol_error')
  })
})

describe("T14: the protocol's own end counts, [DONE] does not", () => {
  it('stream: finish_reason without [DONE] is a success, even if the connection breaks afterwards', async () => {
    for (const fault of ['fin', 'reset'] as const) {
      const answer = await stream('openai', [
        chunk({ content: 'hi' }),
        chunk({}, 'stop'),
        { wait: 20 },
        { fault },
      ])
      expect([answer.text, answer.finishReason, answer.error]).toEqual(['hi', 'stop', undefined])
    }
  })

  it('stream: [DONE] without finish_reason is concluded from the answer, with a note', async () => {
    const answer = await stream('openai', [chunk({ content: 'hi' }), { wait: 30 }, done])
    expect(answer.comments.join()).toContain('finish_reason')
    expect(answer.finishReason).toBe('stop')
  })

  it('non-stream: a null finish_reason is concluded from the answer', async () => {
    const answer = await whole('openai', [
      chatAnswer(
        { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }] },
        null,
      ),
    ])
    expect(finish(answer)).toBe('tool_calls')
  })
})

describe('T15: an error inside the stream', () => {
  it('stream: the error frame, then [DONE], then the end', async () => {
    const anthropic = await stream('anthropic', [
      { say: 'so far' },
      anthropicFrame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ])
    expect(anthropic.error).toMatchObject({ type: 'server_error', message: 'anthropic: Overloaded' })
    expect(anthropic.text).toBe('so far')
    const openai = await stream('openai', [
      chunk({ content: 'so far' }),
      { frame: { error: { message: 'boom', code: 500 } } },
    ])
    expect(openai.error).toEqual({ message: 'boom', code: 500 })
  })

  it('stream: an error before any content is a true status, even under HTTP 200', async () => {
    const answer = await stream('anthropic', [
      messageStart,
      anthropicFrame({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
    ])
    expect(answer.status).toBe(503)
    const limited = await stream('openai', [
      { frame: { error: { message: 'slow down', type: 'rate_limit_error' } } },
    ])
    expect(limited.status).toBe(429)
  })

  it('non-stream: 200 with an error inside is an error', async () => {
    const answer = await whole('openai', [
      { status: 200, headers: { 'content-type': 'application/json' }, body: { error: { message: 'boom' } } },
    ])
    expect([answer.status, answer.json.error.message]).toEqual([503, 'openai: boom'])
    const other = await whole('anthropic', [
      {
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: { type: 'error', error: { type: 'rate_limit_error', message: 'slow down' } },
      },
    ])
    expect(other.status).toBe(429)
  })
})

describe('T16: comments and empty events', () => {
  it('stream: upstream comments, pings and empty data are swallowed', async () => {
    const answer = await stream('openai', [
      { raw: ': OPENROUTER PROCESSING\n\n' },
      { raw: 'data:\n\n' },
      chunk({ content: 'hi' }),
      { raw: ': ping\n\nevent: ping\ndata: \n\n' },
      chunk({}, 'stop'),
      done,
    ])
    expect([answer.text, answer.comments]).toEqual(['hi', []])
    expect(answer.raw).not.toMatch(/^id:/m)
  })

  it('our own keep-alive is a comment with one newline', async () => {
    const { chatKeepAlive } = await import('../../src/protocols/openai-chat/write.ts')
    expect(chatKeepAlive).toMatch(/^: [^\n]+\n$/)
  })
})

describe('T17: usage', () => {
  const usage = { input_tokens: 10, output_tokens: 5 }

  it('stream: not asked for, not sent', async () => {
    for (const backend of ['anthropic', 'openai'] as const) {
      const answer = await stream(backend, [{ say: 'hi' }])
      expect(answer.usage).toBeUndefined()
      expect(answer.chunks.every((entry) => entry.choices.length === 1)).toBe(true)
    }
  })

  it('stream: asked for, exactly one chunk with empty choices before [DONE], on tool turns too', async () => {
    for (const backend of ['anthropic', 'openai'] as const) {
      const answer = await stream(backend, [{ call: { name: 'read', arguments: {} } }], {
        stream_options: { include_usage: true },
      })
      expect(answer.chunks.at(-1).choices).toEqual([])
      expect(answer.usage.total_tokens).toBe(answer.usage.prompt_tokens + answer.usage.completion_tokens)
    }
  })

  it('stream: usage in every chunk, in a choice, or without choices is read once', async () => {
    const counted = { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }
    const frame = (more: Record<string, unknown>): Step => ({ frame: { id: 'x', model: 'm', ...more } })
    for (const steps of [
      [
        frame({
          choices: [{ index: 0, delta: { content: 'a' } }],
          usage: { ...counted, completion_tokens: 1 },
        }),
        frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: counted }),
        done,
      ],
      [
        frame({ choices: [{ index: 0, delta: { content: 'a' } }] }),
        frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage: counted }] }),
        done,
      ],
      [
        frame({ choices: [{ index: 0, delta: { content: 'a' } }] }),
        frame({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
        frame({ usage: counted }),
        done,
      ],
    ]) {
      const answer = await stream('openai', steps, { stream_options: { include_usage: true } })
      expect(answer.usage).toMatchObject(counted)
    }
  })

  it('cached tokens are part of the prompt, in both forms', async () => {
    const cached = { ...usage, cache_read_input_tokens: 100, cache_creation_input_tokens: 20 }
    const steps: Step[] = [{ say: 'hi' }, { end: 'end_turn', usage: cached }]
    const streamed = await stream('anthropic', steps, { stream_options: { include_usage: true } })
    const collected = await whole('anthropic', steps)
    for (const found of [streamed.usage, collected.json.usage]) {
      expect(found).toMatchObject({
        prompt_tokens: 130,
        completion_tokens: 5,
        prompt_tokens_details: { cached_tokens: 100 },
      })
    }
  })

  it('non-stream: always there, estimated and marked where the upstream does not count', async () => {
    const answer = await whole('openai', [chatAnswer({ content: 'hi there' }, 'stop', { usage: undefined })])
    expect(answer.json.usage).toMatchObject({ completion_tokens: 2, estimated: true })
  })
})

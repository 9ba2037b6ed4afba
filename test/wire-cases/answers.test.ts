// T1 to T17: what comes back from upstreams, and how it must look to a client. docs/wire-cases.md tells each story.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { ChatStream } from '../chat-stream.ts'
import {
  ask,
  type Body,
  type ChatAnswer,
  chat,
  chatStream,
  readTool,
  startBench,
  useBench,
} from '../harness.ts'
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
  json,
  messageEnd,
  messageStart,
  toolUse,
} from './frames.ts'

const bench = useBench()

const models = { anthropic: 'anthropic/claude-demo', openai: 'openai/gpt-demo' }

async function stream(backend: keyof typeof models, steps: Step[], more: Body = {}): Promise<ChatStream> {
  bench[backend].play(steps)
  const answer = await chatStream(bench.url, ask(models[backend], more))
  expect(answer.problems).toEqual([])
  return answer
}

async function whole(backend: keyof typeof models, steps: Step[], more: Body = {}): Promise<ChatAnswer> {
  bench[backend].play(steps)
  return chat(bench.url, ask(models[backend], more))
}

const calls = (answer: ChatStream) => answer.calls.map((call) => [call.id, call.name, call.arguments])
const wholeCalls = (answer: ChatAnswer) =>
  (answer.json.choices[0].message.tool_calls ?? []).map(
    (call: { id: string; function: { name: string; arguments: string } }) => [
      call.id,
      call.function.name,
      call.function.arguments,
    ],
  )
/** Notes stand in the header, or in a comment when they came after it. */
const notesOf = (answer: ChatStream) => `${answer.headers.get('x-dragoman-notes')} ${answer.comments.join()}`
const finish = (answer: ChatAnswer) => answer.json.choices[0].finish_reason

describe('T1: arguments for a block that is no tool call', () => {
  const content = [
    blockStart(0, { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} }),
    json(0, '{"query":"x"}'),
    blockStop(0),
    blockStart(1, { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }),
    json(1, ''),
    blockStop(1),
  ]

  it('stream: shows no call and no index below 0', async () => {
    const answer = await stream('anthropic', [
      messageStart,
      ...content,
      blockStart(2, { type: 'text', text: '' }),
      blockDelta(2, { type: 'text_delta', text: 'found' }),
      blockStop(2),
      ...messageEnd('end_turn'),
    ])
    expect(answer.calls).toEqual([])
    expect(answer.text).toBe('found')
    expect(answer.raw).not.toContain('tool_calls')
  })

  it('non-stream: server tools stay out of tool_calls', async () => {
    const answer = await whole('anthropic', [
      anthropicAnswer(
        [
          { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } },
          { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
          { type: 'text', text: 'found' },
        ],
        'end_turn',
      ),
    ])
    expect(answer.json.choices[0].message.tool_calls).toBeUndefined()
    expect(answer.json.choices[0].message.content).toBe('found')
  })
})

describe('T2: a tool delta without index', () => {
  it('stream: every delta out has an integer index, and the reason is tool_calls', async () => {
    const answer = await stream('openai', [
      chunk({ role: 'assistant', content: null }),
      callDelta({ id: 'call_a', type: 'function', function: { name: 'read', arguments: '{"path":' } }),
      callDelta({ function: { arguments: '"a"}' } }),
      callDelta({ id: 'call_b', type: 'function', function: { name: 'read', arguments: '{"path":"b"}' } }),
      chunk({}, 'tool_calls'),
      done,
    ])
    expect(calls(answer)).toEqual([
      ['call_a', 'read', '{"path":"a"}'],
      ['call_b', 'read', '{"path":"b"}'],
    ])
    expect(answer.finishReason).toBe('tool_calls')
  })

  it('non-stream: calls need no index', async () => {
    const answer = await whole('openai', [
      chatAnswer(
        { tool_calls: [{ id: 'call_a', type: 'function', function: { name: 'read', arguments: '{}' } }] },
        'tool_calls',
      ),
    ])
    expect(wholeCalls(answer)).toEqual([['call_a', 'read', '{}']])
  })
})

describe('T3: the tool index counts tool calls, not content blocks', () => {
  it('stream: thinking, text, tool, text, tool → 0, 1', async () => {
    const answer = await stream('anthropic', [
      { think: 'hm' },
      { say: 'first' },
      { call: { name: 'read', arguments: { path: 'a' }, id: 'toolu_a' } },
      { say: 'then' },
      { call: { name: 'read', arguments: { path: 'b' }, id: 'toolu_b' } },
      { end: 'tool_use' },
    ])
    expect(answer.calls.map((call) => call.index)).toEqual([0, 1])
    expect(answer.text).toBe('firstthen')
    expect(answer.reasoning).toBe('hm')
  })

  it('non-stream: the same blocks in order', async () => {
    const answer = await whole('anthropic', [
      { say: 'first' },
      { call: { name: 'read', arguments: { path: 'a' }, id: 'toolu_a' } },
      { say: 'then' },
      { call: { name: 'read', arguments: { path: 'b' }, id: 'toolu_b' } },
      { end: 'tool_use' },
    ])
    expect(wholeCalls(answer).map(([id]: [string]) => id)).toEqual(['toolu_a', 'toolu_b'])
  })
})

describe('T4: every call says index 0', () => {
  it('stream: calls are told apart by their ids', async () => {
    const answer = await stream('openai', [
      callDelta({ index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '{"a":1}' } }),
      callDelta({ index: 0, id: 'c2', type: 'function', function: { name: 'read', arguments: '{"b":2}' } }),
      callDelta({ index: 0, id: 'c3', type: 'function', function: { name: 'read', arguments: '{"c":3}' } }),
      chunk({}, 'tool_calls'),
      done,
    ])
    expect(calls(answer)).toEqual([
      ['c1', 'read', '{"a":1}'],
      ['c2', 'read', '{"b":2}'],
      ['c3', 'read', '{"c":3}'],
    ])
  })

  it('non-stream: arguments that were run together become calls of their own', async () => {
    const answer = await whole('openai', [
      chatAnswer(
        {
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"a":1}{"b":2}' } },
          ],
        },
        'tool_calls',
      ),
    ])
    expect(wholeCalls(answer)).toEqual([
      ['c1', 'read', '{"a":1}'],
      [expect.stringMatching(/^call_\w+_1$/), 'read', '{"b":2}'],
    ])
    expect(answer.headers.get('x-dragoman-notes')).toContain('separated')
  })
})

describe('T5: interleaved deltas', () => {
  const steps = [
    callDelta({ index: 0, id: 'c1', type: 'function', function: { name: 'search_circular', arguments: '' } }),
    callDelta({ index: 1, id: 'c2', type: 'function', function: { name: 'read', arguments: '' } }),
    callDelta({ index: 0, id: 'c1', function: { name: 'search_circular', arguments: '{"q":' } }),
    callDelta({ index: 1, id: 'c2', function: { name: 'read', arguments: '{"path":' } }),
    callDelta({ index: 0, id: 'c1', function: { name: 'search_circular', arguments: '"x"}' } }),
    callDelta({ index: 1, id: 'c2', function: { name: 'read', arguments: '"y"}' } }),
    chunk({}, 'tool_calls'),
    done,
  ]

  it('stream: each call keeps its own arguments, names are never appended', async () => {
    const answer = await stream('openai', steps)
    expect(calls(answer)).toEqual([
      ['c1', 'search_circular', '{"q":"x"}'],
      ['c2', 'read', '{"path":"y"}'],
    ])
  })

  it('non-stream: a server that streams anyway is collected the same way', async () => {
    const answer = await whole('openai', [
      chatAnswer(
        {
          tool_calls: [
            { id: 'c1', function: { name: 'search_circular', arguments: '{"q":"x"}' } },
            { id: 'c2', function: { name: 'read', arguments: '{"path":"y"}' } },
          ],
        },
        'tool_calls',
      ),
    ])
    expect(wholeCalls(answer)).toEqual([
      ['c1', 'search_circular', '{"q":"x"}'],
      ['c2', 'read', '{"path":"y"}'],
    ])
  })
})

describe('T6: an empty object in front of the arguments', () => {
  it('stream, Anthropic: input {} of the block start is not an argument', async () => {
    const answer = await stream('anthropic', [
      messageStart,
      toolUse(0, 'toolu_1', 'read'),
      json(0, '{"city":'),
      json(0, '"X"}'),
      blockStop(0),
      ...messageEnd('tool_use'),
    ])
    expect(calls(answer)).toEqual([['toolu_1', 'read', '{"city":"X"}']])
  })

  it('stream, Anthropic: an input at the block start counts when no delta follows', async () => {
    const answer = await stream('anthropic', [
      messageStart,
      blockStart(0, { type: 'tool_use', id: 'toolu_1', name: 'read', input: { path: 'a' } }),
      blockStop(0),
      ...messageEnd('tool_use'),
    ])
    expect(calls(answer)).toEqual([['toolu_1', 'read', '{"path":"a"}']])
  })

  it.each(['whole', 'streamed'] as const)(
    'stream, OpenAI: a leading {} is dropped (%s)',
    async (toolArguments) => {
      const own = await startBench({ settings: { toolArguments } })
      own.openai.play([
        callDelta({ index: 0, id: 'c1', type: 'function', function: { name: 'read', arguments: '{}' } }),
        callDelta({ index: 0, function: { arguments: '{"city":"X"}' } }),
        chunk({}, 'tool_calls'),
        done,
      ])
      const answer = await chatStream(own.url, ask(models.openai))
      await own.close()
      expect(answer.problems).toEqual([])
      expect(calls(answer)).toEqual([['c1', 'read', '{"city":"X"}']])
    },
  )

  it('non-stream: a leading {} is dropped', async () => {
    const answer = await whole('openai', [
      chatAnswer(
        {
          tool_calls: [
            { id: 'c1', type: 'function', function: { name: 'read', arguments: '{}{"city":"X"}' } },
          ],
        },
        'tool_calls',
      ),
    ])
    expect(wholeCalls(answer)).toEqual([['c1', 'read', '{"city":"X"}']])
  })
})

describe('T7: a tool without arguments', () => {
  it.each([[[]], [[json(0, '')]]])('stream, Anthropic: nothing or "" becomes {}', async (deltas) => {
    const answer = await stream('anthropic', [
      messageStart,
      toolUse(0, 'toolu_1', 'now'),
      ...deltas,
      blockStop(0),
      ...messageEnd('tool_use'),
    ])
    expect(answer.calls.map((call) => call.pieces)).toEqual([['{}']])
  })

  it('stream, OpenAI: "" becomes {}', async () => {
    const answer = await stream('openai', [
      callDelta({ index: 0, id: 'c1', type: 'function', function: { name: 'now', arguments: '' } }),
      chunk({}, 'tool_calls'),
      done,
    ])
    expect(answer.calls.map((call) => call.pieces)).toEqual([['{}']])
  })

  it('non-stream: "" becomes {}', async () => {
    const answer = await whole('openai', [
      chatAnswer(
        { tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: '' } }] },
        'tool_calls',
      ),
    ])
    expect(wholeCalls(answer)).toEqual([['c1', 'now', '{}']])
    const other = await whole('anthropic', [
      anthropicAnswer([{ type: 'tool_use', id: 'toolu_1', name: 'now', input: {} }], 'tool_use'),
    ])
    expect(wholeCalls(other)).toEqual([['toolu_1', 'now', '{}']])
  })

  it('incoming history with "" or blank arguments is taken as {}', async () => {
    for (const model of Object.values(models)) {
      const answer = await chat(bench.url, {
        model,
        tools: [readTool],
        messages: [
          { role: 'user', content: 'time?' },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'now', arguments: ' ' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'noon' },
        ],
      })
      expect(answer.status).toBe(200)
    }
  })
})

describe('T8: arguments are sent whole', () => {
  const text = JSON.stringify({ name: 'Add OpenRouter Example', overview: 'naïve "quotes" \\ and 🙂' })
  const steps: Step[] = [
    { call: { name: 'create_plan', arguments: text, id: 'toolu_1' }, pieces: 17 },
    { end: 'tool_use' },
  ]

  it('stream: one delta that is the whole, and no prefix of it', async () => {
    for (const backend of ['anthropic', 'openai'] as const) {
      const answer = await stream(backend, steps)
      expect(answer.calls[0]?.pieces).toEqual([text])
    }
  })

  it('stream, toolArguments "streamed": fragments that concatenate to the same bytes', async () => {
    const own = await startBench({ settings: { toolArguments: 'streamed' } })
    for (const backend of ['anthropic', 'openai'] as const) {
      own[backend].play(steps)
      const answer = await chatStream(own.url, ask(models[backend]))
      expect(answer.problems).toEqual([])
      expect(answer.calls[0]?.pieces.length).toBeGreaterThan(5)
      expect(answer.calls[0]?.arguments).toBe(text)
    }
    await own.close()
  })

  it('non-stream: the same bytes', async () => {
    expect(wholeCalls(await whole('openai', steps))).toEqual([['toolu_1', 'create_plan', text]])
    const [[, , input]] = wholeCalls(await whole('anthropic', steps))
    expect(JSON.parse(input)).toEqual(JSON.parse(text))
  })
})

describe('T9: names that come late, or as null, "" or an object', () => {
  it.each([undefined, null, '', { value: 'read' }])(
    'stream: the call is held until its name is there (%j first)',
    async (first) => {
      const answer = await stream('openai', [
        callDelta({ index: 0, id: 'c1', type: 'function', function: { name: first, arguments: '{"path":' } }),
        callDelta({ index: 0, function: { name: 'read', arguments: '"a"}' } }),
        callDelta({ index: 0, function: { name: null, arguments: '' } }),
        chunk({}, 'tool_calls'),
        done,
      ])
      expect(calls(answer)).toEqual([['c1', 'read', '{"path":"a"}']])
    },
  )

  it('a call that never gets a name is an upstream error, stream and non-stream', async () => {
    const nameless = await stream('openai', [
      chunk({ content: 'x' }),
      callDelta({ index: 0, id: 'c1', type: 'function', function: { arguments: '{}' } }),
      chunk({}, 'tool_calls'),
      done,
    ])
    expect(nameless.error.code).toBe('upstream_protocol_error')
    const answer = await whole('openai', [
      chatAnswer(
        { tool_calls: [{ id: 'c1', type: 'function', function: { arguments: '{}' } }] },
        'tool_calls',
      ),
    ])
    expect(answer.status).toBe(502)
  })
})

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

describe('T11: the reason says tool calls, and there are none', () => {
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

  it('stream: a call cut right behind its name is not an empty one', async () => {
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

  it('Anthropic: message_delta alone is no end', async () => {
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
  it('stream: finish_reason without [DONE] is a success, also when the connection breaks behind it', async () => {
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
    expect(openai.error.message).toBe('openai: boom')
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

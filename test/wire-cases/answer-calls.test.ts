// T1 to T9: tool calls in answers of upstreams, and how they must look to a client. docs/wire-cases.md explains each case.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import { ask, chat, chatStream, readTool, startBench } from '../harness.ts'
import { bench, calls, models, stream, useAnswerBench, whole, wholeCalls } from './answer-bench.ts'
import {
  anthropicAnswer,
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

useAnswerBench()

describe('T1: arguments for a block that is not a tool call', () => {
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
  it('stream: calls are distinguished by their ids', async () => {
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

  it('non-stream: joined arguments become separate calls', async () => {
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

  it('"" or blank arguments in the history become {}', async () => {
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

// T42: calls that share an id, an index or neither. docs/wire-cases.md explains it.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { ChatStream } from '../chat-stream.ts'
import { answered, ask, type Body, called, chat, chatStream, startBench, useBench, user } from '../harness.ts'
import {
  anthropicAnswer,
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

const bench = useBench({ openai: { lenient: true } })
const model = 'openai/local-model'

type Call = [name: string, input: string]

async function stream(steps: Step[], asked = model): Promise<ChatStream> {
  const backend = asked.startsWith('anthropic/') ? bench.anthropic : bench.openai
  backend.play(steps)
  const answer = await chatStream(bench.url, ask(asked))
  expect(answer.problems).toEqual([])
  return answer
}

const streamOf = (...deltas: Body[]) => [...deltas.map(callDelta), chunk({}, 'tool_calls'), done]
const callsOf = (answer: ChatStream): Call[] => answer.calls.map((call) => [call.name, call.arguments])
const idsOf = (answer: ChatStream) => answer.calls.map(({ id }) => id)

const a: Call = ['delete_file', '{"path":"a"}']
const b: Call = ['read_file', '{"path":"b"}']
const c: Call = ['read_file', '{"path":"c"}']
const element = (id: string | undefined, [name, input]: Call, index?: number) => ({
  ...(index === undefined ? {} : { index }),
  ...(id === undefined ? {} : { id }),
  type: 'function',
  function: { name, arguments: input },
})
const fragment = (input: string, more: Body = {}) => ({ ...more, function: { arguments: input } })

async function whole(toolCalls: Body[]): Promise<{ ids: string[]; calls: Call[]; notes: string }> {
  bench.openai.play([chatAnswer({ tool_calls: toolCalls }, 'tool_calls')])
  const { status, json, headers } = await chat(bench.url, ask(model))
  expect([status, json.error]).toEqual([200, undefined])
  const calls = json.choices[0].message.tool_calls as {
    id: string
    function: { name: string; arguments: string }
  }[]
  return {
    ids: calls.map(({ id }) => id),
    calls: calls.map((call): Call => [call.function.name, call.function.arguments]),
    notes: headers.get('x-dragoman-notes') ?? '',
  }
}

describe('T42: two calls with one id', () => {
  it.each([
    ['adjacent, another name', ['call_0', 'call_0'], [a, b]],
    ['adjacent, the same name', ['call_0', 'call_0'], [b, c]],
    ['adjacent, the very same call', ['call_0', 'call_0'], [b, b]],
    ['not adjacent', ['call_0', 'call_1', 'call_0'], [a, b, c]],
  ] as const)('non-stream: %s', async (_what, ids, calls) => {
    for (const indexed of [false, true]) {
      const answer = await whole(
        calls.map((call, at) => element(ids[at], [...call], indexed ? 0 : undefined)),
      )
      expect(answer.calls).toEqual(calls)
      expect(new Set(answer.ids).size).toBe(calls.length)
      expect(answer.ids.slice(0, -1)).toEqual(ids.slice(0, -1))
      expect(answer.ids.at(-1)).toMatch(/^[A-Za-z0-9_-]{1,40}$/)
      expect(answer.notes).toContain('a repeated tool call id was made distinct')
    }
  })

  it.each([
    ['without index', [undefined, undefined, undefined]],
    ['all with index 0', [0, 0, 0]],
    ['each with its index', [0, 1, 2]],
  ] as const)('stream: %s', async (_what, [x, y, z]) => {
    for (const [third, calls] of [
      [c, [a, b, c]],
      [a, [a, b, a]],
    ] as const) {
      const elements = [element('call_0', a, x), element('call_0', b, y), element('call_0', third, z)]
      const answer = await stream(streamOf(...elements))
      expect(callsOf(answer)).toEqual(calls)
      expect(new Set(idsOf(answer)).size).toBe(3)
      const together = await stream([chunk({ tool_calls: elements }), chunk({}, 'tool_calls'), done])
      expect(callsOf(together)).toEqual(calls)
    }
  })

  it('stream: ids that repeat, and are not adjacent', async () => {
    const answer = await stream(
      streamOf(element('call_0', a), element('call_1', b), element('call_0', b), element('call_0', c)),
    )
    expect(callsOf(answer)).toEqual([a, b, b, c])
  })

  it('stream: arguments in pieces, calls one after the other', async () => {
    for (const index of [undefined, 0]) {
      const pieces = ([name, input]: Call) => [
        element('call_0', [name, ''], index),
        fragment(input.slice(0, 4), index === undefined ? {} : { index }),
        fragment(input.slice(4), index === undefined ? { id: 'call_0' } : { index }),
      ]
      const answer = await stream(streamOf(...[a, b, a, c].flatMap(pieces)))
      expect(callsOf(answer)).toEqual([a, b, a, c])
    }
  })

  it('stream: one index for all, distinguished by ids, interleaved', async () => {
    const answer = await stream(
      streamOf(
        element('x', [a[0], ''], 0),
        element('y', [b[0], ''], 0),
        fragment('{"path":', { index: 0, id: 'x' }),
        fragment('{"path":', { index: 0, id: 'y' }),
        fragment('"a"}', { index: 0, id: 'x' }),
        fragment('"b"}', { index: 0, id: 'y' }),
      ),
    )
    expect(callsOf(answer)).toEqual([a, b])
  })

  it('stream: names and ids that are repeated in every chunk are one call', async () => {
    for (const id of ['call_0', undefined]) {
      const answer = await stream(
        streamOf(
          element(id, ['delete_file', ''], 0),
          element(id, ['delete_file', '{"path":'], 0),
          element(id, ['delete_file', '"a"}'], 0),
          element(id, ['delete_file', ''], 0),
        ),
      )
      expect(callsOf(answer)).toEqual([a])
    }
  })

  it('stream: an id that changes with every chunk is one call', async () => {
    const answer = await stream(
      streamOf(
        element('id_1', ['delete_file', ''], 0),
        fragment('{"path":', { index: 0, id: 'id_2' }),
        fragment('"a"}', { index: 0, id: 'id_3' }),
      ),
    )
    expect(callsOf(answer)).toEqual([a])
    expect(idsOf(answer)).toEqual(['id_1'])
  })

  it.each<[string, Body[]]>([
    [
      'two unfinished calls, and nothing says whose it is',
      [element('call_0', [a[0], '']), element('call_0', [b[0], '']), fragment(b[1])],
    ],
    [
      'the same at one index',
      [element('x', [a[0], '{"pa'], 0), element('y', [b[0], ''], 0), fragment('th":"a"}', { index: 0 })],
    ],
    [
      'another call, or the rest of a name',
      [element('x', ['read_', ''], 0), element('x', ['file', ''], 0), fragment(b[1], { index: 0 })],
    ],
    [
      'an index of one call and the id of another',
      [element('x', [a[0], ''], 0), element('y', [b[0], ''], 1), fragment(b[1], { index: 0, id: 'y' })],
    ],
    [
      'a new id without a name after a finished call',
      [element('x', a, 0), fragment(b[1], { index: 0, id: 'y' })],
    ],
    [
      'only arguments after two finished calls',
      [element('x', a, 0), element('x', b, 0), fragment('{"path":"c"}', { index: 0 })],
    ],
  ])('stream: an error, never a merge: %s', async (_what, deltas) => {
    const answer = await stream(streamOf(...deltas))
    expect(answer.error).toMatchObject({ code: 'upstream_protocol_error' })
    for (const call of callsOf(answer)) expect([a, b, c]).toContainEqual(call)
  })

  it('Anthropic: blocks with the same id are separate calls', async () => {
    const answer = await stream(
      [
        messageStart,
        toolUse(0, 'grep:3', a[0]),
        json(0, a[1]),
        blockStop(0),
        toolUse(1, 'grep:3', b[0]),
        json(1, b[1]),
        blockStop(1),
        ...messageEnd('tool_use'),
      ],
      'anthropic/claude-demo',
    )
    expect(callsOf(answer)).toEqual([a, b])
    expect(idsOf(answer)[1]).toMatch(/^[A-Za-z0-9_-]{1,40}$/)
    bench.anthropic.play([
      anthropicAnswer(
        [a, b].map(([name, input]) => ({ type: 'tool_use', id: 't', name, input: JSON.parse(input) })),
        'tool_use',
      ),
    ])
    const { json: body } = await chat(bench.url, ask('anthropic/claude-demo'))
    const ids = body.choices[0].message.tool_calls.map(({ id }: { id: string }) => id)
    expect([ids[0], new Set(ids).size]).toEqual(['t', 2])
  })

  it('Anthropic: arguments for a block that is not open are an error', async () => {
    const answer = await stream(
      [
        messageStart,
        toolUse(0, 'toolu_1', a[0]),
        toolUse(1, 'toolu_2', b[0]),
        json(1, '{"path":'),
        json(0, '"a"}'),
        ...messageEnd('tool_use'),
      ],
      'anthropic/claude-demo',
    )
    expect(answer.error).toMatchObject({ code: 'upstream_protocol_error' })
    expect(callsOf(answer)).not.toContainEqual(['read_file', '{"path":"a"}'])
  })
})

describe('T42: the next request', () => {
  // biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
  const sent = (on = bench): any => on.openai.requests.at(-1)?.body

  const history = (ids: string[], calls: readonly Call[], order = ids) => [
    user('go'),
    {
      role: 'assistant',
      content: null,
      tool_calls: calls.map(([name, input], at) => called(ids[at] ?? '', name, input)),
    },
    ...order.map((id) => answered(id, `result of ${id}`)),
    user('go on'),
  ]
  const toolMessages = (messages: Body[]) => messages.filter(({ role }) => role === 'tool')

  it.each([true, false])('the upstream sees its own ids, in its own order (stream %s)', async (streamed) => {
    const calls = [a, b, c]
    const elements = ['call_0', 'call_1', 'call_0'].map((id, at) => element(id, calls[at] as Call))
    const ids = streamed ? idsOf(await stream(streamOf(...elements))) : (await whole(elements)).ids
    await chat(bench.url, ask(model, { messages: history(ids, calls, ids.toReversed()) }))
    const [, assistant, ...rest] = sent().messages
    expect(assistant.tool_calls.map(({ id }: Body) => id)).toEqual(['call_0', 'call_1', 'call_0'])
    expect(toolMessages(rest)).toEqual([
      answered('call_0', `result of ${ids[0]}`),
      answered('call_1', `result of ${ids[1]}`),
      answered('call_0', `result of ${ids[2]}`),
    ])
  })

  it('unknown ids stay, in both places: another caller, another model, after a restart', async () => {
    const { ids } = await whole([element('call_0', a), element('call_0', b)])
    const messages = history(ids, [a, b])
    const other = await startBench({ openai: { lenient: true } })
    await chat(other.url, ask(model, { messages }))
    await chat(bench.url, ask('openai/another-model', { messages }))
    for (const body of [sent(), sent(other)]) {
      expect(body.messages[1].tool_calls.map(({ id }: Body) => id)).toEqual(ids)
      expect(toolMessages(body.messages).map((message) => message.tool_call_id)).toEqual(ids)
    }
    await other.close()
  })

  it('services that refuse a repeated id are not sent one', async () => {
    const deepseek = 'openai/deepseek-chat'
    bench.openai.play([
      chatAnswer({ tool_calls: [element('call_0', a), element('call_0', b)] }, 'tool_calls'),
    ])
    const { json: body } = await chat(bench.url, ask(deepseek))
    const ids = body.choices[0].message.tool_calls.map(({ id }: { id: string }) => id)
    await chat(bench.url, ask(deepseek, { messages: history(ids, [a, b]) }))
    expect(sent().messages[1].tool_calls.map(({ id }: Body) => id)).toEqual(ids)
  })

  it('proofs of calls with one id go back to their own call', async () => {
    const proof = (signature: string) => ({ extra_content: { google: { thought_signature: signature } } })
    const { ids } = await whole([
      { ...element('call_0', a), ...proof('first') },
      { ...element('call_0', b), ...proof('second') },
    ])
    await chat(bench.url, ask(model, { messages: history(ids, [a, b]) }))
    expect(sent().messages[1].tool_calls).toMatchObject([
      { id: 'call_0', ...proof('first') },
      { id: 'call_0', ...proof('second') },
    ])
  })
})

// A recorded tape replays byte for byte with the same code; a change of the code shows its place.

import { describe, expect, it } from 'vitest'
import type { CursorStep, CursorTurn } from '../../sim/cursor.ts'
import { startQwenWebSim } from '../../sim/qwen-web.ts'
import { replay } from '../../src/replay/replay.ts'
import { withEarlier } from '../../src/tapes/earlier-turns.ts'
import type { ReadTape } from '../../src/tapes/read.ts'
import { isNightly } from '../depth.ts'
import { type Bench, readTool, user } from '../harness.ts'
import { until } from '../raw-peer.ts'
import { expectEqual } from './equal.ts'
import { asked, recorded } from './recorded.ts'

const messagesTool = {
  name: 'read',
  description: 'Read a file',
  input_schema: readTool.function.parameters,
}
const responsesTool = { type: 'function', ...readTool.function }
const question = 'Read README.md'

const doors: Record<string, (bench: Bench, model: string, stream: boolean) => Promise<string>> = {
  chat: (bench, model, stream) =>
    asked(bench, '/v1/chat/completions', { model, stream, messages: [user(question)], tools: [readTool] }),
  messages: (bench, model, stream) =>
    asked(bench, '/v1/messages', {
      ...{ model, stream, max_tokens: 1000, messages: [user(question)], tools: [messagesTool] },
    }),
  gemini: (bench, model, stream) =>
    asked(
      bench,
      `/v1beta/models/${model}:${stream ? 'streamGenerateContent?key=any&alt=sse' : 'generateContent'}`,
      {
        contents: [{ role: 'user', parts: [{ text: question }] }],
        tools: [
          { functionDeclarations: [{ name: 'read', parametersJsonSchema: readTool.function.parameters }] },
        ],
      },
    ),
  ollama: (bench, model, stream) =>
    asked(bench, '/api/chat', { model, stream, messages: [user(question)], tools: [readTool] }),
  responses: (bench, model, stream) =>
    asked(bench, '/v1/responses', { model, stream, input: question, tools: [responsesTool] }),
}

const backends = ['anthropic/claude-x', 'openai/gpt-x', 'gemini/gemini-x', 'text/plain-x', 'cursor/default']
/** By day every door on every backend, streamed and whole by turns. */
const cases = Object.keys(doors)
  .flatMap((door) =>
    backends.flatMap((model) =>
      [true, false].map((stream) => [door, model, stream ? 'streamed' : 'whole'] as const),
    ),
  )
  .filter((_case, at) => isNightly || at % 8 === 0 || at % 8 === 5)

describe('a tape replays byte-equal', () => {
  it.each(cases)('%s on %s, %s', async (door, model, how) => {
    const tapes = await recorded(async (bench) => {
      await doors[door]?.(bench, model, how === 'streamed')
    })
    expect(tapes).toHaveLength(1)
    await expectEqual(tapes)
  })
})

describe('a tape of checked calls replays byte-equal', () => {
  const misspelt = { call: { name: 'Read', arguments: { path: 'a' } } }
  const unfit = { call: { name: 'read', arguments: { path: 5 } } }
  const fitting = { call: { name: 'read', arguments: { path: 'a' } } }

  it.each([
    ['repaired', 'chat', [[misspelt]], 1],
    ['repaired', 'messages', [[misspelt]], 1],
    ['asked for again', 'chat', [[unfit], [fitting]], 2],
    ['asked for again', 'responses', [[unfit], [fitting]], 2],
  ] as const)('%s, at %s', async (_, door, turns, requests) => {
    for (const stream of [true, false]) {
      const tapes = await recorded(
        async (bench) => {
          bench.openai.play(...turns.map((steps) => [...steps]))
          const answer = await doors[door]?.(bench, 'openai/gpt-x', stream)
          expect(answer).toContain('_mended')
          expect(bench.openai.requests).toHaveLength(requests)
        },
        { settings: { calls: { check: 'retry' } } },
      )
      expect(tapes).toHaveLength(1)
      await expectEqual(tapes)
    }
  })
})

describe('a scrubbed tape replays byte for byte', () => {
  const secret = 'sk-ant-api03-AbCdEfGhIjKlMnOp'
  const called = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }
  const messages = [
    user(`My key is "${secret}".`),
    { role: 'assistant', content: null, tool_calls: [called] },
    { role: 'tool', tool_call_id: 'call_1', content: `API_KEY=${secret}\n` },
  ]

  it.each(backends)('%s', async (model) => {
    const tapes = await recorded(async (bench) => {
      const body = { model, stream: true, messages, tools: [readTool] }
      await asked(bench, '/v1/chat/completions', body)
    })
    expect(JSON.stringify(tapes)).not.toContain(secret)
    expect(JSON.stringify(tapes)).toContain('[secret]')
    await expectEqual(tapes)
  })
})

describe("what Cursor's agent does replays byte-equal", () => {
  const mcp = (path: string): CursorStep => ({ exec: { mcp: { name: 'read', args: { path } } } })
  const results: CursorStep = { await: 'results' }
  const end: CursorStep = { end: true }
  const scripts: [string, CursorTurn[]][] = [
    ['calls that come together', [{ steps: [mcp('a'), mcp('b'), results, { say: 'Both.' }, end] }]],
    [
      'calls that come apart',
      [{ steps: [mcp('a'), { wait: 300 }, mcp('b'), results, { say: 'Both.' }, end] }],
    ],
    [
      'text and thinking around calls',
      [
        {
          steps: [
            { think: 'Well.' },
            { say: 'So.' },
            mcp('a'),
            results,
            { think: 'Ah.' },
            { say: 'Then.', pieces: 3 },
            end,
          ],
        },
      ],
    ],
    [
      'a stream that is replaced',
      [
        { steps: [{ checkpoint: true }, { fault: 'reset' }] },
        { when: { action: 'resume' }, steps: [{ say: 'hello' }, end] },
      ],
    ],
  ]

  it.each(scripts)('%s', async (_name, turns) => {
    const tapes = await recorded(async (bench) => {
      bench.cursor.play(...turns)
      const messages: Record<string, unknown>[] = [user('Go')]
      for (let turn = 0; turn < 5; turn++) {
        const body = { model: 'cursor/default', stream: false, messages, tools: [readTool] }
        const { message } = JSON.parse(await asked(bench, '/v1/chat/completions', body)).choices[0]
        if (!message.tool_calls) return
        messages.push(message)
        for (const { id } of message.tool_calls)
          messages.push({ role: 'tool', tool_call_id: id, content: 'It.' })
      }
    })
    const { turns: played, remarks } = await replay(tapes)
    expect(played.flatMap(({ difference }) => difference ?? [])).toEqual([])
    expect(remarks).toEqual([])
  })
})

describe('how the configuration has clients answered is on the tape', () => {
  it.each([
    ['for all', { toolArguments: 'streamed' }],
    ['for one', { clients: { opencode: { toolArguments: 'streamed' } } }],
  ])('%s', async (_what, settings) => {
    const body = { model: 'anthropic/m', stream: true, messages: [user(question)], tools: [readTool] }
    const tapes = await recorded(
      async (bench) => {
        bench.anthropic.play([{ call: { name: 'read', arguments: { path: 'README.md' } }, pieces: 4 }])
        await asked(bench, '/v1/chat/completions', body, { 'user-agent': 'opencode/1.0' })
      },
      { settings },
    )
    await expectEqual(tapes)
  })
})

describe('a run that outlives its answers replays byte-equal', () => {
  const model = 'cursor/default'
  const first = { model, messages: [user('Read a.txt and b.txt, then run `ls`')], tools: [readTool] }

  /** Answers every call until the model makes none any more. */
  async function toolLoop(bench: Bench, stream: boolean): Promise<number> {
    const messages: Record<string, unknown>[] = [...first.messages]
    for (let turn = 1; turn < 10; turn++) {
      const text = await asked(bench, '/v1/chat/completions', { ...first, stream, messages })
      const calls = stream ? callsOfStream(text) : JSON.parse(text).choices[0].message.tool_calls
      if (!calls?.length) return turn
      messages.push({ role: 'assistant', content: null, tool_calls: calls })
      for (const { id } of calls) messages.push({ role: 'tool', tool_call_id: id, content: `result ${turn}` })
    }
    return 10
  }

  function callsOfStream(text: string): { id: string; function: { name: string; arguments: string } }[] {
    const calls: { id: string; type: string; function: { name: string; arguments: string } }[] = []
    for (const [, data = ''] of text.matchAll(/^data: (\{.*)$/gm))
      for (const call of JSON.parse(data).choices[0]?.delta?.tool_calls ?? []) {
        calls[call.index] ??= {
          id: call.id,
          type: 'function',
          function: { name: call.function.name, arguments: '' },
        }
        const known = calls[call.index]
        if (known) known.function.arguments += call.function.arguments ?? ''
      }
    return calls
  }

  it.each(['http2', 'sse'])('over %s, turn by turn', async (transport) => {
    for (const stream of [true, false]) {
      const tapes = await recorded(
        async (bench) => {
          expect(await toolLoop(bench, stream)).toBeGreaterThan(1)
        },
        { cursor: { transport } },
      )
      expect(tapes.slice(1).map(({ head }) => head.continues)).toEqual(
        tapes.slice(0, -1).map(({ turn }) => turn),
      )
      await expectEqual(tapes)
    }
  })
})

describe("the gateway's state", () => {
  it('of an answer that a client refers to is needed, and found', async () => {
    const ask = (bench: Bench, more: Record<string, unknown>) =>
      asked(bench, '/v1/responses', { model: 'openai/m', stream: true, ...more })
    const tapes = await recorded(async (bench) => {
      const first = await ask(bench, { input: 'Hello' })
      const [, id] = /"id":"(resp_\w+)"/.exec(first) ?? []
      await ask(bench, { input: 'And now?', previous_response_id: id })
    })
    const [one, two] = tapes as [ReadTape, ReadTape]
    expect(withEarlier({ path: 'x', bytes: 1, tapes }, two.turn)).toEqual([one, two])
    await expectEqual(tapes)
    expect((await replay([two])).turns[0]?.difference?.what).toBe('answer head')
  })

  it('of an answer that was not there any more is not needed, though its tape is there', async () => {
    const tapes = await recorded(async (bench) => {
      const ask = (more: Record<string, unknown>) =>
        asked(bench, '/v1/responses', { model: 'openai/m', ...more })
      const { id } = JSON.parse(await ask({ input: 'Hello' }))
      await fetch(`${bench.url}/v1/responses/${id}`, { method: 'DELETE' })
      expect(await ask({ input: 'And now?', previous_response_id: id })).toContain('not found')
    })
    const [, refused] = tapes as [ReadTape, ReadTape]
    expect(withEarlier({ path: 'x', bytes: 1, tapes }, refused.turn)).toEqual([refused])
    await expectEqual([refused])
  })

  it("of a conversation with Cursor's agent is not needed, and missed with a remark", async () => {
    const messages = [user('Hello')]
    const tapes = await recorded(async (bench) => {
      const ask = () => asked(bench, '/v1/chat/completions', { model: 'cursor/default', messages })
      const { message } = JSON.parse(await ask()).choices[0]
      messages.push(message, user('Hello again'))
      await ask()
    })
    const [, second] = tapes as [ReadTape, ReadTape]
    expect(second.frames).toContainEqual(expect.objectContaining({ do: 'session', state: 'resumed' }))
    const { turns, remarks } = await replay([second])
    expect(turns.map(({ difference }) => difference)).toEqual([undefined])
    expect(remarks.join()).toContain('resumed from memory')
  })

  it("of a chat with Qwen's web chat is not needed", async () => {
    const token = 'token-0123456789'
    const sim = await startQwenWebSim({ apiKey: token })
    const backends = { qwen: { kind: 'qwen-web', baseUrl: sim.url, token } }
    const messages: Record<string, unknown>[] = [user('Hello')]
    const tapes = await recorded(
      async (bench) => {
        const ask = () => asked(bench, '/v1/chat/completions', { model: 'qwen/qwen3-max', messages })
        messages.push(JSON.parse(await ask()).choices[0].message, user('Hello again'))
        await ask()
      },
      { settings: { backends } },
    ).finally(() => sim.close())
    expect(tapes).toHaveLength(2)
    await expectEqual(tapes)
    await expectEqual(tapes.slice(1))
  })
})

describe('a client that left', () => {
  it('replays byte-equal as far as it had read', async () => {
    const tapes = await recorded(async (bench) => {
      bench.anthropic.play([{ say: 'one two three', pieces: 3 }, { forever: { everyMs: 5 } }])
      const leave = new AbortController()
      const response = await fetch(`${bench.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'anthropic/m', stream: true, messages: [user('Count')] }),
        signal: leave.signal,
      })
      let text = ''
      for await (const chunk of response.body ?? []) {
        text += Buffer.from(chunk).toString()
        if (text.includes('three')) break
      }
      expect(text).toContain('three')
      leave.abort()
      await until(() => bench.logs.some((line) => line.includes('canceled')), 'the end of the turn')
    })
    expect(tapes[0]?.frames).toContainEqual(expect.objectContaining({ side: 'client', do: 'gone' }))
    const { turns } = await replay(tapes)
    expect(turns.map(({ difference }) => difference)).toEqual([undefined])
  })
})

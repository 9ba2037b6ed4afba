import { create } from '@bufbuild/protobuf'
import { describe, expect, test } from 'vitest'
import { AgentServerMessageSchema } from '../../proto/gen/agent/v1/run_pb.ts'
import { parseCursorScript } from '../cursor.ts'
import { ADD, answerNatively, client, READ_A, sim, start, TRANSPORTS, useDemoSim } from './demo.fixture.ts'

useDemoSim()

describe('scripts', () => {
  test.each(TRANSPORTS)('play every exec kind over %s and await the answers', async (transport) => {
    await start()
    sim.play([
      { execs: [{ read: { path: 'a' } }, { mcp: { name: 'add', args: { a: 1 } } }], together: true },
      { exec: { unknown: { field: 77 } } },
      { await: 'results' },
      { say: 'done', pieces: 4 },
    ])
    const seen: (string | undefined)[] = []
    const { text, end } = await client({
      transport,
      request: { mcpTools: { mcpTools: [ADD] } },
      onExec: (exec) => {
        const { message } = exec
        seen.push(
          message.case === 'mcpArgs'
            ? `${message.value.name} of ${message.value.providerIdentifier}`
            : message.case,
        )
        return message.case === undefined ? 'unknown' : answerNatively(exec)
      },
    }).run()
    expect({ text, end }).toEqual({ text: 'done', end: {} })
    expect(seen).toEqual(['requestContextArgs', 'readArgs', 'kit-add of kit', undefined])
    expect([...(sim.runs[0]?.thrown.values() ?? [])]).toEqual(['unknown'])
    expect(sim.violations).toEqual([])
    expect(sim.queued).toBe(0)
  })

  test('are chosen by the content of the request', async () => {
    await start()
    sim.play(
      { when: { text: 'second' }, steps: [{ say: 'for the second' }] },
      { when: ({ tools }) => tools.includes('add'), steps: [{ say: 'for the one with tools' }] },
      { expect: { model: 'composer-2-fast' }, steps: [{ say: 'unseen' }] },
    )
    const request = { mcpTools: { mcpTools: [ADD] } }
    expect((await client({ say: 'first', request }).run()).text).toBe('for the one with tools')
    expect((await client({ say: 'second' }).run()).text).toBe('for the second')
    const { end } = await client({ say: 'third' }).run()
    expect(end?.error?.message).toContain('run.model: wanted "composer-2-fast", got "composer-2"')
    expect(sim.runs[2]?.difference).toContain('run.model')
  })

  test('are read from lines, and mistakes are named', async () => {
    const head = '{"script":1,"kind":"cursor","scenario":"s","source":"made"}'
    const lines = `${head}\n\n{"turn":{"when":{"model":"m"}}}\n{"exec":{"read":{"path":"a"}}}\n{"await":"results"}\n{"turn":{}}\n{"query":"web_search","await":false}\n{"end":"turn-only"}`
    const script = parseCursorScript(lines)
    expect(script).toMatchObject({ kind: 'cursor', scenario: 's', turns: [{ when: { model: 'm' } }, {}] })
    expect(script.turns.map(({ steps }) => steps.length)).toEqual([2, 2])
    expect(() => parseCursorScript(`${head}\n{"say":"x"}`)).toThrow('line 2: a step before the first')
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"exec":{"nope":{}}}`)).toThrow(
      'line 3: "exec" must be',
    )
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"say":"x","loud":1}`)).toThrow(
      'has no field "loud"',
    )
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"fault":"oops"}`)).toThrow('must be one of reset')
    expect(parseCursorScript(`${head}\n{"turn":{}}\n{"reask":"same-id"}`).turns[0]?.steps).toEqual([
      { reask: 'same-id' },
    ])
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"reask":"no"}`)).toThrow('"reask" must be')
    expect(() => parseCursorScript(`${head}\n{"turn":{}}\n{"error":{"code":"bad"}}`)).toThrow(
      '"error" must be',
    )
  })

  test('store and fetch blobs, ask the user, and hide text in a blob', async () => {
    await start()
    sim.play([
      ...([{ kv: 'set', data: 'kept' }, { kv: 'get' }, { kv: 'get', missing: true }] as const),
      ...([{ blobText: 'hidden' }, { query: 'web_search' }, { say: 'shown' }] as const),
    ])
    const one = client()
    const { text } = await one.run()
    expect(text).toBe('shown')
    const kept = [...one.blobs.values()].map((data) => Buffer.from(data).toString())
    expect(kept).toContain('kept')
    expect(kept).toContain('{"role":"assistant","content":[{"type":"text","text":"hidden"}]}')
    expect(sim.violations).toEqual([])
  })

  test('send an error with details, a status, a turn without an end, an end without a turn', async () => {
    await start()
    const details = { error: 41, title: 'Slow down', detail: 'Later', isRetryable: true }
    sim.play(
      [{ say: 'a' }, { error: { code: 'resource_exhausted', details } }],
      [{ status: 429, headers: { 'retry-after': '1' }, body: { code: 'resource_exhausted' } }],
      [{ say: 'c' }, { end: 'turn-only' }, { fault: 'fin' }],
      [{ say: 'd' }, { end: 'frame-only' }],
    )
    const limited = await client().run()
    expect(limited.end?.error).toMatchObject({ code: 'resource_exhausted', message: 'Error' })
    for (const transport of TRANSPORTS) {
      if (transport === 'sse') sim.play([{ status: 503, body: 'down' }])
      expect((await client({ transport }).run()).status).toBe(transport === 'http2' ? 429 : 200)
    }
    expect((await client().run()).text).toBe('d')
    expect((await client().run()).status).toBe(503)
    expect(sim.violations).toEqual([])
  })

  test('tell the client to go away after a good end', async () => {
    await start()
    sim.play([{ say: 'fine' }, { end: true, usage: { input: 7, output: 3 } }, { fault: 'goaway' }])
    const { text, end, messages } = await client().run()
    expect({ text, end }).toEqual({ text: 'fine', end: {} })
    const ended = messages.flatMap(({ message }) =>
      message.case === 'interactionUpdate' && message.value.message.case === 'turnEnded'
        ? [message.value.message.value]
        : [],
    )
    expect(ended).toMatchObject([{ inputTokens: 7n, outputTokens: 3n }])
  })

  test('compress and cut what follows', async () => {
    await start()
    sim.play([{ gzip: true }, { say: 'small' }, { gzip: false }, { split: 1 }, { say: ' pieces', pieces: 2 }])
    expect((await client().run()).text).toBe('small pieces')
  })

  test('ask the same again, and abort', async () => {
    await start()
    sim.play([
      READ_A,
      { await: 'results' },
      { 'repeat-exec': true },
      { 'repeat-exec': 'new-call' },
      { abort: 3 },
    ])
    const calls: string[] = []
    const { messages } = await client({
      onExec: (exec) => {
        if (exec.message.case === 'readArgs') calls.push(exec.message.value.toolCallId)
        return answerNatively(exec)
      },
    }).run()
    expect(calls).toHaveLength(3)
    expect(calls[1]).toBe(calls[0])
    expect(calls[2]).not.toBe(calls[0])
    expect(messages.some(({ message }) => message.case === 'execServerControlMessage')).toBe(true)
  })

  test('send messages as they are written', async () => {
    await start()
    const id = 40
    const written = { execServerMessage: { id, readArgs: { path: 'x' } } }
    const frame = Buffer.from('0000000000', 'hex').toString('base64')
    sim.play([{ serverMessage: written }, { await: 'results' }, { raw64: frame }, { end: true }])
    const { messages, end } = await client().run()
    expect(end).toEqual({})
    expect(sim.runs[0]?.closedExecs.has(id)).toBe(true)
    expect(messages).toContainEqual(create(AgentServerMessageSchema))
  })
})

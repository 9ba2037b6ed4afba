// T26 and T29 to T34: Cursor's agent, on both transports and in both forms of answer. docs/wire-cases.md explains each
// case.

import { describe, expect, it } from 'vitest'
import { type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import {
  answerOf,
  askCursor,
  followUp,
  startCursorBench,
  stream,
  transports,
  useCursorBench,
} from '../cursor-bench.ts'
import { isNightly } from '../depth.ts'
import { answered, called, quickRetries, user } from '../harness.ts'

const forms = ['streamed', 'whole'] as const

const read = (path: string) => ({ read: { path } })
const callInputs = (calls: readonly { arguments: string }[]) =>
  calls.map((call) => JSON.parse(call.arguments).path)

/** The same steps with and without the pauses that put requests into separate reads. */
const execSteps = (paths: readonly string[], together: boolean): CursorStep[] =>
  together
    ? [{ execs: paths.map(read), together: true }]
    : paths.flatMap((path): CursorStep[] => [{ exec: read(path) }, { wait: 20 }])

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    // As in service: a connection that an earlier test broke is not this test's failure.
    const bench = useCursorBench({ transport, gateway: { retryPolicy: quickRetries } })

    for (const form of forms) {
      for (const paths of [
        ['a', 'b'],
        ['a', 'b', 'c'],
      ]) {
        for (const together of [true, false]) {
          const how = together ? 'in one read' : 'in separate reads'
          it(`T26: ${paths.length} execs ${how} are one assistant turn, ${form}`, async () => {
            bench.sim.play([
              ...execSteps(paths, together),
              { await: 'results' },
              { say: 'done' },
              { end: true },
            ])
            const body = askCursor('read them')
            const first = await answerOf(bench.url, body, form)
            expect(callInputs(first.calls)).toEqual(paths)
            expect(new Set(first.calls.map(({ id }) => id)).size).toBe(paths.length)
            expect(first.finish).toBe('tool_calls')
            const second = await answerOf(bench.url, followUp(body, first, paths), form)
            expect(second).toMatchObject({ text: 'done', finish: 'stop', session: 'live' })
            const [run] = bench.sim.runs
            expect(bench.sim.runs).toHaveLength(1)
            const contents = [...(run?.execResults.values() ?? [])]
              .flat()
              .flatMap(({ message }) =>
                message.case === 'readResult' && message.value.result.case === 'success'
                  ? [message.value.result.value.output.value]
                  : [],
              )
            expect(contents).toEqual(paths)
          })
        }
      }

      it(`T30: a tool that the client does not have is refused by type, and the turn continues, ${form}`, async () => {
        bench.sim.play([
          { execs: [{ mcp: { name: 'deploy', args: {} } }, { delete: { path: 'a' } }] },
          { await: 'results' },
          { say: 'then not' },
          { end: true },
        ])
        const answer = await answerOf(bench.url, askCursor('deploy it'), form)
        expect(answer).toMatchObject({ text: 'then not', finish: 'stop', calls: [] })
        const results = [...(bench.sim.runs[0]?.execResults.values() ?? [])].flat()
        expect(results.map(({ message }) => message.case)).toContain('mcpResult')
        const byCase = new Map(results.map(({ message }) => [message.case, message.value]))
        expect(byCase.get('mcpResult')).toMatchObject({
          result: { case: 'toolNotFound', value: { name: 'deploy', availableTools: ['client-read'] } },
        })
        expect(byCase.get('deleteResult')).toMatchObject({
          result: { case: 'rejected', value: { path: 'a', reason: expect.stringContaining('read') } },
        })
      })

      it(`T32: a transport that breaks after turn_ended spoils nothing, ${form}`, async () => {
        for (const fault of ['reset', 'fin', 'rst-stream'] as const) {
          bench.sim.clear()
          bench.sim.play([{ say: 'all of it' }, { end: 'turn-only' }, { fault }])
          const answer = await answerOf(bench.url, askCursor('hello'), form)
          expect(answer).toMatchObject({ status: 200, text: 'all of it', finish: 'stop', error: undefined })
          expect(bench.sim.runs).toHaveLength(1)
        }
      })

      it(`T34: conversation_state is on the wire, even when it is empty, ${form}`, async () => {
        bench.sim.play([{ say: 'hi' }, { end: true }])
        const answer = await answerOf(bench.url, askCursor('hello'), form)
        expect(answer).toMatchObject({ text: 'hi', error: undefined })
        const bytes = Buffer.from(bench.sim.runs[0]?.requestBytes ?? [])
        // 0a: run_request, its length, then conversation_state, of which there is only the mode.
        const start = bytes.indexOf(Buffer.from([0x0a, 0x02, 0x50, 0x01]), 1)
        expect(bytes[0]).toBe(0x0a)
        expect(start).toBeGreaterThan(0)
        expect(start).toBeLessThan(6)
        expect(bench.sim.runs[0]?.request?.conversationState).toBeDefined()
      })
    }

    it.runIf(isNightly)('T31: a parked run is still answered and kept alive', async () => {
      bench.sim.play([
        { exec: read('a') },
        { wait: 300 },
        { kv: 'set', data: 'kept while parked' },
        { kv: 'get' },
        { exec: { requestContext: {} } },
        { wait: 5_500 },
        { await: 'results' },
        { say: 'still here' },
        { end: true },
      ])
      const body = askCursor('read it')
      const first = await answerOf(bench.url, body, 'streamed')
      const [run] = bench.sim.runs
      const stored = () => [...(run?.blobs.stored.values() ?? [])].map((data) => Buffer.from(data).toString())
      const contexts = () =>
        [...(run?.execResults.values() ?? [])]
          .flat()
          .filter(({ message }) => message.case === 'requestContextResult').length
      // Once by itself at the beginning; everything here comes before the client says another word.
      await expect.poll(contexts).toBe(2)
      expect(stored()).toContain('kept while parked')
      await expect.poll(() => run?.clientHeartbeats).toBeGreaterThan(0)
      expect(
        [...(run?.execHeartbeats.values() ?? [])].reduce((sum, count) => sum + count, 0),
      ).toBeGreaterThan(0)
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'still here', session: 'live' })
    })
  })

  describe(`the cases of every door, over ${transport}`, () => {
    const bench = useCursorBench({ transport, gateway: { keepAliveMs: 100 } })
    const add = { mcp: { name: 'read', args: { path: 'x' } } }
    const calling: CursorStep[] = [
      { think: 'hm' },
      { say: 'one' },
      { exec: add },
      { say: 'two' },
      { exec: { mcp: { name: 'read', args: {} } } },
      { await: 'results' },
      { end: true },
    ]

    it('T2, T3, T7, T8, T10: indexes from 0, whole arguments, {} for none, finish_reason tool_calls', async () => {
      bench.sim.play(calling)
      const answer = await stream(bench.url, askCursor('go'))
      expect(answer.calls.map(({ index, name, pieces }) => [index, name, pieces])).toEqual([
        [0, 'read', ['{"path":"x"}']],
        [1, 'read', ['{}']],
      ])
      expect([answer.text, answer.reasoning, answer.finishReason]).toEqual(['onetwo', 'hm', 'tool_calls'])
    })

    it('T13, T15: an upstream that dies is an error, [DONE] and no finish_reason', async () => {
      bench.sim.play([{ say: 'half' }, { wait: 20 }, { fault: 'reset' }])
      const answer = await stream(bench.url, askCursor('go'))
      expect(answer.error).toBeDefined()
      expect(answer.finishReason).toBeUndefined()
      expect(answer.raw.trimEnd().endsWith('data: [DONE]')).toBe(true)
    })

    it('T16: silence is bridged by comments that no client stumbles over', async () => {
      bench.sim.play([{ wait: 350 }, { say: 'late' }, { end: true }])
      const answer = await stream(bench.url, askCursor('go'))
      expect(answer.text).toBe('late')
      expect(answer.raw).toContain(': keepalive\n')
    })

    it('T17: usage only if asked for, once, also on turns that end in calls', async () => {
      for (const include_usage of [true, false]) {
        bench.sim.clear()
        bench.sim.play(calling)
        const answer = await stream(bench.url, askCursor('go', { stream_options: { include_usage } }))
        const chunks = answer.chunks.filter(({ usage }) => usage)
        expect(chunks).toHaveLength(include_usage ? 1 : 0)
        if (include_usage) expect(chunks[0].choices).toEqual([])
      }
    })

    it('T12: malformed arguments in the history are a 400 that names the message', async () => {
      const messages = [
        user('go'),
        { role: 'assistant', content: null, tool_calls: [called('a', 'read', '{"pa')] },
        answered('a', 'x'),
      ]
      const answer = await answerOf(bench.url, askCursor('', { messages }), 'whole')
      expect(answer.status).toBe(400)
      expect(JSON.stringify(answer.error)).toContain('messages[1]')
    })

    it('T20, T21: results in any order, a missing one, and ids of other services', async () => {
      bench.sim.play([
        { execs: [{ read: { path: 'a' } }, { read: { path: 'b' } }] },
        { await: 'results' },
        { say: 'done' },
        { end: true },
      ])
      const past = [
        user('before'),
        { role: 'assistant', content: null, tool_calls: [called('functions.Bash:0', 'read', { path: 'z' })] },
        answered('functions.Bash:0', 'Z'),
        { role: 'assistant', content: 'ok' },
        user('read both'),
      ]
      const body = askCursor('', { messages: past })
      const first = await answerOf(bench.url, body, 'streamed')
      const next = followUp(body, first, ['A', 'B'])
      const [one, two] = (next.messages as object[]).slice(-2)
      next.messages = [...(next.messages as object[]).slice(0, -2), two, one]
      expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({ text: 'done', session: 'live' })
      const contents = [...(bench.sim.runs[0]?.execResults.values() ?? [])].flat().map(({ message }) => {
        const { value } = message
        return value && 'result' in value && value.result.case === 'success' && 'output' in value.result.value
          ? value.result.value.output.value
          : undefined
      })
      expect(contents.filter((content) => content !== undefined)).toEqual(['A', 'B'])
    })
  })

  describe(`over ${transport}, with a short progress clock`, () => {
    const bench = useCursorBench({ transport, settings: { sessions: { progressMs: 400 } } })

    for (const form of forms) {
      it(`T33: heartbeats for ever are a stall, and the run is closed, ${form}`, async () => {
        bench.sim.play([{ say: 'one moment' }, { heartbeats: { everyMs: 50, count: 'forever' } }])
        const answer = await answerOf(bench.url, askCursor('hello'), form)
        expect(answer.error?.message).toContain('no progress')
        expect(answer.finish).toBeUndefined()
        expect(await bench.sim.runs[0]?.waitForClose()).toBe('by-client')
      })
    }
  })

  describe(`T29: the agent host, over ${transport}`, () => {
    it(
      transport === 'sse' ? 'is the base URL, whatever the server names' : 'is the one that the server names',
      async () => {
        const region = await startCursorSim({ role: 'agent' })
        const bench = await startCursorBench({ transport, sim: { agentUrl: region.url, auth: region.auth } })
        const [right, other] = transport === 'sse' ? [bench.sim, region] : [region, bench.sim]
        right.play([{ say: 'from the right one' }, { end: true }])
        const answer = await answerOf(bench.url, askCursor('hello'), 'streamed')
        expect(answer.error).toBeUndefined()
        expect(answer.text).toBe('from the right one')
        expect(other.runs).toHaveLength(0)
        await bench.close()
        await region.close()
      },
    )

    it('is never outside the service, even if the service names it', async () => {
      for (const agentUrl of ['https://agent.example.com', 'http://agent.api5.cursor.sh', 'nonsense']) {
        const bench = await startCursorBench({ transport, sim: { agentUrl } })
        bench.sim.play([{ say: 'from home' }, { end: true }])
        expect((await answerOf(bench.url, askCursor('hello'), 'streamed')).text).toBe('from home')
        await bench.close()
      }
    })
  })
}

it('a conversation with a system prompt and a history arrives whole, and the prompt as a rule', async () => {
  const bench = await startCursorBench()
  bench.sim.play([{ say: 'yes' }, { end: true }])
  const messages = [
    { role: 'system', content: 'Be brief. Working directory: /srv/project' },
    user('Read a'),
    {
      role: 'assistant',
      content: 'Reading.',
      tool_calls: [{ id: 'x1', type: 'function', function: { name: 'read', arguments: '{"path":"a"}' } }],
    },
    { role: 'tool', tool_call_id: 'x1', content: 'AAA' },
    { role: 'assistant', content: 'It says AAA.' },
    user('Sure?'),
  ]
  await answerOf(bench.url, askCursor('', { messages }), 'streamed')
  const [run] = bench.sim.runs
  const blobs = (run?.request?.preFetchedBlobs ?? []).map(({ value }) => Buffer.from(value).toString())
  const prompt = blobs.filter((text) => text.startsWith('{')).map((text) => JSON.parse(text).role)
  expect(prompt).toEqual(['system', 'user', 'assistant', 'tool', 'assistant'])
  expect(run?.context?.cloudRule).toContain('Be brief.')
  expect(run?.context?.env?.workspacePaths).toEqual(['/srv/project'])
  expect(run?.context?.tools.map(({ name }) => name)).toEqual(['client-read'])
  expect(bench.sim.violations).toEqual([])
  await bench.close()
})

// POST /v1/tool_results: results ahead of the request that carries them.

import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import {
  answerOf,
  askCursor,
  followUp,
  resultsText,
  startCursorBench,
  transports,
  useCursorBench,
} from '../cursor-bench.ts'
import { isNightly } from '../depth.ts'
import { type Body, startBench, user } from '../harness.ts'

const read = (path: string): CursorStep => ({ exec: { read: { path } } })
const results: CursorStep = { await: 'results' }

interface Outcome {
  status: number
  accepted?: string[]
  duplicate?: string[]
  unknown?: string[]
  error?: { message: string; code: string; param: string | null }
}

async function hand(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Outcome> {
  const response = await fetch(`${url}/v1/tool_results`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  return { status: response.status, ...((await response.json()) as object) }
}

const result = (id: string | undefined, content: unknown, more: Body = {}) => ({
  tool_call_id: id,
  content,
  ...more,
})

for (const transport of transports) {
  describe(`over ${transport}`, () => {
    const bench = useCursorBench({ transport })
    const parked = async (...steps: CursorStep[]) => {
      bench.sim.play([read('a'), read('b'), ...steps])
      const body = askCursor('read both')
      const first = await answerOf(bench.url, body, 'streamed')
      expect(first.calls).toHaveLength(2)
      return { body, first, ids: first.calls.map(({ id }) => id) }
    }

    it('hands results to the run one at a time, in any order; the follow-up loses nothing', async () => {
      const { body, first, ids } = await parked(results, { say: 'all of ' }, { say: 'it' }, { end: true })
      expect(await hand(bench.url, result(ids[1], 'B'))).toEqual({
        status: 200,
        accepted: [ids[1]],
        duplicate: [],
      })
      // The context of the run, and this one.
      await expect.poll(() => bench.sim.runs[0]?.closedExecs.size).toBe(2)
      expect(await hand(bench.url, [result(ids[0], 'A'), result(ids[1], 'B')])).toEqual({
        status: 200,
        accepted: [ids[0]],
        duplicate: [ids[1]],
      })
      // The run continues to its end without a client.
      expect(await bench.sim.runs[0]?.waitForClose()).toBe('finished')
      const second = await answerOf(bench.url, followUp(body, first, ['A', 'B']), 'streamed')
      expect(second).toMatchObject({ text: 'all of it', session: 'live', finish: 'stop' })
      expect(bench.sim.runs).toHaveLength(1)
    })

    it('results that were handed in need not be sent again', async () => {
      const { body, first, ids } = await parked(results, { say: 'both' }, { end: true })
      await hand(bench.url, result(ids[0], 'A'))
      const next = followUp(body, first, ['A', 'B'])
      next.messages = (next.messages as Body[]).filter(({ tool_call_id }) => tool_call_id !== ids[0])
      const second = await answerOf(bench.url, next, 'streamed')
      expect(second).toMatchObject({ text: 'both', session: 'live' })
      expect(second.notes.trim()).toBe('')
      expect(resultsText(bench.sim.runs[0])).not.toContain('error')
    })

    it.runIf(isNightly)('holds further calls for the follow-up, and keeps them alive', async () => {
      const { body, first, ids } = await parked(
        results,
        read('c'),
        { wait: 3_500 },
        results,
        { say: 'C' },
        { end: true },
      )
      await hand(bench.url, [result(ids[0], 'A'), result(ids[1], 'B')])
      await sleep(3_300)
      const second = await answerOf(bench.url, followUp(body, first, ['A', 'B']), 'streamed')
      expect(second).toMatchObject({ finish: 'tool_calls', session: 'live', calls: [{ name: 'read' }] })
      expect([...(bench.sim.runs[0]?.execHeartbeats.values() ?? [])].at(-1)).toBeGreaterThan(0)
      const third = await answerOf(
        bench.url,
        followUp(followUp(body, first, ['A', 'B']), second, ['C']),
        'streamed',
      )
      expect(third).toMatchObject({ text: 'C', session: 'live' })
    })

    it('a follow-up while the results are being worked on joins the stream', async () => {
      const { body, first, ids } = await parked(
        results,
        { say: 'begin, ' },
        { wait: 400 },
        { say: 'end' },
        { end: true },
      )
      await hand(bench.url, [result(ids[0], 'A'), result(ids[1], 'B')])
      await sleep(150)
      const second = await answerOf(bench.url, followUp(body, first, ['A', 'B']), 'streamed')
      expect(second).toMatchObject({ text: 'begin, end', session: 'live' })
    })

    it('a new run also receives results that were handed in and not sent again', async () => {
      for (const why of ['words', 'break'] as const) {
        bench.sim.clear()
        const { body, first, ids } = await parked(
          ...[results, why === 'break' ? ({ fault: 'reset' } as const) : { say: 'lost' }],
        )
        bench.sim.play([{ say: 'afresh' }, { end: true }])
        const handed = await hand(bench.url, [result(ids[0], 'content of A'), result(ids[1], 'content of B')])
        expect(handed.accepted).toEqual(ids)
        if (why === 'break') await bench.sim.runs[0]?.waitForClose()
        await sleep(50)
        const next = followUp(body, first, [])
        next.messages = (next.messages as Body[]).slice(0, -2)
        if (why === 'words') (next.messages as Body[]).push(user('and be quick'))
        expect(await answerOf(bench.url, next, 'streamed')).toMatchObject({
          text: 'afresh',
          session: 'fresh',
        })
        const told = Buffer.from(bench.sim.runs[1]?.requestBytes ?? []).toString('latin1')
        expect(told).toContain('content of A')
        expect(told).toContain('content of B')
      }
    })

    it('a result that comes before the answer with its call has ended counts for the next one', async () => {
      bench.sim.play([read('a'), results, { say: 'next' }, { end: true }])
      const body = askCursor('read it')
      const response = await fetch(`${bench.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
      })
      let text = ''
      let id: string | undefined
      for await (const bytes of response.body ?? []) {
        text += Buffer.from(bytes).toString()
        if (id !== undefined) continue
        id = /sess_\w{12}__call_\w+/.exec(text)?.[0]
        if (id !== undefined)
          expect(await hand(bench.url, result(id, 'A'))).toMatchObject({ accepted: [id], status: 200 })
      }
      expect(text).toContain('tool_calls')
      expect(text).not.toContain('next')
      const first = { text: '', calls: [{ id: id ?? '', name: 'read', arguments: '{"path":"a"}' }] }
      const second = await answerOf(bench.url, followUp(body, first, ['A']), 'streamed')
      expect(second).toMatchObject({ text: 'next', session: 'live', finish: 'stop' })
    })

    it('a result for a call that the run no longer waits for is not accepted', async () => {
      const { body, first, ids } = await parked(results, { say: 'on' }, { wait: 300 }, { end: true })
      const next = followUp(body, first, ['A', 'B'])
      next.messages = (next.messages as Body[]).filter(({ tool_call_id }) => tool_call_id !== ids[0])
      const answer = answerOf(bench.url, next, 'streamed')
      await sleep(100)
      const late = await hand(bench.url, result(ids[0], 'A'))
      expect(late).toMatchObject({ status: 404, unknown: [ids[0]] })
      expect(late.error?.message).toContain('has gone on without')
      expect(await answer).toMatchObject({ text: 'on', session: 'live' })
    })

    it('a second result that says something else is refused, and changes nothing', async () => {
      const { body, first, ids } = await parked(results, { say: 'ok' }, { end: true })
      await hand(bench.url, result(ids[0], 'A'))
      expect(await hand(bench.url, result(ids[0], 'something else'))).toMatchObject({
        status: 409,
        error: { code: 'conflict', message: expect.stringContaining(ids[0] ?? '-') },
      })
      const other = await answerOf(bench.url, followUp(body, first, ['something else', 'B']), 'streamed')
      expect(other).toMatchObject({ status: 409, error: { message: expect.stringContaining(ids[0] ?? '-') } })
      // Only the text is compared: Chat cannot carry an error flag, and content may be a list of parts.
      expect(
        await hand(bench.url, result(ids[0], [{ type: 'text', text: 'A' }], { is_error: true })),
      ).toMatchObject({
        status: 200,
        duplicate: [ids[0]],
      })
      const second = await answerOf(bench.url, followUp(body, first, ['A', 'B']), 'streamed')
      expect(second).toMatchObject({ text: 'ok', session: 'live' })
    })

    it('an error is an error for the model', async () => {
      bench.sim.play([{ exec: { mcp: { name: 'read', args: { path: 'a' } } } }, results, { end: true }])
      const first = await answerOf(bench.url, askCursor('read it'), 'streamed')
      await hand(bench.url, result(first.calls[0]?.id, 'no such file', { is_error: true }))
      await bench.sim.runs[0]?.waitForClose()
      const [given] = [...(bench.sim.runs[0]?.execResults.values() ?? [])].flat().slice(-1)
      expect(given?.message.value).toMatchObject({ result: { case: 'success', value: { isError: true } } })
    })

    it('unknown ids are named and do no harm', async () => {
      const { body, first, ids } = await parked(results, { say: 'ok' }, { end: true })
      const session = (ids[0] ?? '').slice(0, -1)
      const strange = [
        'call_123',
        '',
        'sess_AAAAAAAAAAAA__call_0',
        `${session}zz`,
        'sess_%00__call_1',
        `sess_${'x'.repeat(5_000)}`,
        '../../etc/passwd',
      ]
      for (const id of strange) {
        const outcome = await hand(bench.url, result(id, 'x'))
        expect(outcome).toMatchObject({ status: 404, unknown: [id], error: { param: 'tool_call_id' } })
      }
      expect(await hand(bench.url, [result('call_1', 'x'), result(ids[0], 'A')])).toEqual({
        status: 200,
        accepted: [ids[0]],
        duplicate: [],
        unknown: ['call_1'],
      })
      const second = await answerOf(bench.url, followUp(body, first, ['A', 'B']), 'streamed')
      expect(second).toMatchObject({ text: 'ok', session: 'live' })
    })

    it('a late result gets the state of its session', async () => {
      const { body, first, ids } = await parked(results, { say: 'done' }, { end: true })
      await answerOf(bench.url, followUp(body, first, ['A', 'B']), 'streamed')
      await bench.sim.runs[0]?.waitForClose()
      await sleep(100)
      const late = await hand(bench.url, result(ids[0], 'A'))
      expect(late).toMatchObject({ status: 404, unknown: [ids[0]] })
      expect(late.error?.message).toContain('its turn has ended')
      const broken = await parked({ wait: 150 }, { fault: 'reset' })
      await bench.sim.runs.at(-1)?.waitForClose()
      await sleep(100)
      const lost = await hand(bench.url, result(broken.ids[0], 'A'))
      expect(lost.error?.message).toContain('its run broke off')
    })
  })
}

it('an expired session is reported as expired', async () => {
  const bench = await startCursorBench({ settings: { sessions: { idleMs: 200 } } })
  bench.sim.play([read('a'), results, { end: true }])
  const first = await answerOf(bench.url, askCursor('read it'), 'streamed')
  await bench.sim.runs[0]?.waitForClose()
  const late = await hand(bench.url, result(first.calls[0]?.id, 'A'))
  expect(late).toMatchObject({ status: 404 })
  expect(late.error?.message).toContain('no result came for')
  await bench.close()
})

it('invalid bodies are refused by field; without a backend with sessions all ids are unknown', async () => {
  const bench = await startBench({ settings: { models: {} } })
  const cases: [unknown, string][] = [
    [[], 'body'],
    ['text', 'body'],
    [null, 'body'],
    [{ content: 'x' }, 'tool_call_id'],
    [{ tool_call_id: 7, content: 'x' }, 'tool_call_id'],
    [{ tool_call_id: 'a' }, 'content'],
    [{ tool_call_id: 'a', content: 5 }, 'content'],
    [
      [
        { tool_call_id: 'a', content: 'x' },
        { tool_call_id: 'b', content: 5 },
      ],
      '[1].content',
    ],
    [{ tool_call_id: 'a', content: 'x', is_error: 'yes' }, 'is_error'],
    [Array.from({ length: 1_001 }, () => ({ tool_call_id: 'a', content: '' })), 'body'],
  ]
  for (const [body, param] of cases) {
    const outcome = await hand(bench.url, body)
    expect([outcome.status, outcome.error?.param]).toEqual([400, param])
  }
  expect(await hand(bench.url, result('a', 'x'))).toMatchObject({ status: 404, unknown: ['a'] })
  await bench.close()
})

it("another key's session is as unknown as none", async () => {
  const keys = [
    { name: 'alice', key: 'alice-key-123456' },
    { name: 'bob', key: 'bob-key-12345678' },
  ]
  const bench = await startCursorBench({ gateway: { keys } })
  const as = (name: 'alice' | 'bob') => ({
    authorization: `Bearer ${keys.find((key) => key.name === name)?.key}`,
  })
  bench.sim.play([read('a'), results, { say: 'ok' }, { end: true }])
  const response = await fetch(`${bench.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...as('alice') },
    body: JSON.stringify(askCursor('read it')),
  })
  const answer = (await response.json()) as { choices: { message: { tool_calls: { id: string }[] } }[] }
  const id = answer.choices[0]?.message.tool_calls[0]?.id
  expect((await hand(bench.url, result(id, 'x'))).status).toBe(401)
  const foreign = await hand(bench.url, result(id, 'x'), as('bob'))
  const none = await hand(bench.url, result('sess_AAAAAAAAAAAA__call_0', 'x'), as('bob'))
  expect(foreign.error?.message.replace(id ?? '', 'ID')).toBe(
    none.error?.message.replace('sess_AAAAAAAAAAAA__call_0', 'ID'),
  )
  expect(await hand(bench.url, result(id, 'x'), as('alice'))).toMatchObject({ status: 200, accepted: [id] })
  await bench.close()
})

// What a gateway keeps of Cursor conversations beyond its process.

import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { type CursorStep, startCursorSim } from '../../sim/cursor.ts'
import { type Answer, answerOf, askCursor, cursorKey, followUp, startCursorBench } from '../cursor-bench.ts'
import { type Body, startBench, user } from '../harness.ts'

const read = (path: string): CursorStep => ({ exec: { read: { path } } })
const end: CursorStep = { end: true }

/** The user's next message after an answer. */
const say = (body: Body, answer: Pick<Answer, 'text'>, words: string): Body => ({
  ...body,
  messages: [...(body.messages as object[]), { role: 'assistant', content: answer.text }, user(words)],
})

it('conversations on disk outlive the process; other users cannot read them', async () => {
  const stateFolder = mkdtempSync(join(tmpdir(), 'dragoman-state-'))
  const sim = await startCursorSim({ apiKey: cursorKey })
  const settings = {
    backends: { cursor: { kind: 'cursor', baseUrl: sim.url, apiKey: cursorKey, transport: 'http2' } },
    sessions: { keep: 'disk' },
  }
  const start = () => startBench({ settings, gateway: { connect: { stateFolder } } })
  sim.play([{ say: 'Hello.' }, end], [{ say: 'As I said.' }, end])
  const body = askCursor('hi')
  const before = await start()
  const first = await answerOf(before.url, body, 'streamed')
  const folder = join(stateFolder, 'conversations', 'cursor')
  await expect.poll(() => readdirSync(stateFolder).length && readdirSync(folder).length).toBe(1)
  await before.close()
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600)
  const after = await start()
  const second = await answerOf(after.url, say(body, first, 'really?'), 'streamed')
  expect(second).toMatchObject({ text: 'As I said.', session: 'resumed' })
  expect(sim.runs[1]?.request.conversationId).toBe(sim.runs[0]?.request.conversationId)
  expect(sim.violations).toEqual([])
  await after.close()
  await sim.close()
  rmSync(stateFolder, { recursive: true })
})

it('nothing is remembered with sessions.reuse off', async () => {
  const bench = await startCursorBench({ settings: { sessions: { reuse: false } } })
  bench.sim.play([{ say: 'Hello.' }, end], [{ say: 'Oh.' }, end])
  const body = askCursor('hi')
  const first = await answerOf(bench.url, body, 'streamed')
  await sleep(100)
  expect(await answerOf(bench.url, say(body, first, 'what?'), 'streamed')).toMatchObject({ session: 'fresh' })
  bench.sim.play([read('a')], [{ say: 'afresh' }, end])
  const calling = await answerOf(bench.url, body, 'streamed')
  const late = await fetch(`${bench.url}/v1/tool_results`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ tool_call_id: calling.calls[0]?.id, content: 'A' }),
  })
  expect([late.status, await late.text()]).toEqual([404, expect.stringContaining('sessions.reuse')])
  expect(await answerOf(bench.url, followUp(body, calling, ['A']), 'streamed')).toMatchObject({
    text: 'afresh',
    session: 'fresh',
  })
  await bench.close()
})

// Session and agent ids of Claude Code: the main turn and its subagents work at once on a session backend, and the log tells them apart.

import { expect, it } from 'vitest'
import type { Body } from '../harness.ts'
import { others, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()
const agent = { 'x-claude-code-agent-id': 'a0123456789abcdef' }
const ask = (messages: Body[], more: Record<string, string>) =>
  send(bench, cc.turn(others.cursor, { messages, stream: false }), { more })
const call = { exec: { shell: { command: 'ls' } } }
const turns = () =>
  bench.logs.map((line) => JSON.parse(line)).filter(({ msg, message }) => (msg ?? message) === 'turn')

it('a subagent and the main turn, with the same words at the same time, each keep their run', async () => {
  const words = cc.opening('the same words')
  for (const said of ['of one', 'of the other'])
    bench.cursor.play([call, { await: 'results' }, { say: said }, { end: true }])
  const callers: Record<string, string>[] = [{}, agent]
  const first = await Promise.all(callers.map((more) => ask(words, more)))
  const second = await Promise.all(
    first.map(({ json }, at) => {
      const [use] = json.content.filter(({ type }: Body) => type === 'tool_use')
      const result = { type: 'tool_result', tool_use_id: use.id, content: `listing ${at}` }
      return ask([...words, cc.assistant(json.content), cc.user([result])], callers[at] ?? {})
    }),
  )
  expect(second.map(({ header }) => header('x-dragoman-session'))).toEqual(['live', 'live'])
  expect(second.map(({ json }) => json.content.at(-1).text).sort()).toEqual(['of one', 'of the other'])
  expect(bench.cursor.runs).toHaveLength(2)
  expect(new Set(turns().map(({ clientSession }) => clientSession))).toEqual(
    new Set([cc.sessionId, `${cc.sessionId}/${agent['x-claude-code-agent-id']}`]),
  )
})

it('two sessions with the same conversation each go on from their own', async () => {
  const words = cc.opening('hello')
  for (let at = 0; at < 4; at++) bench.cursor.play([{ say: 'Hi.' }, { end: true }])
  const callers = [{}, { 'x-claude-code-session-id': 'another-session' }]
  const first = []
  for (const more of callers) first.push(await ask(words, more))
  const next = []
  for (const [at, { json }] of first.entries())
    next.push(await ask([...words, cc.assistant(json.content), cc.user('more')], callers[at] ?? {}))
  expect(next.map(({ header }) => header('x-dragoman-session'))).toEqual(['resumed', 'resumed'])
})

it.each(['x'.repeat(200), 'a b', 'a/b', '{"x":1}'])('a value that is no id is not used: %s', async (id) => {
  bench.openai.play([{ say: 'Hi.' }])
  await send(bench, cc.turn(others.openai), { more: { 'x-claude-code-session-id': id } })
  expect(turns().at(-1)).not.toHaveProperty('clientSession')
})

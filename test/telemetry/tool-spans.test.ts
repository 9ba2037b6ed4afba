// Calls of session backends: from the end of a call to the arrival of its result.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { answerOf, askCursor, followUp } from '../cursor-bench.ts'
import { kinds, toolsOf, turnOf, useTraced } from './traced.ts'

const loop: CursorStep[] = [
  { exec: { read: { path: 'a' } } },
  { await: 'results' },
  { say: 'done' },
  { end: true },
]

describe('tool calls of a session backend', () => {
  const traced = useTraced()

  it.each(['streamed', 'whole'] as const)('are spans of the turn that made them: %s', async (form) => {
    traced.cursor.play(loop)
    const body = askCursor('go')
    const first = await answerOf(traced.url, body, form)
    const before = turnOf(await traced.collector.until(2))
    traced.collector.clear()
    const second = await answerOf(traced.url, followUp(body, first, ['A']), form)
    expect(second.session).toBe('live')
    const spans = await traced.collector.until(3)
    const after = turnOf(spans)
    const [tool, ...more] = toolsOf(spans)
    expect(more).toEqual([])
    expect(tool).toMatchObject({
      name: 'execute_tool read',
      kind: kinds.internal,
      traceId: before?.traceId,
      parentSpanId: before?.spanId,
      status: {},
      links: [{ traceId: after?.traceId, spanId: after?.spanId }],
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'read',
        'gen_ai.tool.call.id': first.calls[0]?.id,
        'gen_ai.tool.type': 'function',
      },
    })
    const session = first.calls[0]?.id.slice('sess_'.length, 'sess_'.length + 12)
    for (const turn of [before, after]) expect(turn?.attributes['gen_ai.conversation.id']).toBe(session)
    expect(before?.attributes).toMatchObject({
      'dragoman.session': 'fresh',
      'gen_ai.provider.name': 'cursor',
    })
    expect(after?.attributes['dragoman.session']).toBe('live')
  })

  it('the same results again are not told of again', async () => {
    traced.cursor.play(loop)
    const body = askCursor('go')
    const next = followUp(body, await answerOf(traced.url, body, 'streamed'), ['A'])
    await answerOf(traced.url, next, 'streamed')
    traced.cursor.play([{ say: 'again' }, { end: true }])
    await answerOf(traced.url, next, 'streamed')
    expect(toolsOf(await traced.collector.until(7))).toHaveLength(1)
  })

  it('results ahead of their request end them', async () => {
    traced.cursor.play(loop)
    const first = await answerOf(traced.url, askCursor('go'), 'streamed')
    const [call] = first.calls
    const response = await fetch(`${traced.url}/v1/tool_results`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ tool_call_id: call?.id, content: 'A' }),
    })
    expect(await response.json()).toMatchObject({ accepted: [call?.id] })
    const [tool] = toolsOf(await traced.collector.until(3))
    expect(tool).toMatchObject({ name: 'execute_tool read', links: [] })
  })
})

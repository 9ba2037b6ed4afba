// The calls of a Cursor run are checked too. The run waits for their results, so they keep their ids, and a second try goes on in the
// same run.

import { describe, expect, it } from 'vitest'
import type { CursorStep } from '../../sim/cursor.ts'
import { answered, ask, called, chat, useBench, user } from '../harness.ts'

const model = 'cursor/composer-2'
const read = {
  type: 'function',
  function: {
    name: 'read_file',
    parameters: {
      type: 'object',
      properties: { path: { type: 'string' }, limit: { type: 'integer' } },
      required: ['path'],
    },
  },
}
const call = (args: Record<string, string | number>): CursorStep => ({
  exec: { mcp: { name: 'read_file', args } },
})
const rest: CursorStep[] = [{ await: 'results' }, { say: 'Done.' }]

interface Call {
  id: string
  function: { name: string; arguments: string }
}

describe.each(['repair', 'retry'])('with %s', (check) => {
  const bench = useBench({ cursor: { calls: { check } } })
  const start = () => chat(bench.url, ask(model, { tools: [read] }))
  const resume = (calls: readonly Call[]) =>
    chat(
      bench.url,
      ask(model, {
        tools: [read],
        messages: [
          user('hello'),
          {
            role: 'assistant',
            tool_calls: calls.map(({ id, function: { name, arguments: input } }) => called(id, name, input)),
          },
          ...calls.map(({ id }) => answered(id, 'alpha')),
        ],
      }),
    )

  it('a repaired call keeps its id, and its run goes on', async () => {
    bench.cursor.play([call({ path: 'a', limit: '5' }), ...rest])
    const { json, headers } = await start()
    const { tool_calls: calls } = json.choices[0].message
    expect(calls).toMatchObject([{ function: { name: 'read_file', arguments: '{"path":"a","limit":5}' } }])
    expect(calls[0].id).not.toContain('_mended')
    expect(headers.get('x-dragoman-notes')).toContain('read_file: limit: a string became a number')
    const next = await resume(calls)
    expect(next.headers.get('x-dragoman-session')).toBe('live')
    expect(next.json.choices[0].message.content).toBe('Done.')
    expect(bench.cursor.runs).toHaveLength(1)
  })

  it('a call that does not fit is asked for in the same run, or passed on', async () => {
    bench.cursor.play([call({ limit: 5 }), { await: 'results' }, call({ path: 'b' }), ...rest])
    const { json, headers } = await start()
    const { tool_calls: calls } = json.choices[0].message
    const passed = check === 'retry' ? '{"path":"b"}' : '{"limit":5}'
    expect(calls).toMatchObject([{ function: { arguments: passed } }])
    expect(headers.get('x-dragoman-notes')).toContain('path: is missing')
    if (check === 'repair') return
    expect((await resume(calls)).json.choices[0].message.content).toBe('Done.')
    expect(bench.cursor.runs).toHaveLength(1)
  })
})

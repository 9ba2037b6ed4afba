// Long silences: while a model thinks, and while long arguments are held until they are whole.

import { describe, expect, it } from 'vitest'
import { ask, chatStream, quickRetries, useBench } from '../harness.ts'
import { blockStop, json, messageEnd, messageStart, toolUse } from './frames.ts'

const bench = useBench({
  settings: { models: { both: ['anthropic/claude-demo', 'openai/gpt-demo'] } },
  gateway: { keepAliveMs: 60, retryPolicy: quickRetries },
})

describe('keep-alive', () => {
  it('sends comments while arguments are held back, and then the whole call', async () => {
    bench.anthropic.play([
      messageStart,
      toolUse(0, 'toolu_1', 'read'),
      json(0, '{"path":'),
      { wait: 1_000 },
      json(0, '"a"}'),
      blockStop(0),
      ...messageEnd('tool_use'),
    ])
    const answer = await chatStream(bench.url, ask('anthropic/claude-demo'))
    expect(answer.problems).toEqual([])
    expect(answer.comments.filter((comment) => comment === ': keepalive').length).toBeGreaterThan(0)
    expect(answer.calls.map((call) => call.pieces)).toEqual([['{"path":"a"}']])
  })

  it('an error after them is in-band, and no other backend is tried: the status has been sent', async () => {
    bench.anthropic.play([
      { wait: 1_000 },
      { status: 529, body: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
    ])
    const answer = await chatStream(bench.url, ask('both'))
    expect([answer.status, answer.error.message, answer.problems]).toEqual([200, 'anthropic: Overloaded', []])
    expect(bench.openai.requests).toEqual([])
  })

  it('a quick answer has none', async () => {
    const answer = await chatStream(bench.url, ask('anthropic/claude-demo'))
    expect(answer.comments).toEqual([])
  })
})

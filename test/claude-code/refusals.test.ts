// A refusal or a content filter of another service, as Claude Code reads it: the stop reason, with details whose category is not known.

import { describe, expect, it } from 'vitest'
import type { Step } from '../../sim/script.ts'
import type { Body } from '../harness.ts'
import { chatAnswer, chunk, done } from '../wire-cases/frames.ts'
import { others, send, useContractBench } from './bench.ts'
import * as cc from './requests.ts'

const bench = useContractBench()

const stop = {
  stop_reason: 'refusal',
  stop_sequence: null,
  stop_details: { type: 'refusal', category: null, explanation: null },
}

async function stopOf(model: string, stream: boolean): Promise<Body> {
  const { status, said, json } = await send(bench, { ...cc.turn(model), stream })
  expect(status).toBe(200)
  if (!stream) return json
  const events = said
    .split('\n')
    .flatMap((line) => (line.startsWith('data: {') ? JSON.parse(line.slice(6)) : []))
  expect(events.at(-1).type).toBe('message_stop')
  return events.find(({ type }) => type === 'message_delta').delta
}

describe.each([true, false])('stream: %s', (stream) => {
  it.each([others.openai, others.responses])('%s: a filter cuts the answer', async (model) => {
    bench.openai.play([{ say: 'I would' }, { end: 'refusal' }])
    expect(await stopOf(model, stream)).toMatchObject(stop)
  })

  it('openai: a filter leaves nothing', async () => {
    const steps: Step[] = stream
      ? [chunk({ role: 'assistant', content: '' }), chunk({}, 'content_filter'), done]
      : [chatAnswer({ role: 'assistant', content: null }, 'content_filter')]
    bench.openai.play(steps)
    expect(await stopOf(others.openai, stream)).toMatchObject(stop)
  })

  it('openai: a refusal in words of their own kind', async () => {
    const steps: Step[] = stream
      ? [chunk({ role: 'assistant', refusal: 'I will not.' }), chunk({}, 'stop'), done]
      : [chatAnswer({ role: 'assistant', content: null, refusal: 'I will not.' }, 'stop')]
    bench.openai.play(steps)
    expect(await stopOf(others.openai, stream)).toMatchObject(stop)
  })

  it('an ordinary end has no such details', async () => {
    bench.openai.play([{ say: 'Yes.' }])
    const end = await stopOf(others.openai, stream)
    expect(end.stop_reason).toBe('end_turn')
    expect(end).not.toHaveProperty('stop_details')
  })
})

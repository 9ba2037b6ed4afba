// What T20 to T23 share: a request that must be accepted, and the body that the upstream got.

import { expect } from 'vitest'
import type { Sim } from '../../sim/server.ts'
import { ask, type Bench, type Body, called, chat, chatStream, useBench } from '../harness.ts'

export const bench = {} as Bench
/** For the top of each file: files of a worker share this module, so its hooks would be those of the first one only. */
export const useRequestBench = () => void useBench({}, bench)

// biome-ignore lint/suspicious/noExplicitAny: request bodies of any shape are looked into
export const sent = (sim: Sim, at = -1): any => sim.requests.at(at)?.body

/** Sends it streamed and whole; both must be accepted, and the last upstream body is returned. */
export async function accepted(
  model: string,
  more: Body,
): Promise<{ upstream: ReturnType<typeof sent>; notes: string }> {
  const streamed = await chatStream(bench.url, ask(model, more))
  expect([streamed.status, streamed.error, streamed.problems]).toEqual([200, undefined, []])
  const whole = await chat(bench.url, ask(model, more))
  expect([whole.status, whole.json.error]).toEqual([200, undefined])
  const sim = model.startsWith('anthropic/') ? bench.anthropic : bench.openai
  return { upstream: sent(sim), notes: whole.headers.get('x-dragoman-notes') ?? '' }
}

export const twoCalls = {
  role: 'assistant',
  content: '',
  tool_calls: [called('c1', 'read', { path: 'a' }), called('c2', 'read', { path: 'b' })],
}

import { expect, it } from 'vitest'
import type { UpstreamClient, UpstreamResponse } from '../../upstream/client.ts'
import { AppendQueue } from './append-queue.ts'

it('sends a message that is pushed just as the last one completes', async () => {
  // However many microtasks after the response.
  for (let steps = 0; steps < 40; steps++) {
    let appended = 0
    const later = async () => {
      for (let step = 0; step < steps; step++) await Promise.resolve()
      queue.push(Buffer.from('second'))
    }
    const request = async () => {
      if (++appended === 1) void later()
      return {
        status: 200,
        headers: {},
        body: { read: async () => null, drain: () => undefined },
      } as unknown as UpstreamResponse
    }
    const queue = new AppendQueue({
      backend: 'box',
      client: { request } as unknown as UpstreamClient,
      headers: {},
      renewHeaders: undefined,
      requestId: 'id',
      signal: new AbortController().signal,
      answerMs: 1_000,
      onFailure: (failure) => {
        throw failure
      },
    })
    queue.push(Buffer.from('first'))
    await new Promise((resolve) => setImmediate(resolve))
    expect([steps, appended]).toEqual([steps, 2])
  }
})

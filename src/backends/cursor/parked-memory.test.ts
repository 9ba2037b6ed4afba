import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { startCursorSim } from '../../../sim/cursor.ts'
import { cursorBackend } from '../../../test/cursor-backend.ts'
import type { TurnContext } from '../../core/backend.ts'
import { Notes } from '../../core/notes.ts'
import type { TurnRequest } from '../../core/request.ts'

setFlagsFromString('--expose_gc')
const collectGarbage = runInNewContext('gc') as () => void

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

function newRequest(): TurnRequest {
  return {
    model: 'composer-2',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'read it' }] }],
    tools: [{ name: 'read', schema }],
    stream: true,
    origin: { dialect: 'openai-chat', body: { large: 'body' }, faithful: true },
  }
}

for (const transport of ['http2', 'sse'] as const) {
  it(`a parked run does not retain the request that began it, over ${transport}`, async () => {
    const sim = await startCursorSim()
    const backend = cursorBackend(sim, { transport, progressMs: 10_000 })
    sim.play([{ exec: { mcp: { name: 'read', args: { path: 'a' } } } }, { await: 'results' }, { end: true }])

    const ask = async () => {
      const request = newRequest()
      const context: TurnContext = {
        turnId: 'turn_1',
        caller: { key: 'me' },
        signal: new AbortController().signal,
        notes: new Notes(),
        wholeArguments: true,
        // As the gateway's own: it knows the request.
        onSession: () => request.model,
      }
      for await (const _batch of backend.run(request, context));
      return new WeakRef(request)
    }
    const request = await ask()
    await expect.poll(() => sim.runs[0]?.execResults.size).toBe(1)
    const isGone = () => {
      collectGarbage()
      return request.deref() === undefined
    }
    await expect.poll(isGone, { interval: 20 }).toBe(true)
    expect(sim.runs[0]?.closed).toBeUndefined()
    await backend.close()
    await sim.close()
  })
}

// A Cursor service that sends, or asks for, twenty times what the gateway may keep of a run.

import { describe, it } from 'vitest'
import { transports } from '../cursor-bench.ts'
import { share } from '../depth.ts'
import { cursorFloods } from './cursor-floods.ts'
import { startCursorFlood } from './cursor-upstream.ts'
import { binarySlack, expectHeld, MiB, overload, report, turnBound } from './harness.ts'

const allowedBytes = 2 * turnBound + binarySlack

const tool = (at: number) => ({
  type: 'function',
  function: {
    name: at === 0 ? 'read' : `tool_${at}`,
    description: 'x'.repeat(1_000),
    parameters: { type: 'object' },
  },
})

const rows = transports.flatMap((transport) => cursorFloods.map((row) => ({ ...row, transport, row })))

describe('a flood', () => {
  it.each(share(rows, 8))('over $transport: $name', { timeout: 300_000 }, async ({ row, transport }) => {
    const { url: baseUrl, seen, close } = await startCursorFlood(row, transport)
    const cursor = { kind: 'cursor', baseUrl, accessToken: 'x', transport }
    // The context that is asked for has a hundred tools in it.
    const tools = Array.from({ length: 100 }, (_, at) => tool(at))
    const body = { model: 'cursor/x', stream: row.stream, messages: [{ role: 'user', content: 'hi' }], tools }
    const measured = await overload({ config: { backends: { cursor } } }, async ({ url }) => {
      const response = await fetch(`${url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      for await (const _ of response.body ?? []);
      return response.status
    })
    await close()
    const [sent, received] = [seen.sent, seen.received].map((bytes) => Math.round(bytes / MiB))
    report(`cursor over ${transport}: ${row.name}, ${sent} MiB sent, ${received} MiB taken`, measured)
    expectHeld(measured, allowedBytes, row.heldMs)
  })
})

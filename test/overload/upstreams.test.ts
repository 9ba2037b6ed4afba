// The floods of the nightly test, on a gateway whose turns may keep little: each ends with an error that names the limit, as a status
// where nothing was sent yet and in the stream where something was. What is kept of nothing goes through.

import { describe, expect, it } from 'vitest'
import { spread } from '../depth.ts'
import { startGateway } from '../harness.ts'
import { httpFloods } from './http-floods.ts'
import { askFlooded, startFlood } from './http-upstream.ts'

const turnBytes = 256 * 1024
const most = 20 * turnBytes

describe.each(spread(httpFloods, 3))('$backend.kind: $name', (row) => {
  it.each(row.ways)('$door, stream: $stream', async ({ door, stream, keeps }) => {
    const { url: baseUrl, flood, close } = await startFlood(row, row.mostBytes ?? most)
    const { gateway, url } = await startGateway(
      { backends: { box: { ...row.backend, baseUrl } } },
      { turnBytes },
    )
    const { status, tail } = await askFlooded(url, row, door, stream)
    await gateway.close()
    await close()
    if (!keeps) return expect(flood.isWhole).toBe(true)
    expect(status).toBe(stream && status === 200 ? 200 : 502)
    expect(tail).toMatch(/more than \d+ (bytes|MiB|JSON values)/)
  })
})

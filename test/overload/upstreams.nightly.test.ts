// Upstreams over HTTP that send twenty times what the gateway may keep of a turn. Whoever reads a stream gets all of it; where something
// has to be kept, the turn ends with an error that names the limit.

import { describe, expect, it } from 'vitest'
import { share } from '../depth.ts'
import { expectHeld, floodBytes, MiB, overload, report } from './harness.ts'
import { httpFloods, placeOf } from './http-floods.ts'
import { askFlooded, startFlood } from './http-upstream.ts'

describe.each(httpFloods)('$backend.kind: $name', (row) => {
  it.each(share(row.ways, Math.ceil(row.ways.length / 2)))(
    '$door, stream: $stream',
    { timeout: 300_000 },
    async ({ door, stream, keeps }) => {
      const { url: baseUrl, flood, close } = await startFlood(row, row.nightlyBytes ?? floodBytes)
      const config = { ollama: { enabled: true }, backends: { box: { ...row.backend, baseUrl } } }
      const measured = await overload({ config }, ({ url }) => askFlooded(url, row, door, stream))
      await close()
      const sent = Math.round(flood.sent / MiB)
      report(`${placeOf(row)}: ${row.name}, ${door}, stream ${stream}, ${sent} MiB sent`, measured)
      expectHeld(measured)
      if (row.nightlyBytes === undefined) expect(flood.isWhole).toBe(!keeps)
      if (keeps) expect(measured.result?.tail).toMatch(/more than \d+ (MiB|JSON values)/)
    },
  )
})

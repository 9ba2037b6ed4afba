// Checks that traces would arrive: sends an empty request, which every collector accepts.

import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import { readTelemetry } from '../config/telemetry.ts'
import { createUpstreamClient } from '../upstream/client.ts'
import type { Finding } from './check-safety.ts'

const check = 'traces'
const patienceMs = 5_000

export async function checkTraces(
  { telemetry }: Config,
  { variable, environmentProxy }: Environment,
): Promise<Finding[]> {
  if (!telemetry.traces) return []
  const settings = readTelemetry(telemetry, variable)
  if (!settings) return [{ check, status: 'ok', message: 'off: OTEL_SDK_DISABLED is set' }]
  const { url, headers } = settings
  const client = createUpstreamClient(url, { name: 'telemetry', environmentProxy })
  try {
    const { status, body } = await client.request({
      method: 'POST',
      path: new URL(url).pathname === '/' ? '/' : '',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"resourceSpans":[]}',
      signal: AbortSignal.timeout(patienceMs),
    })
    await body.readAll(64 * 1024)
    if (status >= 200 && status < 300) return [{ check, status: 'ok', message: `${url} accepts them` }]
    const message = `${url} answers HTTP ${status}: traces would be lost; correct "telemetry.endpoint" or "telemetry.headers"`
    return [{ check, status: 'warning', message }]
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return [{ check, status: 'warning', message: `${why} Traces would be lost; turns are not affected` }]
  } finally {
    await client.close()
  }
}

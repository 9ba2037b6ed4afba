// Runs the cases in this process on a gateway, or on a deliberately broken one, with a scripted upstream.

import type { InternalOptions } from '../../src/gateway.ts'
import { type DoorName, doorNames } from '../../src/judge/clients/answer.ts'
import { allCases } from '../../src/judge/conform/cases/all.ts'
import { findDoors } from '../../src/judge/conform/find-doors.ts'
import { jobsOf, type Result, runCases } from '../../src/judge/conform/run.ts'
import { obliging } from '../../src/judge/conform/upstream/obliging.ts'
import type { UpstreamKind } from '../../src/judge/conform/upstream/played.ts'
import { startUpstream, type Upstream } from '../../src/judge/conform/upstream/server.ts'
import { startGateway } from '../harness.ts'

export const gatewayKey = 'conform-key-canary-31415926'

export interface Judged {
  /** The base URL of our own gateway, before the upstream. */
  base: string
  upstream: Upstream
  judge(base?: string, options?: { doors?: readonly DoorName[]; only?: readonly string[] }): Promise<Result[]>
  close(): Promise<void>
}

export async function startJudged(
  kind: UpstreamKind,
  settings: Record<string, unknown> = {},
  options: Partial<InternalOptions> = {},
): Promise<Judged> {
  const upstream = await startUpstream(kind, { fallback: obliging })
  const { gateway, url } = await startGateway(
    {
      auth: { keys: [{ name: 'judge', key: gatewayKey }] },
      backends: { up: { kind, baseUrl: upstream.url, apiKey: 'x' } },
      models: {},
      ...settings,
    },
    { keys: [{ name: 'judge', key: gatewayKey }], ...options },
  )
  const base = `${url}/v1`
  return {
    base,
    upstream,
    judge: async (at = base, { doors = doorNames, only } = {}) => {
      const target = { base: at, key: gatewayKey, headers: {}, timeoutMs: 20_000 }
      const options = {
        target,
        model: kind === 'anthropic' ? 'up/claude-conform-{case}' : 'up/conform-{case}',
        upstream,
      }
      const missing = await findDoors(doors, options)
      const jobs = jobsOf(allCases, { doors, upstream: kind, ...(only ? { only } : {}) })
      const signal = new AbortController().signal
      return runCases({ ...options, jobs, missing, signal, onResult: () => undefined })
    },
    close: async () => {
      await gateway.close()
      await upstream.close()
    },
  }
}

/** What failed, and why, in a form that reads well in a failed test. */
export const failures = (results: readonly Result[]): string[] =>
  results
    .filter(({ outcome }) => outcome === 'fail')
    .map(({ id, door, form, expected, came }) => `${id} ${door}/${form}: expected ${expected}; came ${came}`)

export const failedIds = (results: readonly Result[]): string[] => [
  ...new Set(results.flatMap(({ outcome, id }) => (outcome === 'fail' ? [id] : []))),
]

// POST /v1/tool_results: passes results to waiting sessions before the request that will carry them.

import type { Backend, Delivery } from '../core/backend.ts'
import type { Caller } from '../core/caller.ts'
import { GatewayError } from '../core/errors.ts'
import type { ToolResult } from '../core/request.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BodyLimits, readJsonBody } from '../http/json-body.ts'
import { respondJson } from '../http/respond.ts'
import type { Tracer } from '../observe/tracing.ts'
import { unmarkId } from '../protocols/call-check/marked-id.ts'
import { openaiErrorBody } from '../protocols/errors/openai-error.ts'
import { readToolResults } from '../protocols/openai-chat/tool-results-in.ts'

interface Services {
  /** Of the configuration in force, and earlier ones that still have runs. */
  backends(): Iterable<readonly [string, Backend]>
  bodyLimits: BodyLimits
  tracer?: Tracer | undefined
}

export async function serveToolResults(
  exchange: Exchange,
  caller: Caller,
  services: Services,
): Promise<void> {
  const { json } = await readJsonBody(exchange, services.bodyLimits)
  // A corrected call is known to its run without the mark.
  const given = readToolResults(json)
  const results = given.map((result) => ({ ...result, callId: unmarkId(result.callId) }))
  const deliveries = await deliver(results, caller, services.backends())
  services.tracer?.arrived(results, caller)
  const idsOf = (state: Delivery['state']) =>
    given.filter((_, at) => deliveries[at]?.state === state).map(({ callId }) => callId)
  const [accepted, duplicate, unknown] = [idsOf('accepted'), idsOf('duplicate'), idsOf('unknown')]
  const outcome = { accepted, duplicate, ...(unknown.length === 0 ? {} : { unknown }) }
  const error = refusal(deliveries)
  if (error) respondJson(exchange, error.status, { ...openaiErrorBody(error), ...outcome })
  else respondJson(exchange, 200, outcome)
}

/** Call ids do not name their backend: every session backend is asked until one knows the call. */
async function deliver(
  results: readonly ToolResult[],
  caller: Caller,
  backends: Iterable<readonly [string, Backend]>,
): Promise<Delivery[]> {
  const deliveries: Delivery[] = results.map(({ callId }) => ({
    callId,
    state: 'unknown',
    why: 'no backend here keeps sessions',
  }))
  for (const [, { sessions }] of backends) {
    const places = deliveries.flatMap(({ state }, at) => (state === 'unknown' ? [at] : []))
    if (!sessions || places.length === 0) continue
    const asked = places.flatMap((at) => results[at] ?? [])
    for (const [index, delivery] of (await sessions.deliver(asked, caller)).entries()) {
      const at = places[index]
      if (at !== undefined) deliveries[at] = delivery
    }
  }
  return deliveries
}

/** A differing result makes the whole answer an error, but accepted results stay accepted. Unknown ids do so only if all are. */
function refusal(deliveries: readonly Delivery[]): GatewayError | undefined {
  const of = (state: Delivery['state']) => deliveries.filter((delivery) => delivery.state === state)
  const [different] = of('different')
  if (different)
    return new GatewayError(
      'conflict',
      `${different.callId}: ${different.why ?? 'another result was taken for this call before'}. The first one stands.`,
      { param: 'tool_call_id' },
    )
  const unknown = of('unknown')
  if (unknown.length < deliveries.length) return undefined
  const reasons = unknown.slice(0, 3).map(({ callId, why }) => `${callId.slice(0, 100)}: ${why}`)
  const more = unknown.length > 3 ? ` (and ${unknown.length - 3} more)` : ''
  return new GatewayError(
    'not-found',
    `Nothing waits for these results. ${reasons.join('; ')}${more}. Send the conversation with its results as a chat request: it is answered in any case.`,
    { param: 'tool_call_id', detail: 'tool_call_not_found' },
  )
}

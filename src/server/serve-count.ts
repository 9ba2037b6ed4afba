// The length of a request in tokens: the service's own count, or an estimate marked as one.

import { randomId } from '../base/ids.ts'
import type { Latch } from '../base/latch.ts'
import type { Caller } from '../core/caller.ts'
import { GatewayError } from '../core/errors.ts'
import { Notes } from '../core/notes.ts'
import type { TurnRequest } from '../core/request.ts'
import { withTurnSignal } from '../core/turn-signal.ts'
import type { Door } from '../doors/door.ts'
import type { Exchange } from '../http/exchange.ts'
import { type BodyLimits, readJsonBody } from '../http/json-body.ts'
import { respondJson } from '../http/respond.ts'
import { estimateTokens } from '../protocols/anthropic-messages/count-tokens.ts'
import { dialectHeaders } from '../protocols/requests/dialect-headers.ts'
import type { CallChecks } from './call-checks.ts'
import type { Catalog, Target } from './catalog.ts'
import { shapeOf } from './refuse.ts'
import { resolveModel } from './resolve-model.ts'
import type { ToolDeferral } from './tool-deferral.ts'

interface Services {
  catalog: Catalog
  bodyLimits: BodyLimits
  stopping: Latch
  deferral?: ToolDeferral | undefined
  callChecks?: CallChecks | undefined
}

/** `shape` makes the answer of the count. */
export async function serveCount(
  exchange: Exchange,
  { door, shape }: { door: Door; shape(tokens: number): Record<string, unknown> },
  caller: Caller,
  services: Services,
): Promise<void> {
  const turnId = `turn_${randomId(16)}`
  exchange.head.setAll(door.headers?.(turnId))
  exchange.head.shapeErrors(shapeOf(door, turnId))
  const { json, text } = await readJsonBody(exchange, services.bodyLimits)
  await door.prepare?.(json)
  const notes = new Notes()
  const request = door.read(json, notes, exchange.header)
  const { model, turn } = request
  const [target] = await resolveModel(services.catalog, request, notes)
  const restored = services.callChecks?.restore(turn, { caller }, () => undefined) ?? turn
  const asked: TurnRequest = {
    ...restored,
    model: target?.model ?? model,
    origin: { ...restored.origin, text, headers: dialectHeaders(exchange.headerNames(), exchange.header) },
  }
  const sent = sentOf(asked, target, caller, services)
  const context = { turnId, caller, notes, wholeArguments: true }
  const count = await withTurnSignal(exchange.sink, services.stopping, async (signal) =>
    target?.backend.countTokens?.(sent, { ...context, signal }),
  ).catch((error: unknown) => {
    // If the service cannot count, the client gets an estimate.
    const failure = GatewayError.from(error)
    if (failure.code === 'canceled' || failure.code === 'internal' || isAboutRequest(failure)) throw failure
    return undefined
  })
  if (count === undefined) exchange.head.set('x-dragoman-notes', 'the count is an estimate')
  respondJson(exchange, 200, shape(count ?? estimateTokens(sent)))
}

/** What the model would get: without the tools that it has to search for. */
const sentOf = (asked: TurnRequest, target: Target | undefined, caller: Caller, { deferral }: Services) =>
  (target && deferral?.defer(asked, target.backend, { caller })?.request) ?? asked

/** The service refuses this request, and will refuse the turn too: the client mends it by the service's words. */
const isAboutRequest = ({ code, said }: GatewayError): boolean =>
  said?.form === 'anthropic' && (code === 'invalid-request' || code === 'context-overflow')

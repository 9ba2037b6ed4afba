// POST /inspector/turns/ID/resend: sends a recorded request again through this gateway, for the key of its turn.

import { isObject } from '../base/json.ts'
import { GatewayError } from '../core/errors.ts'
import type { Exchange, Resending } from '../http/exchange.ts'
import { readJsonBody } from '../http/json-body.ts'
import { respondJson } from '../http/respond.ts'
import type { HttpRoute } from '../http/route.ts'
import type { Abilities } from './api.ts'
import { type Scope, whoseOf } from './login.ts'
import { type ResentRequest, resentRequest } from './resend.ts'
import { scopeOf, seenTurn, type Viewing } from './viewer.ts'

/** Sends a request in-process. `turn` is known as soon as a turn has begun. */
export type Send = (
  request: ResentRequest,
  resending: Resending,
) => { turn(): string | undefined; ended: Promise<void> }

interface ResendParts extends Viewing {
  /** Undefined until the gateway serves. */
  send(): Send | undefined
  may: Pick<Abilities, 'resend'>
}

/** For each key, and for viewers of all turns. */
const [mostAtOnce, mostPerMinute] = [4, 20]
const bodyLimits = { bytes: 4_096, values: 100 }
const longestModel = 200
const resendPattern = /^\/inspector\/turns\/(turn_[A-Za-z0-9]{1,64})\/resend$/

export function resendRoutes(parts: ResendParts): HttpRoute<unknown>[] {
  const paces = new Map<string, Pace>()
  const paceOf = (scope: Scope) => {
    const whose = whoseOf(scope)
    const pace = paces.get(whose) ?? new Pace()
    paces.set(whose, pace)
    return pace
  }
  return [
    {
      method: 'POST',
      path: '/inspector/turns/*/resend',
      page: true,
      handle: (exchange, _services, { key }) => {
        const scope = scopeOf(exchange, key, parts)
        return resend(exchange, scope, parts, paceOf(scope))
      },
    },
  ]
}

async function resend(exchange: Exchange, scope: Scope, parts: ResendParts, pace: Pace): Promise<void> {
  const [, turnId = ''] = resendPattern.exec(exchange.path) ?? []
  const model = modelOf((await readJsonBody(exchange, bodyLimits)).json)
  const { kept, summary } = seenTurn(turnId, scope, parts)
  if (parts.may.resend !== true) throw new GatewayError('forbidden', parts.may.resend)
  const request = resentRequest(kept.tape.frames, model)
  const send = parts.send()
  if (!send) throw new GatewayError('upstream-unavailable', 'The gateway is still starting; try again.')
  pace.enter()
  const sent = send(request, { key: summary.key, of: turnId })
  void sent.ended.finally(() => pace.leave())
  const turn = await begun(sent, parts)
  respondJson(exchange, 202, { turn })
}

function modelOf(json: unknown): string | undefined {
  const model = isObject(json) ? json.model : undefined
  if (!isObject(json) || (model !== undefined && typeof model !== 'string'))
    throw new GatewayError('invalid-request', 'Send {} for the same model, or {"model": "NAME"}.')
  if (model !== undefined && (model.trim() === '' || model.length > longestModel))
    throw new GatewayError('invalid-request', 'The name of the model is empty or too long.')
  return model?.trim()
}

/** The new turn, once its tape has begun. */
async function begun({ turn, ended }: ReturnType<Send>, { shelf }: ResendParts): Promise<string> {
  const known = () => {
    const id = turn()
    return id !== undefined && shelf.get(id) ? id : undefined
  }
  let stop: (() => void) | undefined
  const began = new Promise<void>((resolve) => {
    stop = shelf.onChange(() => known() !== undefined && resolve())
    if (known() !== undefined) resolve()
  })
  await Promise.race([began, ended])
  stop?.()
  const id = known()
  if (id === undefined)
    throw new GatewayError(
      'conflict',
      'The gateway refused the request before a turn began; its log says why.',
    )
  return id
}

class Pace {
  #running = 0
  #begun: number[] = []

  enter(): void {
    const now = Date.now()
    this.#begun = this.#begun.filter((at) => now - at < 60_000)
    if (this.#running >= mostAtOnce)
      throw new GatewayError(
        'rate-limited',
        `${mostAtOnce} resent requests are running; wait for one to end.`,
        {
          retryAfterMs: 5_000,
        },
      )
    if (this.#begun.length >= mostPerMinute)
      throw new GatewayError(
        'rate-limited',
        `${mostPerMinute} requests were resent in the last minute; wait.`,
        {
          retryAfterMs: 60_000 - (now - (this.#begun[0] ?? now)),
        },
      )
    this.#running++
    this.#begun.push(now)
  }

  leave(): void {
    this.#running--
  }
}

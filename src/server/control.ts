// The route for the operator's own commands. It needs the token that this gateway wrote for its user at the start, not a key: who
// may call models may not reload the gateway, nor read why a configuration was refused.

import { hash, timingSafeEqual } from 'node:crypto'
import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import { respondJson } from '../http/respond.ts'
import { accountRoutes } from './account-routes.ts'
import type { Route } from './routes.ts'

export const reloadPath = '/control/reload'
export const controlHeader = 'x-dragoman-control'

/** The outcome of a reload, for its caller. */
export type ReloadOutcome =
  | { state: 'taken'; changed: readonly string[] }
  | { state: 'unchanged' }
  | { state: 'refused'; problems: readonly string[] }

export interface Control {
  token: string
  reload(): Promise<ReloadOutcome>
}

const digest = (text: string) => hash('sha256', text, 'buffer')

/** Throws unless the request has the token. No page has it, and none may try. */
export function admitOperator(exchange: Exchange, { token }: Control): void {
  if (exchange.header('origin') !== undefined || exchange.header('sec-fetch-site') !== undefined)
    throw new GatewayError('forbidden', 'Web pages may not call this route.')
  if (timingSafeEqual(digest(exchange.header(controlHeader) ?? ''), digest(token))) return
  throw new GatewayError(
    'unauthenticated',
    'Only the commands of the user who runs the gateway may call this.',
  )
}

export const controlRoutes = (control: Control): Route[] => [
  {
    method: 'POST',
    path: reloadPath,
    control: true,
    always: true,
    handle: async (exchange) => respondJson(exchange, 200, await control.reload()),
  },
  ...accountRoutes,
]

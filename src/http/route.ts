// One row of a route table.

import type { Caller } from '../core/caller.ts'
import type { Exchange } from './exchange.ts'

export interface HttpRoute<Services> {
  method: 'GET' | 'POST' | 'DELETE' | 'HEAD'
  /** A trailing `*` stands for the rest of the path. */
  path: string
  /** That rest has no further parts. */
  oneSegment?: true
  /** Needs no key. */
  open?: true
  /** For the inspector's page: a login of it stands for the key, and the page's own origin is no foreign one. */
  page?: true
  /** For other instances: needs their signature instead of a key, and does not exist where there are none. */
  peer?: true
  /** Answers as usual while the gateway stops, or has too many connections; the others say that it does. */
  always?: true
  handle(exchange: Exchange, services: Services, caller: Caller): Promise<void> | void
}

// The headers of both requests and both answers, the addresses, and the statuses.

import type { Headers } from '../../tapes/frame.ts'
import type { RowKind } from './api.ts'
import { type Direction, oneSided, type Row } from './row.ts'
import type { ClientTraffic, Exchange } from './traffic.ts'

export function compareHeaders(client: ClientTraffic, exchange: Exchange): Row[] {
  const rows = (section: string, direction: Direction, ours: Headers, theirs: Headers) =>
    [...new Set([...Object.keys(ours), ...Object.keys(theirs)])].map((name) =>
      rowOf(section, direction, name, [ours[name], theirs[name]]),
    )
  const { request, response } = exchange
  return [
    // A run that goes on has sent them in an earlier turn.
    ...(request
      ? rows(
          'request headers',
          'to upstream',
          lowered(addressed(client.request)),
          lowered(addressed(request)),
        )
      : []),
    ...(response && client.response
      ? rows('answer headers', 'to client', lowered(answered(client.response)), lowered(answered(response)))
      : []),
  ]
}

const addressed = (
  request: { method: string; path: string; origin?: string; headers: Headers } | undefined,
): Headers =>
  request ? { address: `${request.method} ${request.origin ?? ''}${request.path}`, ...request.headers } : {}

const answered = (response: { status: number; headers: Headers } | undefined): Headers =>
  response ? { status: String(response.status), ...response.headers } : {}

const lowered = (headers: Headers): Headers =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Headers of a connection, which end at the gateway. */
const transport = new Set(['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'date', 'x-accel-buffering', 'cache-control', 'vary', 'server']) // biome-ignore format: a list to be read as one

function rowOf(
  section: string,
  direction: Direction,
  name: string,
  [ours, theirs]: [string | undefined, string | undefined],
): Row {
  const side = (value: string | undefined) => (value === undefined ? undefined : { paths: [name], value })
  const kind: RowKind =
    ours === theirs
      ? 'same'
      : ours !== undefined && theirs !== undefined
        ? 'changed'
        : transport.has(name)
          ? 'own'
          : oneSided(direction, ours === undefined ? 'upstream' : 'client')
  return { section, label: name, kind, client: side(ours), upstream: side(theirs), terms: [name] }
}

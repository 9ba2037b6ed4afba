// The route table.

import type { Caller } from '../core/caller.ts'
import type { GatewayError } from '../core/errors.ts'
import type { Exchange } from './exchange.ts'

export interface HttpRoute<Services> {
  method: 'GET' | 'POST' | 'DELETE' | 'HEAD'
  /** A `*` matches any text that is not empty. Of several, each matches one segment. */
  path: string
  /** That text is one segment. */
  oneSegment?: true
  /** Only for requests that accept HTML; others find the next row of this path. */
  html?: true
  /** Needs no key. */
  open?: true
  /** The key may be in the query, as `key`. */
  keyInQuery?: true
  /** For the inspector's page: its login replaces the key, and its own origin is allowed. */
  page?: true
  /** For other instances: needs their signature instead of a key, and does not exist without a cluster. */
  peer?: true
  /** For the operator's commands: needs their token instead of a key. */
  control?: true
  /** Answers as usual while the gateway stops or has too many connections; the others refuse. */
  always?: true
  /** Of every answer, errors included. */
  headers?: Readonly<Record<string, string>>
  handle(exchange: Exchange, services: Services, caller: Caller): Promise<void> | void
  /** Answers with an error of the admission; without it, the error is only logged and counted. */
  refuse?(exchange: Exchange, services: Services, caller: Caller, error: GatewayError): void
}

export class RouteTable<Services> {
  readonly #routes: readonly HttpRoute<Services>[]
  /** The rows that match a path, for each path that a row names whole: most requests ask for one of these. */
  readonly #byPath: ReadonlyMap<string, readonly HttpRoute<Services>[]>

  /** The first row that matches counts. */
  constructor(routes: readonly HttpRoute<Services>[]) {
    this.#routes = routes
    const whole = routes.map(({ path }) => path).filter((path) => !path.includes('*'))
    this.#byPath = new Map(whole.map((path) => [path, routes.filter((route) => matches(route, path))]))
  }

  find({
    method,
    path,
    header,
  }: Pick<Exchange, 'method' | 'path' | 'header'>): HttpRoute<Services> | undefined {
    const rows = this.#byPath.get(path) ?? this.#routes.filter((route) => matches(route, path))
    return rows.find((route) => route.method === method && (!route.html || acceptsHtml(header('accept'))))
  }

  /** The whole paths that a client may use with this method. */
  pathsOf(method: string): string[] {
    const found = this.#routes.filter(
      (route) => route.method === method && !route.peer && !route.control && !route.path.includes('*'),
    )
    return found.map(({ path }) => path)
  }

  /** The methods that a client may use on this path. */
  methodsOf(path: string): string[] {
    const found = this.#routes.filter(
      (route) => !route.peer && !route.control && !route.html && matches(route, path),
    )
    return found.map(({ method }) => method)
  }
}

const acceptsHtml = (accept = '') => accept.includes('text/html')

function matches({ path: pattern, oneSegment }: HttpRoute<never>, path: string): boolean {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern === path
  if (pattern.includes('*', star + 1)) return matchSegments(pattern.split('/'), path.split('/'))
  const end = path.length - (pattern.length - star - 1)
  return (
    end > star &&
    path.startsWith(pattern.slice(0, star)) &&
    path.endsWith(pattern.slice(star + 1)) &&
    !(oneSegment && path.slice(star, end).includes('/'))
  )
}

const matchSegments = (pattern: readonly string[], path: readonly string[]): boolean =>
  pattern.length === path.length &&
  pattern.every((one, at) => (one === '*' ? path[at] !== '' : one === path[at]))

// One request and its answer, over a socket or in-process.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Caller } from '../core/caller.ts'
import type { Sink } from '../core/sink.ts'
import { AnswerHead } from './answer-head.ts'
import { type ReadBody, readNodeBody, readWebBody } from './body.ts'
import type { JsonBody } from './json-body.ts'
import { NodeSink } from './node-sink.ts'
import { type WebCaller, WebSink } from './web-sink.ts'

export interface Exchange {
  readonly method: string
  /** Without the query string. */
  readonly path: string
  /** The query string, without its question mark. */
  readonly query: string
  readonly header: (name: string) => string | undefined
  /** The names of all headers, in lower case. */
  readonly headerNames: () => Iterable<string>
  /** The Host header came more than once, or the request line names another host. */
  readonly ambiguousHost: boolean
  /** The Authorization header came more than once: a proxy in front may have checked the other one. */
  readonly ambiguousKey: boolean
  /** The caller is this process itself: no Host, Origin or key to check. */
  readonly inProcess: boolean
  /** Its connection is above the gateway's limit. */
  readonly crowded: boolean
  /** Passes the body on in pieces; `payload-too-large` beyond the limit. */
  readonly readBody: ReadBody
  readonly sink: Sink
  readonly head: AnswerHead
  /** The body, where it has been read already. */
  readonly json?: JsonBody
  /** In-process only: the inspector sends a recorded request again. */
  readonly resending?: Resending | undefined
}

export interface Resending {
  /** The name of the key that the request counts for. */
  key: string
  /** The turn whose request it was. */
  of: string
}

/** The caller of a request with this key. */
export function callerOf({ inProcess, header }: Pick<Exchange, 'inProcess' | 'header'>, key: string): Caller {
  const session = inProcess ? (header('x-session-id') ?? header('x-session-affinity')) : agentSession(header)
  return session ? { key, session } : { key }
}

/** Other values are not an id, and would reach the log. */
const plainId = /^[\w-]{1,100}$/

/**
 * Claude Code's session. Its subagents work at the same time in the same session, each with a conversation of its own: their id is part
 * of it.
 */
function agentSession(header: Exchange['header']): string | undefined {
  const session = header('x-claude-code-session-id')
  if (session === undefined || !plainId.test(session)) return undefined
  const agent = header('x-claude-code-agent-id')
  return agent !== undefined && plainId.test(agent) ? `${session}/${agent}` : session
}

export function nodeExchange(
  request: IncomingMessage,
  response: ServerResponse,
  { crowded }: Pick<Exchange, 'crowded'>,
): Exchange {
  const { path, query, host } = readTarget(request.url ?? '/')
  return {
    method: request.method ?? 'GET',
    path,
    query,
    header: (name) => {
      const value = request.headers[name]
      return Array.isArray(value) ? value.join(', ') : value
    },
    headerNames: () => Object.keys(request.headers),
    ambiguousHost:
      isRepeated(request, 'host') ||
      (host !== undefined && host !== (request.headers.host ?? '').toLowerCase()),
    ambiguousKey: isRepeated(request, 'authorization'),
    inProcess: false,
    crowded,
    readBody: (rules) => readNodeBody(request, rules),
    sink: new NodeSink(request, response),
    head: new AnswerHead(),
  }
}

function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let count = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const header = rawHeaders[at] as string
    if (header.length === name.length && header.toLowerCase() === name) count++
  }
  return count > 1
}

/**
 * A base URL with a slash at its end makes two of them, and some clients append one. Only for the routes of clients' APIs: whatever lies
 * before the gateway may close others by their paths. All of the gateway sees this path alone, the check of keys included.
 */
export function tidyPath(path: string): string {
  const api = /^\/+(v1|v1beta|api)\/+/.exec(path)
  return api ? `/${api[1]}/${path.slice(api[0].length)}`.replace(/(?<!\/)\/+$/, '') : path
}

/** The request line may hold an absolute URL, as for a proxy: its host must equal the Host header. */
function readTarget(target: string): { path: string; query: string; host: string | undefined } {
  const [, host, rest = target] = target.startsWith('/')
    ? []
    : (/^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [])
  const mark = rest.indexOf('?')
  const path = mark < 0 ? rest : rest.slice(0, mark)
  return {
    path: tidyPath(path || '/'),
    query: mark < 0 ? '' : rest.slice(mark + 1),
    host: host?.toLowerCase(),
  }
}

export function webExchange(
  request: Request,
  caller: Omit<WebCaller, 'signal'>,
  resending?: Resending,
): Exchange {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    path: tidyPath(pathname),
    query: search.slice(1),
    header: (name) => request.headers.get(name) ?? undefined,
    headerNames: () => request.headers.keys(),
    ambiguousHost: false,
    ambiguousKey: false,
    inProcess: true,
    crowded: false,
    readBody: (rules) => readWebBody(request, rules),
    sink: new WebSink({ ...caller, signal: request.signal }),
    head: new AnswerHead(),
    resending,
  }
}

// A simulator of Cursor's agent service: both transports, logins, models, and a scriptable model. Built from interface facts, and strict
// about everything that the official client always does. docs/simulators.md has its options.

import type { CursorAuth } from './cursor/accounts.ts'
import type { CursorConversation } from './cursor/conversation.ts'
import type { Repeat } from './cursor/deliveries.ts'
import { type AnyRequest, listen } from './cursor/listener.ts'
import type { CursorRequest, CursorSimOptions } from './cursor/options.ts'
import type { CursorRun } from './cursor/run-record.ts'
import { CursorService } from './cursor/service.ts'
import type { CursorTurnInput } from './cursor/stage.ts'
import type { AnyResponse } from './cursor/stream-writer.ts'

export type { CursorAuth, TokenPair } from './cursor/accounts.ts'
export type { ConversationCall, CursorConversation } from './cursor/conversation.ts'
export type { CursorRequest, CursorSimOptions } from './cursor/options.ts'
export type { CursorRun, RunEnd } from './cursor/run-record.ts'
export { type CursorScript, type CursorStep, type CursorTurn, parseCursorScript } from './cursor/script.ts'
export type { CursorTurnInput } from './cursor/stage.ts'

export interface CursorSim {
  readonly kind: 'cursor'
  readonly url: string
  readonly port: number
  /** Every HTTP request, oldest first. */
  readonly requests: readonly CursorRequest[]
  readonly runs: readonly CursorRun[]
  /** Everything that clients did wrong, in words. */
  readonly violations: readonly string[]
  /** How many scripted turns are unused. */
  readonly queued: number
  readonly auth: CursorAuth
  /** Open HTTP/2 connections. */
  readonly connections: number
  readonly peakConnections: number
  /** Conversations by conversation_id; `clear` keeps them. */
  readonly conversations: ReadonlyMap<string, CursorConversation>
  /** How often a result arrived for each tool call, by its upstream id, over all runs. */
  readonly deliveries: ReadonlyMap<string, number>
  /** Repeated results, with their reason. */
  readonly repeats: ReadonlyMap<Repeat, number>
  play(...turns: CursorTurnInput[]): void
  /** Forgets requests, runs, violations and queued turns. */
  clear(): void
  /** Open connections are neither read nor written, as if a cable were cut. */
  freeze(): void
  thaw(): void
  /** GOAWAY on every open HTTP/2 connection. */
  goAway(code?: number): void
  /** Breaks every open run at once, or these: the stream is reset, or over HTTP/1.1 the connection. */
  breakRuns(which?: (run: CursorRun) => boolean): void
  /** Each of the next runs breaks after this many messages. */
  breakNext(...messages: number[]): void
  /** Stops listening and destroys open connections. */
  close(): Promise<void>
}

export async function startCursorSim(options: CursorSimOptions = {}): Promise<CursorSim> {
  const { host = '127.0.0.1', port = 0, maxConcurrentStreams = 100, tls } = options
  const service = new CursorService(options)
  if (options.script !== undefined) service.playScript(options.script)
  const serve = (request: AnyRequest, response: AnyResponse) => void service.serve(request, response)
  const listener = await listen({ host, port, maxConcurrentStreams, tls, serve })
  service.listener = listener
  return {
    kind: 'cursor',
    url: `${tls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listener.port}`,
    port: listener.port,
    requests: service.requests,
    runs: service.runs,
    violations: service.violations,
    auth: service.accounts,
    conversations: service.conversations.byId,
    deliveries: service.conversations.deliveries.counts,
    repeats: service.conversations.deliveries.repeats,
    get queued() {
      return service.stage.queue.length
    },
    get connections() {
      return listener.connections
    },
    get peakConnections() {
      return listener.peakConnections
    },
    play: (...turns) => service.stage.add(turns),
    clear: () => service.clear(),
    freeze: () => listener.freeze(),
    thaw: () => listener.thaw(),
    goAway: (code = 0) => listener.goAway(code),
    breakRuns: (which) => service.breakRuns(which),
    breakNext: (...messages) => void service.breaks.push(...messages),
    close: () => listener.close(),
  }
}

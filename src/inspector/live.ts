// The live stream of a page: changes at most every 100 ms, each turn once.

import { GatewayError } from '../core/errors.ts'
import type { Exchange } from '../http/exchange.ts'
import type { LiveMessage, SessionsView, TurnedAwayCount, TurnSummary, TurnsAnswer } from './api.ts'
import { followPeers } from './live-peers.ts'
import { type Scope, whoseOf } from './login.ts'
import { MergedFeed, ownPart } from './merged-turns.ts'
import type { Peers } from './peers.ts'
import type { TurnShelf } from './turn-shelf.ts'

const everyMs = 100
const keepAliveMs = 15_000
/** Durations of running turns and waiting sessions change without a frame. */
const lookMs = 1_000
/** The limit per key, and for users who see all turns: each stream has its own messages. */
export const mostStreams = 20

interface LiveSource {
  shelf: TurnShelf
  all(scope: Scope): TurnsAnswer
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  sessions(scope: Scope): SessionsView[]
  turnedAway(scope: Scope): TurnedAwayCount[]
  scrub(text: string): string
}

/** The session of the listener. */
interface Listening {
  /** Other processes whose turns the page shows too. */
  peers?: Peers | undefined
  /** Returns a function that stops listening: a page opens a new stream whenever it loses the last one. */
  onEnd(listener: () => void): () => void
  /** Keeps the session alive. */
  touch(): void
}

export class Live {
  readonly #source: LiveSource
  /** The function that ends each stream, and its owner. */
  readonly #open = new Map<(why: 'logout' | 'stopping') => void, string>()

  constructor(source: LiveSource) {
    this.#source = source
  }

  /** Resolves when the stream has ended. */
  serve(exchange: Exchange, scope: Scope, { peers, onEnd, touch }: Listening): Promise<void> {
    const { sink, head } = exchange
    const whose = whoseOf(scope)
    if ([...this.#open.values()].filter((one) => one === whose).length >= mostStreams)
      throw new GatewayError(
        'rate-limited',
        `The inspector has ${mostStreams} pages open already; close some.`,
        { retryAfterMs: 10_000 },
      )
    sink.start(200, { ...head.headers, 'content-type': 'text/event-stream; charset=utf-8' })
    const write = (message: LiveMessage) =>
      sink.write(`data: ${this.#source.scrub(JSON.stringify(message))}\n\n`)
    const feed = peers && new MergedFeed()
    const send = (message: LiveMessage) =>
      write(feed && message.type !== 'bye' ? feed.take(ownPart, message) : message)
    return new Promise((resolve) => {
      const all = this.#source.all(scope)
      const known = all.turns.map(({ id }) => id)
      const changes = new Changes(this.#source, { scope, known, send, isBehind: () => sink.isBehind })
      const keepAlive = setInterval(() => {
        touch()
        if (!sink.isBehind) sink.write(': still here\n\n')
      }, keepAliveMs)
      let stopPeers: (() => void) | undefined
      const stop = () => {
        changes.stop()
        stopPeers?.()
        clearInterval(keepAlive)
        this.#open.delete(end)
        forget()
        resolve()
      }
      const end = (why: 'logout' | 'stopping') => {
        send({ type: 'bye', why })
        sink.end()
        stop()
      }
      this.#open.set(end, whose)
      const forget = onEnd(() => end('logout'))
      send({ type: 'all', ...all })
      const drained = () => (sink.isBehind ? sink.drained() : undefined)
      if (peers && feed) stopPeers = followPeers({ peers, scope, feed, send: write, drained })
      sink.onGone(stop)
    })
  }

  endKey(name: string): void {
    const whose = whoseOf({ key: name })
    for (const [end, one] of [...this.#open]) if (one === whose) end('logout')
  }

  close(): void {
    for (const end of [...this.#open.keys()]) end('stopping')
  }
}

interface Reader {
  scope: Scope
  /** The turns that the page knows. */
  known: readonly string[]
  send(message: LiveMessage): void
  isBehind(): boolean
}

/** The changes that a page has not received yet. */
class Changes {
  readonly #source: LiveSource
  readonly #reader: Reader
  readonly #changed = new Set<string>()
  readonly #gone = new Set<string>()
  /** Removals are reported for these only: other turns may belong to another key. */
  readonly #known: Set<string>
  readonly #stops: (() => void)[]
  #timer: NodeJS.Timeout | undefined
  #sessions: string
  #turnedAway: string

  constructor(source: LiveSource, reader: Reader) {
    this.#source = source
    this.#reader = reader
    this.#known = new Set(reader.known)
    this.#sessions = JSON.stringify(source.sessions(reader.scope))
    this.#turnedAway = JSON.stringify(source.turnedAway(reader.scope))
    const look = setInterval(() => this.#look(), lookMs)
    this.#stops = [
      () => clearInterval(look),
      source.shelf.onChange((tape) => this.#add(this.#changed, tape.turn)),
      source.shelf.onDrop((turnId) => this.#onDrop(turnId)),
    ]
  }

  stop(): void {
    clearTimeout(this.#timer)
    for (const stop of this.#stops) stop()
  }

  #onDrop(turnId: string): void {
    this.#changed.delete(turnId)
    if (this.#known.delete(turnId)) this.#add(this.#gone, turnId)
  }

  #add(to: Set<string>, turnId: string): void {
    to.add(turnId)
    this.#timer ??= setTimeout(() => this.#tell(), everyMs)
  }

  #look(): void {
    for (const { tape } of this.#source.shelf.all()) if (!tape.isOver) this.#add(this.#changed, tape.turn)
    const { scope } = this.#reader
    if (
      JSON.stringify(this.#source.sessions(scope)) !== this.#sessions ||
      JSON.stringify(this.#source.turnedAway(scope)) !== this.#turnedAway
    )
      this.#timer ??= setTimeout(() => this.#tell(), 0)
  }

  #tell(): void {
    this.#timer = undefined
    if (this.#reader.isBehind()) {
      // The delay loses nothing: the message has the state at that time.
      this.#timer = setTimeout(() => this.#tell(), everyMs)
      return
    }
    const turns = [...this.#changed].flatMap(
      (turnId) => this.#source.summary(turnId, this.#reader.scope) ?? [],
    )
    const gone = [...this.#gone]
    this.#changed.clear()
    this.#gone.clear()
    const { scope } = this.#reader
    const sessions = this.#source.sessions(scope)
    const before = this.#sessions
    this.#sessions = JSON.stringify(sessions)
    const turnedAway = this.#newlyTurnedAway()
    // The change may belong to another key, and must stay hidden.
    if (turns.length === 0 && gone.length === 0 && this.#sessions === before && !turnedAway) return
    for (const { id } of turns) this.#known.add(id)
    this.#reader.send({ type: 'changed', turns, gone, sessions, ...turnedAway })
  }

  #newlyTurnedAway(): Pick<TurnsAnswer, 'turnedAway'> | undefined {
    const turnedAway = this.#source.turnedAway(this.#reader.scope)
    const before = this.#turnedAway
    this.#turnedAway = JSON.stringify(turnedAway)
    return this.#turnedAway === before ? undefined : { turnedAway }
  }
}

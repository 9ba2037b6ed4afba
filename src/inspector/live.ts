// What changes, told to a page as it happens: not more often than every 100 ms, and each turn once.

import type { Exchange } from '../http/exchange.ts'
import type { LiveMessage, SessionsView, TurnSummary, TurnsAnswer } from './api.ts'
import type { Scope } from './login.ts'
import type { Shelf } from './shelf.ts'

const everyMs = 100
const keepAliveMs = 15_000
/** Durations of what runs, and what waits, change without a frame. */
const lookMs = 1_000

export interface LiveSource {
  shelf: Shelf
  all(scope: Scope): TurnsAnswer
  summary(turnId: string, scope: Scope): TurnSummary | undefined
  sessions(scope: Scope): SessionsView[]
  scrub(text: string): string
}

/** The session of who listens. */
export interface Listening {
  onEnd(listener: () => void): void
  /** Somebody is still there. */
  touch(): void
}

export class Live {
  readonly #source: LiveSource
  readonly #open = new Set<(why: 'logout' | 'stopping') => void>()

  constructor(source: LiveSource) {
    this.#source = source
  }

  /** Resolves when the stream has ended. */
  serve(exchange: Exchange, scope: Scope, { onEnd, touch }: Listening): Promise<void> {
    const { sink, answerHeaders } = exchange
    sink.start(200, { ...answerHeaders, 'content-type': 'text/event-stream; charset=utf-8' })
    const send = (message: LiveMessage) =>
      sink.write(`data: ${this.#source.scrub(JSON.stringify(message))}\n\n`)
    return new Promise((resolve) => {
      const changes = new Changes(this.#source, { scope, send, isBehind: () => sink.isBehind })
      const keepAlive = setInterval(() => {
        touch()
        if (!sink.isBehind) sink.write(': still here\n\n')
      }, keepAliveMs)
      const stop = () => {
        changes.stop()
        clearInterval(keepAlive)
        this.#open.delete(end)
        resolve()
      }
      const end = (why: 'logout' | 'stopping') => {
        send({ type: 'bye', why })
        sink.end()
        stop()
      }
      this.#open.add(end)
      onEnd(() => end('logout'))
      sink.onGone(stop)
      send({ type: 'all', ...this.#source.all(scope) })
    })
  }

  close(): void {
    for (const end of [...this.#open]) end('stopping')
  }
}

interface Reader {
  scope: Scope
  send(message: LiveMessage): void
  isBehind(): boolean
}

/** What one page has not been told yet. */
class Changes {
  readonly #source: LiveSource
  readonly #reader: Reader
  readonly #changed = new Set<string>()
  readonly #gone = new Set<string>()
  readonly #stops: (() => void)[]
  #timer: NodeJS.Timeout | undefined
  #sessions: string

  constructor(source: LiveSource, reader: Reader) {
    this.#source = source
    this.#reader = reader
    this.#sessions = JSON.stringify(source.sessions(reader.scope))
    const look = setInterval(() => this.#look(), lookMs)
    this.#stops = [
      () => clearInterval(look),
      source.shelf.onChange((tape) => this.#add(this.#changed, tape.turn)),
      source.shelf.onDrop((turnId) => this.#add(this.#gone, turnId)),
    ]
  }

  stop(): void {
    clearTimeout(this.#timer)
    for (const stop of this.#stops) stop()
  }

  #add(to: Set<string>, turnId: string): void {
    to.add(turnId)
    this.#timer ??= setTimeout(() => this.#tell(), everyMs)
  }

  #look(): void {
    for (const { tape } of this.#source.shelf.all()) if (!tape.isOver) this.#add(this.#changed, tape.turn)
    if (JSON.stringify(this.#source.sessions(this.#reader.scope)) !== this.#sessions)
      this.#timer ??= setTimeout(() => this.#tell(), 0)
  }

  #tell(): void {
    this.#timer = undefined
    if (this.#reader.isBehind()) {
      // Nothing is lost by waiting: it is told as it is by then.
      this.#timer = setTimeout(() => this.#tell(), everyMs)
      return
    }
    const turns = [...this.#changed].flatMap(
      (turnId) => this.#source.summary(turnId, this.#reader.scope) ?? [],
    )
    const sessions = this.#source.sessions(this.#reader.scope)
    this.#reader.send({ type: 'changed', turns, gone: [...this.#gone], sessions })
    this.#sessions = JSON.stringify(sessions)
    this.#changed.clear()
    this.#gone.clear()
  }
}

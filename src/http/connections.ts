// The connections of a server: which of them have no request in progress, and in what order requests of one connection are
// answered.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A new connection that has not asked anything by then may never do. */
const newcomerMs = 1_000
/** A connection that was just made, or just answered, may have its request on the way. */
export const idleGraceMs = 250

/**
 * Connections without a request in progress, the one that waits longest first: idle ones, and those whose request head has
 * begun and does not end.
 */
export class IdleConnections {
  readonly #since = new Map<Socket, { at: number; isNew: boolean }>()

  addNew(socket: Socket): void {
    this.#since.set(socket, { at: Date.now(), isNew: true })
    socket.once('close', () => this.#since.delete(socket))
  }

  /** Its last request has been answered. */
  add(socket: Socket): void {
    if (!socket.destroyed) this.#since.set(socket, { at: Date.now(), isNew: false })
  }

  delete(socket: Socket): void {
    this.#since.delete(socket)
  }

  /** How many are new, for as long as a request is to be expected. */
  get newcomers(): number {
    const now = Date.now()
    let count = 0
    for (const { at, isNew } of this.#since.values()) if (isNew && now - at < newcomerMs) count++
    return count
  }

  /** Says whether there was one that could be closed. */
  closeOldest(): boolean {
    const [oldest] = this.#since
    if (!oldest || Date.now() - oldest[1].at < idleGraceMs) return false
    this.#since.delete(oldest[0])
    oldest[0].destroy()
    return true
  }
}

/** Requests that wait, on one connection and on all; no client that is known sends a second one before its answer. */
const mostWaiting = 1_000
const mostWaitingInAll = 10_000

/**
 * Requests of one connection are answered one after the other. Node reads them ahead (pipelining) and would begin them all at
 * once, so that one connection could have any number of turns.
 */
export class RequestOrder {
  readonly #lines = new WeakMap<Socket, (() => void)[]>()
  readonly #onIdle: (socket: Socket) => void
  #waiting = 0

  constructor(onIdle: (socket: Socket) => void) {
    this.#onIdle = onIdle
  }

  enter(socket: Socket, response: ServerResponse, begin: () => void): void {
    const start = () => {
      response.once('close', () => this.#next(socket))
      begin()
    }
    const line = this.#lines.get(socket)
    if (!line) {
      this.#lines.set(socket, [])
      return start()
    }
    if (line.length >= mostWaiting || this.#waiting >= mostWaitingInAll) return void socket.destroy()
    this.#waiting++
    line.push(start)
  }

  #next(socket: Socket): void {
    const line = this.#lines.get(socket)
    const start = socket.destroyed ? undefined : line?.shift()
    if (start) {
      this.#waiting--
      return start()
    }
    this.#waiting -= line?.length ?? 0
    this.#lines.delete(socket)
    this.#onIdle(socket)
  }
}

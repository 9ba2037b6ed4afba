// The connections of a server: which have no request in progress, and the order in which requests of one connection are
// answered.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A new connection without a request by then may never send one. */
const newcomerMs = 1_000
/** The request of a connection that was just opened or answered may be on its way. */
export const idleGraceMs = 250

/**
 * Connections without a request in progress, the longest idle first. One whose request head is incomplete counts as idle.
 */
export class IdleConnections {
  readonly #since = new Map<Socket, { at: number; isNew: boolean }>()

  addNew(socket: Socket): void {
    this.#since.set(socket, { at: Date.now(), isNew: true })
    socket.once('close', () => this.#since.delete(socket))
  }

  /** The last request of the connection has been answered. */
  add(socket: Socket): void {
    if (!socket.destroyed) this.#since.set(socket, { at: Date.now(), isNew: false })
  }

  delete(socket: Socket): void {
    this.#since.delete(socket)
  }

  /** New connections whose first request is still expected. */
  get newcomers(): number {
    const now = Date.now()
    let count = 0
    for (const { at, isNew } of this.#since.values()) if (isNew && now - at < newcomerMs) count++
    return count
  }

  /** Returns whether a connection was closed. */
  closeOldest(): boolean {
    const [oldest] = this.#since
    if (!oldest || Date.now() - oldest[1].at < idleGraceMs) return false
    this.#since.delete(oldest[0])
    oldest[0].destroy()
    return true
  }
}

/** Limits of pipelined requests, per connection and in all. No known client pipelines. */
const mostWaiting = 1_000
const mostWaitingInAll = 10_000

/**
 * Requests of one connection are answered one after the other. Node reads pipelined requests ahead and would start them all at
 * once: one connection could run any number of turns.
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

  /** A request of this connection is being answered. */
  isBusy(socket: Socket): boolean {
    return this.#lines.has(socket)
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

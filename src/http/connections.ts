// The connections of a server: which have no request in progress, and the order in which requests of one connection are
// answered.

import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Link, LinkedList } from '../base/linked-list.ts'

/** A new connection without a request by then may never send one. */
const newcomerMs = 1_000
/** The request of a connection that was just opened or answered may be on its way. */
export const idleGraceMs = 250

interface Idle {
  readonly socket: Socket
  at: number
  isNew: boolean
}

/**
 * Connections without a request in progress, the longest idle first. One whose request head is incomplete counts as idle.
 */
export class IdleConnections {
  readonly #idle = new LinkedList<Idle>()
  /** Of all connections. Each comes and goes with every request. */
  readonly #links = new WeakMap<Socket, Link<Idle>>()

  addNew(socket: Socket): void {
    const link = new Link({ socket, at: Date.now(), isNew: true })
    this.#links.set(socket, link)
    this.#idle.add(link)
    socket.once('close', () => link.remove())
  }

  /** The last request of the connection has been answered. */
  add(socket: Socket): void {
    const link = this.#links.get(socket)
    if (!link || socket.destroyed) return
    link.remove()
    link.value.at = Date.now()
    link.value.isNew = false
    this.#idle.add(link)
  }

  delete(socket: Socket): void {
    this.#links.get(socket)?.remove()
  }

  /** New connections whose first request is still expected. */
  get newcomers(): number {
    const now = Date.now()
    let count = 0
    for (const { at, isNew } of this.#idle) if (isNew && now - at < newcomerMs) count++
    return count
  }

  /** Returns whether a connection was closed. */
  closeOldest(): boolean {
    const oldest = this.#idle.first
    if (!oldest || Date.now() - oldest.value.at < idleGraceMs) return false
    oldest.remove()
    oldest.value.socket.destroy()
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
  /** The requests of a connection that wait, while one is being answered. Undefined between requests: a WeakMap that loses entries grows. */
  readonly #lines = new WeakMap<Socket, (() => void)[] | undefined>()
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
    return this.#lines.get(socket) !== undefined
  }

  #next(socket: Socket): void {
    const line = this.#lines.get(socket)
    const start = socket.destroyed ? undefined : line?.shift()
    if (start) {
      this.#waiting--
      return start()
    }
    this.#waiting -= line?.length ?? 0
    this.#lines.set(socket, undefined)
    this.#onIdle(socket)
  }
}

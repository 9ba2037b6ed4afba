// Lingering close: after an early answer the rest of the request is read and discarded, within limits. Closing a connection with
// unread bytes resets it, and a reset can destroy the answer.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { countReadBytes } from '../base/collect-buffers.ts'
import { resumeInTurn } from '../base/take-turns.ts'

export interface LingerLimits {
  /** In all, and without a byte. */
  totalMs: number
  idleMs: number
  maxBytes: number
}

export const defaultLingerLimits: LingerLimits = {
  totalMs: 5_000,
  idleMs: 1_000,
  maxBytes: 64 * 1024 * 1024,
}

/** A body this small has mostly arrived already: the connection can be reused. */
const smallBodyBytes = 64 * 1024

/** The rest of the body is too long to wait for: the answer must announce that the connection closes. */
export function isSendingOn(request: IncomingMessage): boolean {
  if (request.complete) return false
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
  return chunked !== undefined || Number(length ?? 0) > smallBodyBytes
}

/** The current request of each connection. */
const requestOf = new WeakMap<Socket, IncomingMessage>()

/** After `connection: close` Node calls `destroySoon`: it closes once the answer is sent, whatever has not been read. */
export function closeGently(socket: Socket): void {
  const closeNow = socket.destroySoon
  socket.destroySoon = () => {
    if (requestOf.get(socket)?.complete === false) socket.end()
    else closeNow.call(socket)
  }
}

/** Discards what the client still sends after its answer. */
export function lingerAfter(request: IncomingMessage, response: ServerResponse, limits: LingerLimits): void {
  requestOf.set(request.socket, request)
  response.once('finish', () => {
    if (!request.complete) discardRest(request, limits)
  })
}

function discardRest(request: IncomingMessage, limits: LingerLimits): void {
  const { socket } = request
  const giveUp = () => socket.destroy()
  const total = setTimeout(giveUp, limits.totalMs).unref()
  const idle = setTimeout(giveUp, limits.idleMs).unref()
  let received = 0
  const goOn = () => {
    if (!socket.destroyed) request.resume()
  }
  request.removeAllListeners('data')
  request.on('data', (chunk: Buffer) => {
    received += chunk.length
    idle.refresh()
    if (received > limits.maxBytes) giveUp()
    request.pause()
    countReadBytes(chunk.length)
    resumeInTurn(goOn)
  })
  const stop = () => {
    clearTimeout(total)
    clearTimeout(idle)
  }
  request.once('close', stop)
  request.once('end', () => {
    stop()
    if (socket.writableEnded) socket.destroySoon()
  })
  request.resume()
}

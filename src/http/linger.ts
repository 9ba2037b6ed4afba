// An answer that comes before the whole request has: the rest is read and thrown away, within limits, because a connection that
// is closed over unread bytes is reset, and a reset can take the answer with it.

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { resumeInTurn } from './take-turns.ts'

export interface LingerLimits {
  /** How long in all, and how long without a byte. */
  totalMs: number
  idleMs: number
  maxBytes: number
}

export const defaultLingerLimits: LingerLimits = {
  totalMs: 5_000,
  idleMs: 1_000,
  maxBytes: 64 * 1024 * 1024,
}

/** So much has mostly come already: the connection can be used again. */
const smallBodyBytes = 64 * 1024

/** More of the body is to come than is worth waiting for: the client is to be told that the connection ends. */
export function isSendingOn(request: IncomingMessage): boolean {
  if (request.complete) return false
  const { 'content-length': length, 'transfer-encoding': chunked } = request.headers
  return chunked !== undefined || Number(length ?? 0) > smallBodyBytes
}

/** The request that a connection is busy with. */
const requestOf = new WeakMap<Socket, IncomingMessage>()

/** Node closes by `destroySoon` where an answer says so: as soon as that is out, over whatever has not been read. */
export function closeGently(socket: Socket): void {
  const closeNow = socket.destroySoon
  socket.destroySoon = () => {
    if (requestOf.get(socket)?.complete === false) socket.end()
    else closeNow.call(socket)
  }
}

/** Sees to it that what the client goes on sending behind its answer comes to an end. */
export function lingerBehind(request: IncomingMessage, response: ServerResponse, limits: LingerLimits): void {
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

// The end of a connection. Node reports it only to the response being sent, not to pipelined ones that wait after it.

import type { Socket } from 'node:net'
import { Latch } from '../base/latch.ts'

const ends = new WeakMap<Socket, Latch>()

/** Returns a function that removes the listener. */
export function onConnectionEnd(socket: Socket, listener: () => void): () => void {
  return (ends.get(socket) ?? endOf(socket)).on(listener)
}

/** One socket listener serves all requests of the connection. */
function endOf(socket: Socket): Latch {
  const end = new Latch()
  ends.set(socket, end)
  socket.once('close', () => end.trip())
  return end
}

// The end of a connection. Node reports it only to the response being sent, not to pipelined ones that wait after it.

import type { Socket } from 'node:net'

const listeners = new WeakMap<Socket, Set<() => void>>()

/** Returns a function that removes the listener. */
export function onConnectionEnd(socket: Socket, listener: () => void): () => void {
  const all = listeners.get(socket) ?? listenTo(socket)
  all.add(listener)
  return () => all.delete(listener)
}

/** One socket listener serves all requests of the connection. */
function listenTo(socket: Socket): Set<() => void> {
  const all = new Set<() => void>()
  listeners.set(socket, all)
  socket.once('close', () => {
    for (const listener of all) listener()
  })
  return all
}

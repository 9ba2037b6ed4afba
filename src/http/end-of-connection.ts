// When a connection ends. Node tells only the answer that is being sent, not those that wait behind it (pipelining).

import type { Socket } from 'node:net'

const listeners = new WeakMap<Socket, Set<() => void>>()

/** Gives the way to stop listening. */
export function onConnectionEnd(socket: Socket, listener: () => void): () => void {
  const all = listeners.get(socket) ?? listenTo(socket)
  all.add(listener)
  return () => all.delete(listener)
}

/** Once for all requests of a connection. */
function listenTo(socket: Socket): Set<() => void> {
  const all = new Set<() => void>()
  listeners.set(socket, all)
  socket.once('close', () => {
    for (const listener of all) listener()
  })
  return all
}

// What a request takes of the configuration at its admission, and keeps to its end: a reload in between does not touch it.

import type { Guard } from '../http/guard.ts'
import type { RouteServices } from './routes.ts'

export interface Entry {
  readonly services: RouteServices
  readonly guard: Guard
  /** Whether the Responses API is served over WebSocket. */
  readonly webSocket: boolean
}

export interface Entries {
  /** The configuration in force. */
  readonly current: Entry
  /** The same, held until `leave`: its backends stay open. */
  enter(): Entry
  leave(entry: Entry): void
  /** Calls the listener after each change. Returns a function that removes it. */
  onSwitch(listener: () => void): () => void
}

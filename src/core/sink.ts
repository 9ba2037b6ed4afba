// Sink: the destination of an answer, which is a Node response, or a web Response for programs that run the gateway in-process.

export interface Sink {
  /** Called once, before the first write. */
  start(status: number, headers: Record<string, string>): void
  readonly started: boolean
  /** Back-pressure: if false, await `drained()` before the next write. */
  write(text: string): boolean
  /** Written text waits for the client. */
  readonly isBehind: boolean
  /** Resolves when the client has caught up or has disconnected. */
  drained(): Promise<void>
  /** Written text may still wait for the client. */
  end(text?: string): void
  /** The client disconnected before the answer was complete. */
  readonly gone: boolean
  /** Calls the listener once, when the client disconnects, or immediately if it has. Returns a function that removes it. */
  onGone(listener: () => void): () => void
}

// Where an answer goes: a Node response, or a web Response for programs that run the gateway in-process. The pump and
// the doors see only this.

export interface Sink {
  /** Once, before the first write. */
  start(status: number, headers: Record<string, string>): void
  readonly started: boolean
  /** False when the reader is behind: await `drained()` before writing more. */
  write(text: string): boolean
  /** What was written waits for the reader. */
  readonly isBehind: boolean
  /** Resolves when the reader has caught up, or has gone. */
  drained(): Promise<void>
  /** The reader may still be behind with what was written. */
  end(text?: string): void
  /** The client has gone before the answer was complete. */
  readonly gone: boolean
  /** Called once when it goes, or at once where it has gone. Gives the way to stop listening. */
  onGone(listener: () => void): () => void
}

// How one run of Cursor's agent is carried: messages there and messages back, over HTTP/2 or over a pair of HTTP/1.1
// requests. Payloads are opaque here.

export interface RunStream {
  /** Queued and sent in order; after the stream failed or closed it does nothing. */
  send(message: Uint8Array): void
  /** How many messages are known to have reached the service, of those that were sent. */
  readonly taken: number
  /** Nothing that is sent from now on will go out. */
  readonly isOver: boolean
  /** So much waits to be sent that nothing should be added that can wait. */
  readonly isFull: boolean
  /** Resolves when it is no longer full, or over. */
  drained(): Promise<void>
  /**
   * The server messages of one network read (payloads without envelope); null after a clean end-of-stream frame.
   * Throws GatewayError. Every call after the end returns null again, every call after a failure throws it again.
   * One reader at a time. Payloads may be views into larger buffers: whoever keeps one for long makes a copy.
   */
  read(): Promise<Uint8Array[] | null>
  /** The run is over for us: half-close, then let go of it. */
  close(): void
  /** Give up at once: upstream sees the abort. */
  cancel(): void
}

export interface RunOptions {
  headers: Record<string, string>
  /** Those that change with the token, when the service refuses it in the middle of the run. */
  renewHeaders?(): Promise<Record<string, string>>
  requestId: string
  /** Works as `cancel` does. */
  signal: AbortSignal
}

export interface RunTransport {
  readonly name: 'http2' | 'sse'
  /** Where its runs go. */
  readonly place: { origin: string; path: string }
  /** Does not wait for the answer's headers: a server may send them only after the first message. */
  open(options: RunOptions): Promise<RunStream>
  close(): Promise<void>
}

export interface TransportOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** The client version that is sent, for the message that it is too old. */
  clientVersion?: string | undefined
}

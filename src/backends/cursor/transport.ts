// Transports of a run: messages in both directions, over HTTP/2 or over HTTP/1.1 calls. Payloads are opaque here.

export interface RunStream {
  /** Queues the message; messages go out in order. Does nothing after the stream has failed or closed. */
  send(message: Uint8Array): void
  /** How many of the sent messages are known to have reached the service. */
  readonly taken: number
  /** Messages that are sent from now on do not go out. */
  readonly isOver: boolean
  /** Back-pressure: so much waits to be sent that the sender should wait. */
  readonly isFull: boolean
  /** Resolves when the stream is no longer full, or is over. */
  drained(): Promise<void>
  /**
   * The server messages of one network read (payloads without envelope); null after a clean end-of-stream frame.
   * Throws GatewayError. Every call after the end returns null again, every call after a failure throws it again.
   * One reader at a time. Payloads may be views into larger buffers: copy a payload before keeping it for long.
   */
  read(): Promise<Uint8Array[] | null>
  /** The run is over for the gateway: half-close, then release the connection. */
  close(): void
  /** Aborts at once; the upstream sees the abort. */
  cancel(): void
}

export interface RunOptions {
  headers: Record<string, string>
  /** Headers with a new token, after the service refused the token in the middle of the run. */
  renewHeaders?(): Promise<Record<string, string>>
  requestId: string
  /** An abort works like `cancel`. */
  signal: AbortSignal
}

export interface RunTransport {
  readonly name: 'http2' | 'sse'
  /** Where runs are sent. */
  readonly place: { origin: string; path: string }
  /** Does not wait for the response headers: a server may send them only after the first message. */
  open(options: RunOptions): Promise<RunStream>
  close(): Promise<void>
}

export interface TransportOptions {
  /** The configured name of the backend, for messages. */
  backend: string
  /** The client version that is sent, for the error message that it is too old. */
  clientVersion?: string | undefined
}

// Whether the peer of an HTTP/2 connection is alive: a PING now and then, and patience for its answer. A frozen peer or a
// forgotten connection looks like any quiet one otherwise, for ever.

import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'

export interface PingOptions {
  session: ClientHttp2Session
  socket: Socket
  intervalMs: number
  timeoutMs: number
  onSilent(): void
}

export class PingClock {
  readonly #options: PingOptions
  #next: NodeJS.Timeout | undefined
  /** Runs while an answer is awaited. */
  #patience: NodeJS.Timeout | undefined
  #running = false
  #stoppedAt = performance.now()

  constructor(options: PingOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = true
    this.#patience?.ref()
    // Whatever stands between may have forgotten a connection that was quiet for long: that shows sooner this way.
    if (performance.now() - this.#stoppedAt > this.#options.intervalMs) this.#ping()
    else this.#schedule()
  }

  /** An answer that is still awaited stays so, without keeping the process alive for it. */
  stop(): void {
    this.#running = false
    this.#stoppedAt = performance.now()
    clearTimeout(this.#next)
    this.#patience?.unref()
  }

  dispose(): void {
    this.stop()
    clearTimeout(this.#patience)
    this.#patience = undefined
  }

  #schedule(): void {
    clearTimeout(this.#next)
    this.#next = setTimeout(() => this.#ping(), this.#options.intervalMs)
  }

  #ping(): void {
    const { session, socket, timeoutMs } = this.#options
    if (this.#patience !== undefined || session.destroyed) return
    let heard = socket.bytesRead
    let due = performance.now() + timeoutMs
    const check = () => {
      if (this.#patience === undefined) return
      const late = performance.now() - due > timeoutMs / 10
      if (socket.bytesRead === heard && !late) return this.#options.onSilent()
      // What came since shows a living peer whose answer is queued behind that; and when this process itself was too
      // busy to look at the clock, it may not even have sent the ping. Either way the peer gets its time again.
      heard = socket.bytesRead
      due = performance.now() + timeoutMs
      this.#patience.refresh()
    }
    // The answer may have come in this very round: one more look at the socket comes first.
    this.#patience = setTimeout(() => setImmediate(check), timeoutMs)
    session.ping((error) => {
      if (!error) this.#onAnswer()
    })
  }

  #onAnswer(): void {
    clearTimeout(this.#patience)
    this.#patience = undefined
    if (this.#running) this.#schedule()
  }
}

// PingClock: detects a dead peer of an HTTP/2 connection by a PING with a timeout. Without it, a frozen peer or a connection that a
// router has dropped would look like a quiet one forever.

import type { ClientHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'

interface PingOptions {
  session: ClientHttp2Session
  socket: Socket
  intervalMs: number
  timeoutMs: number
  onSilent(): void
}

export class PingClock {
  readonly #options: PingOptions
  #next: NodeJS.Timeout | undefined
  /** Runs while a ping is unanswered. */
  #timeout: NodeJS.Timeout | undefined
  #running = false
  #stoppedAt = performance.now()

  constructor(options: PingOptions) {
    this.#options = options
  }

  start(): void {
    this.#running = true
    this.#timeout?.ref()
    // A router may have dropped a connection that was quiet for long: an immediate ping shows it sooner.
    if (performance.now() - this.#stoppedAt > this.#options.intervalMs) this.#ping()
    else this.#schedule()
  }

  /** The timeout of an unanswered ping keeps running, but does not keep the process alive. */
  stop(): void {
    this.#running = false
    this.#stoppedAt = performance.now()
    clearTimeout(this.#next)
    this.#timeout?.unref()
  }

  dispose(): void {
    this.stop()
    clearTimeout(this.#timeout)
    this.#timeout = undefined
  }

  #schedule(): void {
    clearTimeout(this.#next)
    this.#next = setTimeout(() => this.#ping(), this.#options.intervalMs)
  }

  #ping(): void {
    const { session, socket, timeoutMs } = this.#options
    if (this.#timeout !== undefined || session.destroyed) return
    let heard = socket.bytesRead
    let due = performance.now() + timeoutMs
    const check = () => {
      if (this.#timeout === undefined) return
      const late = performance.now() - due > timeoutMs / 10
      if (socket.bytesRead === heard && !late) return this.#options.onSilent()
      // Other bytes show that the peer is alive and its answer is queued after them. And if this process was too busy to check in time,
      // it may not have sent the ping yet. In both cases the peer gets the full timeout again.
      heard = socket.bytesRead
      due = performance.now() + timeoutMs
      this.#timeout.refresh()
    }
    // The answer may have arrived in this loop iteration: the socket is read once more first.
    this.#timeout = setTimeout(() => setImmediate(check), timeoutMs)
    session.ping((error) => {
      if (!error) this.#onAnswer()
    })
  }

  #onAnswer(): void {
    clearTimeout(this.#timeout)
    this.#timeout = undefined
    if (this.#running) this.#schedule()
  }
}

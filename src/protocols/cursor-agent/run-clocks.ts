// When heartbeats are due, and when a run without progress has stalled.

const clientHeartbeatMs = 5_000
const execHeartbeatMs = 3_000
/** Progress timeout on a reopened stream: shorter than the wait for a model. */
const reopeningMs = 30_000
const never = Number.POSITIVE_INFINITY

export class RunClocks {
  readonly #progressMs: number
  #heartbeatAt = never
  #execHeartbeatAt = never
  #progressAt = 0
  /** The current progress timeout. */
  patienceMs: number

  constructor(progressMs: number) {
    this.#progressMs = progressMs
    this.patienceMs = progressMs
  }

  get heartbeatAt(): number {
    return Math.min(this.#heartbeatAt, this.#execHeartbeatAt)
  }

  get stallsAt(): number {
    return this.#progressAt + this.patienceMs
  }

  onStream(now: number): void {
    this.#heartbeatAt = now + clientHeartbeatMs
    this.#progressAt = now
  }

  onReopened(now: number): void {
    this.onStream(now)
    this.patienceMs = Math.min(this.#progressMs, reopeningMs)
  }

  progressed(now: number): void {
    this.#progressAt = now
    this.patienceMs = this.#progressMs
  }

  /** The delay was not the server's. */
  excuse(now: number): void {
    this.#progressAt = now
  }

  onExecOpened(now: number): void {
    if (this.#execHeartbeatAt === never) this.#execHeartbeatAt = now + execHeartbeatMs
  }

  onAllAnswered(): void {
    this.#execHeartbeatAt = never
  }

  /** Which heartbeats are due. Schedules the next ones. */
  due(now: number): { client: boolean; exec: boolean } {
    const client = now >= this.#heartbeatAt
    const exec = now >= this.#execHeartbeatAt
    if (client) this.#heartbeatAt = now + clientHeartbeatMs
    if (exec) this.#execHeartbeatAt = now + execHeartbeatMs
    return { client, exec }
  }
}

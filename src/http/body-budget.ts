// The memory budget of all request bodies that are being read. Bytes are reserved as they arrive, whatever length was announced.
// When the budget is spent, the slowest body is dropped: forty stalled clients must not keep out one that sends.

import { Link, LinkedList } from '../base/linked-list.ts'
import { GatewayError } from '../core/errors.ts'

/** A body slower than this may be dropped for another. */
const slowBytesPerSecond = 64 * 1024
/** A body cannot be dropped before it is this old. */
const graceMs = 1_000

interface BodyShare {
  /** Throws if the budget has no room for these bytes. */
  take(bytes: number): void
  release(): void
}

export class BodyBudget {
  #maxBytes: number
  readonly #now: () => number
  readonly #shares = new LinkedList<Share>()
  #held = 0

  constructor(maxBytes: number, now: () => number = Date.now) {
    this.#maxBytes = maxBytes
    this.#now = now
  }

  /** Bodies that are being read stay, also if they hold more than that. */
  setMax(maxBytes: number): void {
    this.#maxBytes = maxBytes
  }

  /** Bytes of all bodies that are being read. */
  get held(): number {
    return this.#held
  }

  /** `giveUp` is called if this body must end because others need its bytes. */
  open(giveUp: (error: GatewayError) => void): BodyShare {
    const share = new Share(giveUp, this.#now())
    this.#shares.add(share.link)
    return {
      take: (bytes) => {
        if (share.isOver) return
        const now = this.#now()
        this.#makeRoom(bytes, share, now)
        this.#held += bytes
        share.add(bytes, now)
      },
      release: () => this.#release(share),
    }
  }

  #makeRoom(bytes: number, taker: Share, now: number): void {
    while (this.#held + bytes > this.#maxBytes) {
      const slowest = this.#slowest(taker, now)
      if (!slowest) throw noRoom()
      this.#release(slowest)
      slowest.giveUp(tooSlow())
    }
  }

  #slowest(taker: Share, now: number): Share | undefined {
    let found: Share | undefined
    let least = slowBytesPerSecond
    for (const share of this.#shares) {
      const rate = share.rate(now)
      if (share === taker || share.held === 0 || rate >= least) continue
      found = share
      least = rate
    }
    return found
  }

  #release(share: Share): void {
    if (!share.link.remove()) return
    share.isOver = true
    this.#held -= share.held
  }
}

class Share {
  readonly link = new Link<Share>(this)
  readonly giveUp: (error: GatewayError) => void
  held = 0
  isOver = false
  /** The start of the current second, the bytes that arrived in it, and those of the second before. */
  #since: number
  #came = 0
  #cameBefore = Number.POSITIVE_INFINITY

  constructor(giveUp: (error: GatewayError) => void, now: number) {
    this.giveUp = giveUp
    this.#since = now
  }

  add(bytes: number, now: number): void {
    this.#turnOver(now)
    this.held += bytes
    this.#came += bytes
  }

  /** Bytes that arrived in the last full second. */
  rate(now: number): number {
    this.#turnOver(now)
    return this.#cameBefore
  }

  #turnOver(now: number): void {
    const past = now - this.#since
    if (past < graceMs) return
    this.#cameBefore = past < 2 * graceMs ? this.#came : 0
    this.#came = 0
    this.#since = now
  }
}

const noRoom = () =>
  new GatewayError(
    'upstream-unavailable',
    'The gateway is reading as many request bodies as "limits.bodiesBytes" allows; send the request again.',
    { retryAfterMs: 1_000 },
  )

const tooSlow = () =>
  new GatewayError(
    'upstream-unavailable',
    'The request body came too slowly, and others needed its room ("limits.bodiesBytes"); send the request again.',
    { retryAfterMs: 1_000 },
  )

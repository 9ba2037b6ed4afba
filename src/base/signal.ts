// Cancellation. `Signal` is the part of AbortSignal that our own code uses. `Cancellation` implements it for turns: a real
// AbortSignal costs more than most of a small request, and few turns need one (`nativeSignal`).

import { Latch } from './latch.ts'

export interface Signal {
  readonly aborted: boolean
  readonly reason: unknown
  /** The listener is called once, on abort; never if the signal was aborted before. */
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export class Cancellation extends Latch implements Signal {
  #native: AbortController | undefined

  get aborted(): boolean {
    return this.tripped
  }

  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    this.trip(reason)
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.on(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.off(listener)
  }

  /** For code that is not ours: timers, fetch, `AbortSignal.any`. */
  get native(): AbortSignal {
    if (this.#native) return this.#native.signal
    const controller = new AbortController()
    this.#native = controller
    this.on((reason) => controller.abort(reason))
    return controller.signal
  }
}

export function nativeSignal(signal: Signal): AbortSignal {
  if (signal instanceof AbortSignal) return signal
  if (signal instanceof Cancellation) return signal.native
  const controller = new AbortController()
  if (signal.aborted) controller.abort(signal.reason)
  else signal.addEventListener('abort', () => controller.abort(signal.reason), { once: true })
  return controller.signal
}

// Being called off. `Signal` is what our own code asks of an AbortSignal, which is one; `Cancellation` is another one, for turns:
// a real one costs more than most of a small request, and few of them are ever needed (`nativeSignal`).

export interface Signal {
  readonly aborted: boolean
  readonly reason: unknown
  /** Called once, when it happens; not for what has happened before. */
  addEventListener(type: 'abort', listener: () => void, options?: { once: true }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

export class Cancellation implements Signal {
  readonly #listeners = new Set<() => void>()
  #native: AbortController | undefined
  aborted = false
  reason: unknown

  abort(reason: unknown = new DOMException('This operation was aborted', 'AbortError')): void {
    if (this.aborted) return
    this.aborted = true
    this.reason = reason
    this.#native?.abort(reason)
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.aborted) this.#listeners.add(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.delete(listener)
  }

  /** For what is not ours: timers, fetch, `AbortSignal.any`. */
  get native(): AbortSignal {
    if (!this.#native) {
      this.#native = new AbortController()
      if (this.aborted) this.#native.abort(this.reason)
    }
    return this.#native.signal
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

// Turns that wait for an account: until a time, until another turn has ended, or until their client leaves.

import type { Signal } from '../../base/signal.ts'

export class SlotWaits {
  readonly #waiting = new Set<() => void>()

  wake(): void {
    for (const end of [...this.#waiting]) end()
  }

  wait(ms: number, signal: Signal): Promise<void> {
    return new Promise<void>((resolve) => {
      const end = () => {
        clearTimeout(timer)
        this.#waiting.delete(end)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.max(1, ms))
      this.#waiting.add(end)
      signal.addEventListener('abort', end)
    })
  }
}

// Follow-ups whose session is gone and that a new run answers here: a duplicate of the same caller is refused, wherever it arrived.

import { alreadyAnswered, type TurnContext } from '../core/backend.ts'
import { callerId } from '../core/caller.ts'

const keyOf = (sessionId: string, { caller }: TurnContext) => `${sessionId} ${callerId(caller)}`

export class Reruns {
  readonly #running = new Map<string, TurnContext>()

  refuseTwin(sessionId: string, context: TurnContext): void {
    const running = this.#running.get(keyOf(sessionId, context))
    if (running === undefined || running === context) return
    throw alreadyAnswered()
  }

  begin(sessionId: string, context: TurnContext): void {
    this.refuseTwin(sessionId, context)
    this.#running.set(keyOf(sessionId, context), context)
  }

  end(sessionId: string, context: TurnContext): void {
    const key = keyOf(sessionId, context)
    if (this.#running.get(key) === context) this.#running.delete(key)
  }
}

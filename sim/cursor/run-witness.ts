// Observes a run, for a memory that outlives it.

import type { Exec } from './exec-ledger.ts'
import type { ServerPayload } from './wire-messages.ts'

export interface RunWitness {
  /** `handedOver` resolves when the socket has it. */
  onSent(message: ServerPayload, handedOver: Promise<void>): void
  onAsked(exec: Exec): void
  /** Its result is complete, or it was thrown. */
  onAnswered(exec: Exec): void
}

// What the user says beside tool results, told to the run that is under way. The results wait, for a moment, for the service to say
// that it has taken the words: where it has not, they ride along with a result.

import type { ToolResult } from '../../core/request.ts'
import { contextInjection } from './client-messages.ts'
import { stableUuid } from './parts-out.ts'

/** The official client waits five times as long, and without results that wait for it. */
const patienceMs = 3_000

interface HeldResults {
  results: ReadonlyMap<string, ToolResult>
  words: string
}

/** Of all runs of a backend: a service that says nothing is not waited for again. */
export interface SteeringMemory {
  isSilent: boolean
}

export class Steering {
  readonly #runId: string
  readonly #memory: SteeringMemory | undefined
  #held: (HeldResults & { injectionId: string }) | undefined
  #count = 0
  /** When the words are no longer waited for. */
  until = Number.POSITIVE_INFINITY

  constructor(runId: string, memory: SteeringMemory | undefined) {
    this.#runId = runId
    this.#memory = memory
  }

  get isPossible(): boolean {
    return this.#memory !== undefined && !this.#memory.isSilent && this.#runId !== ''
  }

  /** The message that tells the words. */
  begin(held: HeldResults, now: number): Uint8Array {
    const injectionId = stableUuid(`${this.#runId} ${this.#count++}`)
    this.#held = { injectionId, ...held }
    this.until = now + patienceMs
    const messageId = stableUuid(`${injectionId} ${held.words}`)
    return contextInjection({ injectionId, runId: this.#runId, text: held.words, messageId })
  }

  waitsFor(injectionId: string): boolean {
    return this.#held?.injectionId === injectionId
  }

  onSilence(): void {
    if (this.#memory) this.#memory.isSilent = true
  }

  /** What has waited; it is the caller's from now on. */
  take(): HeldResults | undefined {
    const held = this.#held
    this.#held = undefined
    this.until = Number.POSITIVE_INFINITY
    return held
  }
}

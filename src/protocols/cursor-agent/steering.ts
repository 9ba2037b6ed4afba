// Steering: what the user says beside tool results is injected into the run under way. The results wait briefly until the service
// confirms the words. Without a confirmation, the words are added to a result.

import type { ToolResult } from '../../core/request.ts'
import { contextInjection } from './client-messages.ts'
import { stableUuid } from './parts-out.ts'

/** The official client waits five times as long, but no results wait there. */
const patienceMs = 3_000

interface HeldResults {
  results: ReadonlyMap<string, ToolResult>
  words: string
}

/** Shared by all runs of a backend: a service that did not respond is not tried again. */
export interface SteeringMemory {
  isSilent: boolean
}

export class Steering {
  readonly #runId: string
  readonly #memory: SteeringMemory | undefined
  #held: (HeldResults & { injectionId: string }) | undefined
  #count = 0
  /** Deadline of the confirmation. */
  until = Number.POSITIVE_INFINITY

  constructor(runId: string, memory: SteeringMemory | undefined) {
    this.#runId = runId
    this.#memory = memory
  }

  get isPossible(): boolean {
    return this.#memory !== undefined && !this.#memory.isSilent && this.#runId !== ''
  }

  /** Returns the message with the words. */
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

  /** Removes and returns the waiting results. */
  take(): HeldResults | undefined {
    const held = this.#held
    this.#held = undefined
    this.until = Number.POSITIVE_INFINITY
    return held
  }
}

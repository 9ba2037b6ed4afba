// Watches one turn and keeps its shape for replay: thinking with its proof, and where text and calls stood among it.

import type { TurnEvent } from '../core/events.ts'
import type { KeptBlock } from '../protocols/anthropic-messages/blocks-out.ts'

interface Kept {
  blocks: readonly KeptBlock[]
  bytes: number
}

export class ThinkingKeeper {
  readonly #blocks: KeptBlock[] = []
  #pieces: string[] = []
  #done = false

  push(events: readonly TurnEvent[]): void {
    for (const event of events) this.#on(event)
  }

  /** Once the turn has ended: what to keep for each of its calls, if it thought at all. */
  take(): [string, Kept][] {
    if (!this.#done) return []
    this.#done = false
    if (!this.#blocks.some((block) => block.type === 'thinking' || block.type === 'redacted_thinking'))
      return []
    const ids = this.#blocks.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []))
    const bytes = JSON.stringify(this.#blocks).length * 2
    return ids.map((id) => [id, { blocks: this.#blocks, bytes: bytes / ids.length }])
  }

  #on(event: TurnEvent): void {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
        this.#pieces = []
        return
      case 'text-delta':
      case 'reasoning-delta':
        this.#pieces.push(event.delta)
        return
      case 'text-end':
        this.#blocks.push({ type: 'text', text: this.#pieces.join('') })
        return
      case 'reasoning-end':
        if (event.redacted !== undefined)
          this.#blocks.push({ type: 'redacted_thinking', data: event.redacted })
        else if (event.signature !== undefined) {
          this.#blocks.push({ type: 'thinking', thinking: this.#pieces.join(''), signature: event.signature })
        }
        return
      case 'tool-call-end':
        this.#blocks.push({ type: 'tool_use', id: event.callId })
        return
      case 'turn-end':
        this.#done = true
    }
  }
}

// What the observer of a turn writes on its tape.

import type { GatewayError } from '../core/errors.ts'
import type { TurnEvent, Usage } from '../core/events.ts'

/** The part of a tape that the observer uses. */
export interface ObservedTape {
  see(events: readonly TurnEvent[]): void
  add(frame: NoteFrame | FinishFrame): void
}

interface NoteFrame {
  side: 'gateway'
  do: 'note'
  text: string
}

interface FinishFrame {
  side: 'gateway'
  do: 'finish'
  outcome: string
  calls: number
  inputTokens: number
  outputTokens: number
  cacheReadTokens?: number
  cacheWriteTokens?: number
  reasoningTokens?: number
  estimated?: true
  error?: { code: string; message: string }
}

interface TurnEnd {
  outcome: string
  calls: number
  usage: Usage
  notes: readonly string[]
  /** Without secrets. */
  error: GatewayError | undefined
}

export function tellTape(tape: ObservedTape, { outcome, calls, usage, notes, error }: TurnEnd): void {
  for (const text of notes) tape.add({ side: 'gateway', do: 'note', text })
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } = usage
  // Plain literals: spreads take several times longer, and every turn has this frame.
  const frame: FinishFrame = { side: 'gateway', do: 'finish', outcome, calls, inputTokens, outputTokens }
  if (cacheReadTokens !== undefined) frame.cacheReadTokens = cacheReadTokens
  if (cacheWriteTokens !== undefined) frame.cacheWriteTokens = cacheWriteTokens
  if (reasoningTokens !== undefined) frame.reasoningTokens = reasoningTokens
  if (usage.estimated) frame.estimated = true
  if (error) frame.error = { code: error.code, message: error.message }
  tape.add(frame)
}

// Groups turns into conversations, and filters them.

import type { FoundText, TurnSummary } from '../api.ts'
import { aboutOf, meets, type TurnFilter } from '../turn-filter.ts'

export interface Conversation {
  id: string
  /** Newest first. */
  turns: TurnSummary[]
  title: string
  client: string | undefined
  lastAt: number
  /** The newest turn, visible or not. */
  lastTurn: string | undefined
}

/** Sorted by their latest turn. */
export function groupTurns(turns: Iterable<TurnSummary>): Conversation[] {
  const groups = new Map<string, TurnSummary[]>()
  for (const turn of turns) {
    const group = groups.get(turn.conversation)
    if (group) group.push(turn)
    else groups.set(turn.conversation, [turn])
  }
  return [...groups]
    .map(([id, members]) => {
      const ordered = members.sort((a, b) => b.startedAt - a.startedAt || (a.id < b.id ? 1 : -1))
      const first = ordered.at(-1)
      return {
        id,
        turns: ordered,
        title: first?.title ?? '',
        client: first?.client,
        lastAt: ordered[0]?.startedAt ?? 0,
        lastTurn: ordered[0]?.id,
      }
    })
    .sort((a, b) => b.lastAt - a.lastAt)
}

/** The client has its calls, and no results have arrived yet. */
export const isWaiting = (turn: TurnSummary, { lastTurn }: Conversation) =>
  turn.id === lastTurn && !turn.running && turn.outcome === 'tool-calls'

/** Places with the searched words, by turn. */
export type Hits = ReadonlyMap<string, readonly FoundText[]>

/** Words match by the facts of a turn, or where the gateway found them in its content. */
export function visible(
  conversations: readonly Conversation[],
  filter: TurnFilter,
  hits: Hits = new Map(),
): Conversation[] {
  const { words, conditions } = filter
  if (words.length === 0 && conditions.length === 0) return [...conversations]
  const matches = (turn: TurnSummary, conversation: Conversation) => {
    if (!meets(turn, filter, { isWaiting: isWaiting(turn, conversation) })) return false
    if (words.length === 0 || hits.has(turn.id)) return true
    const about = aboutOf(turn)
    return words.every((word) => about.includes(word))
  }
  return conversations.flatMap((conversation) => {
    const turns = conversation.turns.filter((turn) => matches(turn, conversation))
    return turns.length === 0 ? [] : [{ ...conversation, turns }]
  })
}

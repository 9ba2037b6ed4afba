// Groups turns into conversations, and filters them.

import type { TurnSummary } from '../api.ts'

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

export type Quick = 'errors' | 'calls' | 'running' | 'waiting'

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

function matches(
  turn: TurnSummary,
  conversation: Conversation,
  { words, quick }: { words: string; quick: ReadonlySet<Quick> },
): boolean {
  if (quick.has('errors') && !turn.error) return false
  if (quick.has('calls') && turn.calls.length === 0) return false
  if (quick.has('running') && !turn.running) return false
  if (quick.has('waiting') && !isWaiting(turn, conversation)) return false
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean)
  if (wanted.length === 0) return true
  const about = [
    turn.id,
    turn.client,
    turn.door,
    turn.model,
    turn.backend,
    turn.upstreamModel,
    turn.running ? 'running' : turn.outcome,
    turn.error?.code,
    turn.title,
    turn.key,
    ...turn.calls,
  ]
    .join('\n')
    .toLowerCase()
  return wanted.every((word) => about.includes(word))
}

export function visible(
  conversations: readonly Conversation[],
  filter: { words: string; quick: ReadonlySet<Quick> },
): Conversation[] {
  if (filter.words.trim() === '' && filter.quick.size === 0) return [...conversations]
  return conversations.flatMap((conversation) => {
    const turns = conversation.turns.filter((turn) => matches(turn, conversation, filter))
    return turns.length === 0 ? [] : [{ ...conversation, turns }]
  })
}

// Turns of several processes as one list: a conversation may be spread over them.

import type { LiveMessage, SessionsView, TurnedAwayCount, TurnSummary, TurnsAnswer } from './api.ts'
import { Conversations } from './conversations.ts'
import type { Collected } from './peers.ts'

type Changes = Exclude<LiveMessage, { type: 'bye' }>

interface Part {
  turns: Map<string, TurnSummary>
  sessions: SessionsView[]
  turnedAway: readonly TurnedAwayCount[]
}

/** The newest first. */
export function mergeTurns(lists: readonly (readonly TurnSummary[])[]): TurnSummary[] {
  const turns = lists.flat().sort(byStart)
  const conversations = new Conversations(turns.length)
  return turns.map((turn) => assigned(turn, conversations)).reverse()
}

/** The turns of this process and of those that have answered. */
export function mergeAnswers(own: TurnsAnswer, collected: Collected | undefined): TurnsAnswer {
  if (!collected) return own
  const answers = [own, ...(collected.answers as TurnsAnswer[]).filter(({ turns }) => Array.isArray(turns))]
  return {
    ...{ version: own.version, may: own.may, turns: mergeTurns(answers.map(({ turns }) => turns)) },
    sessions: mergeSessions(answers.map(({ sessions }) => sessions)),
    turnedAway: mergeTurnedAway(answers.map(({ turnedAway }) => turnedAway)),
    missing: collected.missing,
  }
}

export function mergeSessions(lists: readonly (readonly SessionsView[])[]): SessionsView[] {
  const merged = new Map<string, SessionsView>()
  for (const one of lists.flat()) {
    const known = merged.get(one.backend)
    merged.set(one.backend, known ? addSessions(known, one) : one)
  }
  return [...merged.values()]
}

const addSessions = (one: SessionsView, other: SessionsView): SessionsView => ({
  ...{ backend: one.backend, sessions: [...one.sessions, ...other.sessions] },
  ...{ answering: one.answering + other.answering, waiting: one.waiting + other.waiting },
  waitingBytes: one.waitingBytes + other.waitingBytes,
})

/** The newest minute first. */
function mergeTurnedAway(lists: readonly (readonly TurnedAwayCount[])[]): TurnedAwayCount[] {
  const merged = new Map<string, TurnedAwayCount>()
  for (const one of lists.flat()) {
    const name = `${one.minute} ${one.reason}`
    merged.set(name, { ...one, count: one.count + (merged.get(name)?.count ?? 0) })
  }
  return [...merged.values()].sort((a, b) => b.minute - a.minute)
}

const byStart = (a: TurnSummary, b: TurnSummary) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1)

function assigned(turn: TurnSummary, conversations: Conversations): TurnSummary {
  return { ...turn, conversation: conversations.of(turn.id, turn.thread) }
}

/** The name of this process among the parts. */
export const ownPart = ''

/** The live messages of several processes as those of one. */
export class MergedFeed {
  readonly #parts = new Map<string, Part>()
  /** What the page knows. */
  #shown = new Map<string, TurnSummary>()
  #conversations = new Conversations(1)

  /** A message of one process, as the page gets it. */
  take(part: string, message: Changes): Changes {
    const known: Part = this.#parts.get(part) ?? { turns: new Map(), sessions: [], turnedAway: [] }
    this.#parts.set(part, known)
    known.sessions = message.sessions
    if (message.turnedAway) known.turnedAway = message.turnedAway
    if (message.type === 'all') return this.#takeAll(known, message)
    for (const turn of message.turns) known.turns.set(turn.id, turn)
    for (const id of message.gone) known.turns.delete(id)
    const turns = message.turns.map((turn) => assigned(turn, this.#conversations))
    for (const turn of turns) this.#shown.set(turn.id, turn)
    for (const id of message.gone) this.#shown.delete(id)
    return { type: 'changed', turns, gone: message.gone, ...this.#sums() }
  }

  /** No change of turns. */
  nothing(): Changes {
    return { type: 'changed', turns: [], gone: [], ...this.#sums() }
  }

  /** The process is gone, and its turns with it. */
  lose(part: string): Changes {
    const gone = [...(this.#parts.get(part)?.turns.keys() ?? [])]
    this.#parts.delete(part)
    for (const id of gone) this.#shown.delete(id)
    return { type: 'changed', turns: [], gone, ...this.#sums() }
  }

  #takeAll(part: Part, message: Extract<Changes, { type: 'all' }>): Changes {
    const gone = [...part.turns.keys()].filter((id) => !message.turns.some((turn) => turn.id === id))
    part.turns = new Map(message.turns.map((turn) => [turn.id, turn]))
    const before = this.#shown
    const all = [...this.#parts.values()].flatMap(({ turns }) => [...turns.values()]).sort(byStart)
    // Earlier turns may have come to light: conversations are assigned anew.
    this.#conversations = new Conversations(2 * all.length + 1_000)
    const turns = all.map((turn) => assigned(turn, this.#conversations))
    this.#shown = new Map(turns.map((turn) => [turn.id, turn]))
    if (before.size === 0) return { ...message, turns: turns.reverse(), ...this.#sums() }
    const changed = turns.filter(
      (turn) => part.turns.has(turn.id) || before.get(turn.id)?.conversation !== turn.conversation,
    )
    return { type: 'changed', turns: changed, gone, ...this.#sums() }
  }

  #sums(): Pick<TurnsAnswer, 'sessions' | 'turnedAway'> {
    const parts = [...this.#parts.values()]
    return {
      sessions: mergeSessions(parts.map(({ sessions }) => sessions)),
      turnedAway: mergeTurnedAway(parts.map(({ turnedAway }) => turnedAway)),
    }
  }
}

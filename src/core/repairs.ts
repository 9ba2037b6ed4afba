// Repairs of an upstream's answer: each kind with its note, which says what was wrong and what was done. A turn notes each kind once.
// What the dialect allows is no repair, and neither is what a client cannot notice.

export const repairNotes = {
  // Tool calls.
  'no-call-index':
    'the upstream left out the index of a tool call; its pieces were sorted by id, name and order',
  'shared-call-index': 'the upstream gave several tool calls one index; they were told apart by id and name',
  'call-index-gap': 'the upstream numbered its tool calls with gaps; they were numbered from 0',
  'late-call-name': 'the upstream sent the name of a tool call late; the call was held back until then',
  'repeated-call-name':
    'the upstream repeated the name of a tool call in its later pieces; the name was taken once',
  'empty-call-name':
    'the upstream sent later pieces of a tool call with an empty name or id; the first ones were kept',
  'no-call-id': 'the upstream sent a tool call without an id; it got one',
  'changing-call-id':
    'the upstream changed the id of a tool call from piece to piece; the first one was kept',
  'no-call-type': 'the upstream left out the type of a tool call; it was added',
  'object-arguments':
    'the upstream sent the arguments of a tool call as a value in place of text; they were written as text',
  'empty-arguments': 'the upstream sent a tool call with empty arguments; they became {}',
  'interleaved-calls':
    'the upstream sent the pieces of several tool calls in turns; each call was put together',
  'text-inside-call': 'the upstream sent text between the pieces of a tool call; it was put behind the call',
  'legacy-call': 'the upstream sent the older function_call; it was read as a tool call',

  // The end.
  'no-finish': 'the upstream sent no finish_reason; it was inferred from the answer',
  'finish-of-calls':
    'the upstream ended its tool calls with another finish reason; it was replaced by the one of tool calls',
  'announced-calls': 'the upstream announced tool calls and sent none; its finish reason was replaced',
  'odd-finish': 'the upstream gave a finish reason that its API does not have; the nearest one was used',
  'no-done': 'the upstream ended its stream without [DONE]; its finish_reason was taken as the end',
  'output-after-end': 'the upstream sent more output after the end of it; that was left out',

  // The form of messages and chunks.
  'whole-message':
    'the upstream sent a whole message in its stream in place of deltas; it was read as a delta',
  'message-beside-delta': 'the upstream repeated the whole message beside its deltas; it was left out',
  'no-delta': 'the upstream left out the delta of a chunk; it was added',
  'content-parts': 'the upstream sent its text as a list of parts; they were joined',
  'odd-part': 'the upstream sent a part of its answer that the client has no place for; it was left out',
  'not-streamed': 'the upstream did not stream its answer; it was sent on when it was whole',
  'no-role': 'the upstream left out the role of its message; it was added',
  'repeated-role': 'the upstream repeated the role of its message in later chunks; it was sent once',
  'no-choice-index': 'the upstream left out the index of its choice; it was added',
  'no-choices': 'the upstream sent a chunk without choices; only its usage was kept',
  'early-chunk': 'the upstream sent a chunk before its answer; its members were added to the first chunk',
  'no-answer-id': 'the upstream left out the id of its answer; it was added',
  'changing-answer-id':
    'the upstream changed the id of its answer from chunk to chunk; the first one was kept',
  'no-created': 'the upstream left out the time of its answer (created); it was added',
  'changing-created':
    'the upstream changed the time of its answer (created) from chunk to chunk; the first one was kept',
  'no-model': 'the upstream left out the model of its answer; it was added',
  'no-object': 'the upstream left out the type of its answer (object), or sent another; it was corrected',
  'usage-place': 'the upstream sent its usage at an unusual place; the client gets it once, at the end',
  'reasoning-field':
    'the upstream sent its reasoning as "reasoning"; it was added as "reasoning_content", which more clients read',

  // Events of Messages and Responses.
  'repeated-start': 'the upstream began its answer twice; the second beginning was left out',
  'no-start': 'the upstream left out the beginning of its answer; it was added',
  'no-stop-reason': 'the upstream sent no stop reason; it was inferred from the answer',
  'open-block': 'the upstream did not end a block before the next one; it was ended',
  'stray-delta': 'the upstream sent a delta that belongs to no open block; it was left out',
  'missing-events': 'the upstream left out events of its stream; the answer was read from the others',
  'other-text':
    'the upstream ended a text with other words than it had streamed; the streamed ones were kept',
  'other-arguments':
    'the upstream ended the arguments of a tool call otherwise than it had streamed them; the last ones were taken',
  'no-event-names': 'the upstream left out the names of its events; they were added',
  'no-output': 'the upstream left out items in the last event of its answer; they were added',
  'usage-figures': 'the upstream left out figures of its usage; they were added',
} as const

export type RepairKind = keyof typeof repairNotes

/** The repairs of one answer. */
export class Repairs {
  readonly #note: (text: string) => void
  readonly #seen = new Set<RepairKind>()

  constructor(note: (text: string) => void) {
    this.#note = note
  }

  has(kind: RepairKind): boolean {
    return this.#seen.has(kind)
  }

  /** May be called for every delta: only the first one of a kind is noted. */
  add(kind: RepairKind): void {
    if (this.#seen.has(kind)) return
    this.#seen.add(kind)
    this.#note(repairNotes[kind])
  }
}

const argumentsPrefix = "in the upstream's tool call, "

/** The note about arguments that were corrected; `changed` says how. */
export const argumentsNote = (changed: string) => argumentsPrefix + changed

const kinds = new Map<string, RepairKind>(
  Object.entries(repairNotes).map(([kind, note]) => [note, kind as RepairKind]),
)

/** The kind of repair that a note is about; undefined if it is about something else. */
export const repairOf = (note: string): RepairKind | 'arguments' | undefined =>
  kinds.get(note) ?? (note.startsWith(argumentsPrefix) ? 'arguments' : undefined)

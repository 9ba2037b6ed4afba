// The summary of a turn for the list, read from its tape. Computed on demand; each call continues where the last one ended.

import type { Frame } from '../tapes/frame.ts'
import type { TurnSummary } from './api.ts'
import { type Asked, readAsked } from './asked.ts'
import { Conversations } from './conversations.ts'
import type { Kept } from './shelf.ts'

interface Known {
  frames: number
  asked?: Asked | undefined
  facts: Pick<TurnSummary, 'door' | 'model' | 'stream' | 'key' | 'tries' | 'notes'> & Partial<TurnSummary>
  endedAt?: number
}

export class Summaries {
  readonly #known = new WeakMap<Kept, Known>()
  readonly #conversations: Conversations

  readonly #scrub: (text: string) => string

  constructor(turns: number, scrub: (text: string) => string) {
    this.#scrub = scrub
    this.#conversations = new Conversations(turns)
  }

  of(kept: Kept): TurnSummary {
    const { tape, startedAt } = kept
    const known = this.#readOn(kept)
    const calls = tape.segments.filter(({ kind }) => kind === 'tool-call').map(({ name }) => name ?? '')
    const first = tape.segments[0]
    return {
      id: tape.turn,
      startedAt,
      conversation: this.#conversations.of(tape.turn, known.asked),
      title: known.asked?.title ?? '',
      running: !tape.isOver,
      milliseconds: Math.round(known.endedAt ?? tape.elapsed),
      firstOutputMs: first && Math.round(first.from),
      calls,
      frames: tape.frames.length,
      bytes: tape.bytes,
      cut: tape.isCut,
      ...known.facts,
    }
  }

  #readOn(kept: Kept): Known {
    const { frames } = kept.tape
    const known = this.#known.get(kept) ?? { frames: 0, facts: { ...unknown } }
    this.#known.set(kept, known)
    for (const frame of frames.slice(known.frames)) see(known, frame, this.#scrub)
    known.frames = frames.length
    return known
  }
}

const unknown = { door: '', model: '', stream: false, key: '', tries: 0, notes: 0 }

function see(known: Known, frame: Frame, scrub: (text: string) => string): void {
  const { facts } = known
  if (frame.side === 'client' && frame.do === 'request')
    known.asked ??= readAsked(frame.body, [facts.key, facts.client], scrub)
  if (frame.side !== 'gateway') return
  if (frame.do === 'begin') {
    const { door, model, stream, key, client } = frame
    Object.assign(facts, { door, model, stream, key, client })
  } else if (frame.do === 'target') {
    facts.tries++
    Object.assign(facts, { backend: frame.backend, kind: frame.kind, upstreamModel: frame.model })
  } else if (frame.do === 'session') facts.session = { state: frame.state, id: frame.id, why: frame.why }
  else if (frame.do === 'note') facts.notes++
  else if (frame.do === 'finish') {
    known.endedAt = frame.at
    const { outcome, error, inputTokens, outputTokens, estimated } = frame
    Object.assign(facts, { outcome, error, inputTokens, outputTokens, estimated })
  }
}

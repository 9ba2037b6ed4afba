// The summary of a turn for the list, read from its tape. Computed on demand; each call continues where the last one ended.

import type { Usage } from '../core/events.ts'
import { type Cost, costOf } from '../observe/cost.ts'
import { hostOf, type Prices } from '../observe/prices.ts'
import type { Frame } from '../tapes/frame.ts'
import type { TurnSummary } from './api.ts'
import { type Asked, readAsked, titleOf } from './asked.ts'
import { Conversations } from './conversations.ts'
import type { Kept } from './turn-shelf.ts'
import { unreadTitle } from './unread-title.ts'

interface Known {
  frames: number
  /** Of a turn that is over. */
  summary?: TurnSummary
  asked?: Asked | undefined
  title?: string
  /** The title, if the body could not be read. */
  unread?: string
  facts: Pick<TurnSummary, 'door' | 'model' | 'stream' | 'key' | 'tries' | 'notes'> & Partial<TurnSummary>
  endedAt?: number
  /** Of the last service that was asked. */
  host?: string | undefined
}

export class Summaries {
  readonly #known = new WeakMap<Kept, Known>()
  readonly #conversations: Conversations

  readonly #scrub: (text: string) => string
  readonly #prices: Prices | undefined
  readonly #withThreads: boolean

  constructor(
    turns: number,
    scrub: (text: string) => string,
    { prices, withThreads = false }: { prices?: Prices; withThreads?: boolean } = {},
  ) {
    this.#scrub = scrub
    this.#prices = prices
    this.#withThreads = withThreads
    this.#conversations = new Conversations(turns)
  }

  of(kept: Kept): TurnSummary {
    const { isPinned, remark } = kept
    return {
      ...this.#factsOf(kept),
      ...(isPinned && { pinned: true }),
      ...(remark !== undefined && { remark }),
    }
  }

  /** Without what changes after the end of the turn. The tape of a turn that is over may have to be read from disk. */
  #factsOf(kept: Kept): TurnSummary {
    const { tape, startedAt } = kept
    const read = this.#known.get(kept)?.summary
    if (read && tape.isOver && read.bytes === tape.bytes) return read
    const known = this.#readOn(kept)
    const calls = tape.segments.filter(({ kind }) => kind === 'tool-call').map(({ name }) => name ?? '')
    const first = tape.segments[0]
    const conversation = this.#conversations.of(tape.turn, known.asked)
    known.summary = {
      id: tape.turn,
      startedAt,
      conversation,
      ...(this.#withThreads && known.asked ? { thread: threadOf(known.asked) } : {}),
      title: known.unread ?? this.#title(known, conversation),
      running: !tape.isOver,
      milliseconds: Math.round(known.endedAt ?? tape.elapsed),
      firstOutputMs: first && Math.round(first.from),
      calls,
      frames: tape.frames.length,
      bytes: tape.bytes,
      cut: tape.isCut,
      ...known.facts,
    }
    return known.summary
  }

  /** Kept: the conversation may have another question by the next time. */
  #title(known: Known, conversation: string): string {
    if (known.asked) known.title ??= titleOf(known.asked, this.#conversations.question(conversation))
    return known.title ?? ''
  }

  #readOn(kept: Kept): Known {
    const { frames } = kept.tape
    const known = this.#known.get(kept) ?? { frames: 0, facts: { ...unknown } }
    this.#known.set(kept, known)
    for (const frame of frames.slice(known.frames)) {
      see(known, frame, this.#scrub)
      if (frame.side === 'gateway' && frame.do === 'finish') known.facts.cost = this.#costOf(known, frame)
    }
    known.frames = frames.length
    return known
  }

  #costOf({ facts, host }: Known, usage: Usage): Cost | undefined {
    const { backend, kind, upstreamModel: model } = facts
    if (!this.#prices || this.#prices.areOff || backend === undefined || model === undefined) return undefined
    return costOf(usage, this.#prices.of({ backend, kind, host, model }))
  }
}

/** A part of the hash tells conversations apart. */
const threadOf = ({ opening, isFirst, continues }: Asked) => ({
  ...{ opening: opening.slice(0, 16), isFirst },
  ...(continues === undefined ? {} : { continues }),
})

const unknown = { door: '', model: '', stream: false, key: '', tries: 0, notes: 0 }

function see(known: Known, frame: Frame, scrub: (text: string) => string): void {
  const { facts } = known
  if (frame.side === 'client' && frame.do === 'request') {
    known.asked ??= readAsked(frame.body, [facts.key, facts.client], scrub)
    if (!known.asked) known.unread = unreadTitle(frame, scrub)
  }
  if (frame.side === 'client' && frame.do === 'response') facts.status = frame.status
  if (frame.side === 'upstream' && frame.do === 'request') known.host = hostOf(frame.origin)
  if (frame.side !== 'gateway') return
  if (frame.do === 'begin') {
    const { door, model, stream, key, client, resentFrom } = frame
    Object.assign(facts, { door, model, stream, key, client, resentFrom })
  } else if (frame.do === 'target') {
    facts.tries++
    Object.assign(facts, { backend: frame.backend, kind: frame.kind, upstreamModel: frame.model })
  } else if (frame.do === 'failure' && frame.skipped) {
    facts.skipped = (facts.skipped ?? 0) + 1
    facts.backend ??= frame.backend
  } else if (frame.do === 'session') facts.session = { state: frame.state, id: frame.id, why: frame.why }
  else if (frame.do === 'note') facts.notes++
  else if (frame.do === 'finish') {
    known.endedAt = frame.at
    const { outcome, error, inputTokens, outputTokens, estimated } = frame
    const { cacheReadTokens, cacheWriteTokens, reasoningTokens } = frame
    Object.assign(facts, { outcome, error, inputTokens, outputTokens, estimated })
    Object.assign(facts, { cacheReadTokens, cacheWriteTokens, reasoningTokens })
  }
}

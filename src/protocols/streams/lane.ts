// Lane: the upstream's own messages, for a door of the same dialect. Each message becomes an `opaque` event that covers the events read
// from it, so what the canonical model does not name arrives too. Messages of a call are held until the call is complete, for
// clients that take arguments whole.

import type { BlockWriter, OpaqueEvent, OpaqueFields } from '../../core/blocks.ts'
import { type TurnBudget, textCost } from '../../core/turn-budget.ts'
import type { SseMessage } from './sse.ts'

/** What a reader says about the message that it has just read. */
export interface LaneStep {
  /** A call is open, and the client takes it whole. */
  holds: boolean
  /** The message belongs to a call. */
  ofCall: boolean
  /** The call's messages do not go out: it was cut off, or its events say it differently. */
  replaced: boolean
  /** The message has output that no event has. */
  visible: boolean
  /** The message does not go out: the client must not see it twice. */
  withheld: boolean
  /** The data of messages for calls that ended before this message or with it. Their own messages were withheld. */
  released: readonly string[] | undefined
  /** Goes out in place of the message's data. */
  data: string | undefined
}

/** Readers change one object for all messages. */
export const createLaneStep = (): LaneStep => ({
  holds: false,
  ofCall: false,
  replaced: false,
  visible: false,
  withheld: false,
  released: undefined,
  data: undefined,
})

interface HeldMessage {
  message: OpaqueEvent
  ofCall: boolean
}

export class Lane {
  readonly #dialect: string
  readonly #blocks: BlockWriter
  readonly #budget: TurnBudget
  #held: HeldMessage[] = []
  #isReplaced = false

  constructor(dialect: string, blocks: BlockWriter, budget: TurnBudget) {
    this.#dialect = dialect
    this.#blocks = blocks
    this.#budget = budget
  }

  /** Passes one message on. The events read from it are pending from `first` on. */
  pass({ data, event: name }: SseMessage, first: number, step: LaneStep): void {
    const { holds, ofCall, replaced, visible } = step
    const at = step.released ? this.#passReleased(first, step.released) : first
    // Before its start a turn has nothing to show.
    if (step.withheld || !this.#blocks.isStarted) return
    const sent = step.data ?? data
    const lane = this.#dialect
    const message: OpaqueEvent = {
      type: 'opaque',
      form: 'message',
      lane,
      data: sent,
      name,
      covers: 0,
      visible,
    }
    this.#isReplaced ||= replaced
    if (holds) {
      this.#budget.spend(textCost(sent))
      this.#held.push({ message, ofCall })
      return
    }
    if (this.#held.length === 0) {
      if (!(replaced && ofCall)) this.#blocks.coverWith(at, message)
      this.#isReplaced = false
      return
    }
    this.#release({ message, ofCall }, at)
  }

  #release(last: HeldMessage, at: number): void {
    for (const { message } of this.#held) this.#budget.refund(textCost(message.data))
    const all = [...this.#held, last]
    const isReplaced = this.#isReplaced
    this.#held = []
    this.#isReplaced = false
    if (!isReplaced) return void this.#blocks.cover(at, messagesOf(all))
    // The events of the call stay; the messages beside it follow them.
    this.#blocks.cover(this.#blocks.afterCalls(at), messagesOf(all.filter(({ ofCall }) => !ofCall)))
  }

  /** They cover the calls that have ended, and not what follows. Returns where that begins. */
  #passReleased(at: number, released: readonly string[]): number {
    const lane = this.#dialect
    const messages = released.map(
      (data): OpaqueFields => ({ form: 'message', lane, data, name: undefined, visible: false }),
    )
    return this.#blocks.cover(at, messages, this.#blocks.afterCalls(at))
  }
}

const messagesOf = (held: readonly HeldMessage[]) => held.map(({ message }) => message)

// The chats that were begun at the service, and where in them each conversation stands: its next message can be sent
// there alone, without all that was said before.

import { BoundedStore, entryBytes } from '../../base/bounded-store.ts'

export interface Chat {
  readonly id: string
  /** A request is under way: the service takes one at a time. */
  busy: boolean
  /** Some conversation stands in it. */
  kept: boolean
  gone: boolean
  /** Reminders that it holds: see `remindersIn`. */
  readonly reminders: Set<string>
  usedAt: number
}

/** An answer that the next message can follow. */
export interface Tip {
  chat: Chat
  responseId: string
}

export interface ChatsOptions {
  /** Told of each chat that is not gone on with any more. */
  onGone(chat: Chat): void
  max?: number
  ttlMs?: number
  now?: () => number
}

const maxTipBytes = 16 * 1024 * 1024
const defaultMax = 1_000
const defaultTtlMs = 12 * 60 * 60 * 1000

export class Chats {
  readonly #tips: BoundedStore<Tip>
  /** Longest unused first. */
  readonly #chats = new Set<Chat>()
  readonly #options: Required<ChatsOptions>

  constructor(options: ChatsOptions) {
    this.#options = { max: defaultMax, ttlMs: defaultTtlMs, now: Date.now, ...options }
    this.#tips = new BoundedStore({ maxBytes: maxTipBytes, ...this.#options })
  }

  get size(): number {
    return this.#chats.size
  }

  /**
   * The chat in which this conversation stands, for one request; whoever comes meanwhile gets none. One that was not told
   * of these reminders is that of another conversation, in which the same was said.
   */
  claim(key: string | undefined, reminders: Iterable<string> = []): Tip | undefined {
    this.#sweep()
    const tip = key === undefined ? undefined : this.#tips.get(key)
    if (tip === undefined || tip.chat.gone || tip.chat.busy) return undefined
    for (const reminder of reminders) if (!tip.chat.reminders.has(reminder)) return undefined
    tip.chat.busy = true
    this.#touch(tip.chat)
    return tip
  }

  /** A new one, claimed. */
  begin(id: string): Chat {
    const chat: Chat = { id, busy: true, kept: false, gone: false, reminders: new Set(), usedAt: 0 }
    this.#touch(chat)
    this.#sweep()
    return chat
  }

  /** Answers before it stay where they are: a conversation may go on from an earlier one, on another branch. */
  keep(key: string, tip: Tip, reminders: Iterable<string> = []): void {
    if (tip.chat.gone) return
    tip.chat.kept = true
    for (const reminder of reminders) tip.chat.reminders.add(reminder)
    this.#tips.set(key, tip, entryBytes + 2 * (key.length + tip.responseId.length + tip.chat.id.length))
  }

  forget(key: string | undefined): void {
    if (key !== undefined) this.#tips.delete(key)
  }

  release(chat: Chat): void {
    chat.busy = false
    if (!chat.kept) this.drop(chat)
  }

  /** It is of no use, and the service had better be left alone now: it goes when it is old. */
  putOff(chat: Chat): void {
    chat.kept = true
  }

  drop(chat: Chat): void {
    if (chat.gone) return
    chat.gone = true
    this.#chats.delete(chat)
    this.#options.onGone(chat)
  }

  dropAll(): void {
    for (const chat of [...this.#chats]) this.drop(chat)
  }

  #touch(chat: Chat): void {
    chat.usedAt = this.#options.now()
    this.#chats.delete(chat)
    this.#chats.add(chat)
  }

  #sweep(): void {
    const { max, ttlMs, now } = this.#options
    for (const chat of this.#chats) {
      if (this.#chats.size <= max && chat.usedAt + ttlMs > now()) return
      if (!chat.busy) this.drop(chat)
    }
  }
}
